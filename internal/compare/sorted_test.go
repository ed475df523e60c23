package compare

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestByKey: entries are sorted by all of their key, equal ones as they stood, also where the bits that are sorted
// by are equal.
func TestByKey(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var room []entry
	for _, n := range []int{0, 1, 100, 1 << digits, 50_000} {
		list := make([]entry, n)
		for i := range list {
			key := r.Uint64N(1 << 20)
			if i%2 == 0 {
				key <<= 44 // the upper bits tell
			} else {
				key |= 1 << 60 // only the lower ones do
			}
			list[i] = entry{key: key, at: int32(i)}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, byKeyAlone)
		var got []entry
		if got, room = byKey(list, room); !slices.Equal(got, want) {
			t.Errorf("%d entries are not in order", n)
		}
	}
}

// TestJoin: what is in both lists, key by key.
func TestJoin(t *testing.T) {
	a := []entry{{key: 1}, {key: 3}, {key: 3}, {key: 7}}
	b := []entry{{key: 2}, {key: 3}, {key: 7}, {key: 7}}
	var got [][2]int
	join(a, b, func(x, y []entry) bool {
		got = append(got, [2]int{len(x), len(y)})
		return true
	})
	if !slices.Equal(got, [][2]int{{2, 1}, {1, 2}}) {
		t.Error(got)
	}
}

// TestNth: the element that would be there if the list were sorted.
func TestNth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 200; n++ {
		list := make([]int64, n)
		for i := range list {
			list[i] = r.Int64N(50)
		}
		sorted := slices.Clone(list)
		slices.Sort(sorted)
		for _, i := range []int{0, n / 2, n - 1} {
			if got := nth(slices.Clone(list), i); got != sorted[i] {
				t.Fatalf("%d of %v: %d", i, sorted, got)
			}
		}
	}
}

// TestLength: times for people, days and hours too.
func TestLength(t *testing.T) {
	for ns, want := range map[int64]string{20e6: "20.0 ms", -7e9: "7.000 s", 3*3600e9 + 60e9: "3 h 1 min 0.000 s", 3 * 86400e9: "3 days 0 h 0 min 0.000 s"} {
		if got := Length(ns); got != want {
			t.Errorf("%d: %s, want %s", ns, got, want)
		}
	}
}
