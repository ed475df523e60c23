package track

import "testing"

// A ring that was given back is used again, by whoever wants one as long, and few wait.
func TestRings(t *testing.T) {
	var r rings
	short, long := r.take(16), r.take(64)
	r.put(short)
	r.put(long)
	if again := r.take(64); &again[0] != &long[0] {
		t.Error("another ring was made")
	}
	if fresh := r.take(64); &fresh[0] == &long[0] || len(fresh) != 64 {
		t.Errorf("the same ring, or one of %d, was given twice", len(fresh))
	}
	for range 2 * mostRings {
		r.put(make([]slot, 16))
	}
	if n := len(r[4]); n != mostRings {
		t.Errorf("%d rings wait, want %d", n, mostRings)
	}
}
