package seq

import (
	"math/rand/v2"
	"testing"
)

// TestFewAreFound: what was put under a number is found under it, in whatever order numbers come, for as long as
// it is wanted; what is not wanted takes no room for ever.
func TestFewAreFound(t *testing.T) {
	for seed := range uint64(50) {
		r, f, want := rand.New(rand.NewPCG(seed, 1)), Few[Num]{}, map[Num]bool{}
		low := Num(0)
		wanted := func(n Num) bool { return n >= low }
		for range 500 {
			low += Num(r.IntN(3))
			if n := low + Num(r.IntN(20)); f.At(n) == nil {
				*f.Put(n, wanted), want[n] = n, true
			}
			for n := low - 5; n < low+20; n++ {
				switch x := f.At(n); {
				case x != nil && *x != n, x != nil && !want[n], x == nil && want[n] && wanted(n):
					t.Fatalf("seed %d: of %d, %v was found, put: %v, wanted from %d on", seed, n, x, want[n], low)
				}
			}
		}
		if cap(f.list) > 64 {
			t.Errorf("seed %d: room for %d, of which at most 20 are wanted", seed, cap(f.list))
		}
	}
}
