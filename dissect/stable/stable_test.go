package stable

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSort: lists come out as slices.SortStableFunc gives them.
func TestSort(t *testing.T) {
	type x struct{ key, place int }
	byKey := func(a, b x) int { return cmp.Compare(a.key, b.key) }
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		list := make([]x, n)
		for i := range list {
			list[i] = x{r.IntN(1 + n/3), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		if Sort(list, byKey); !slices.Equal(list, want) {
			t.Fatalf("%d: %v, want %v", n, list, want)
		}
	}
}
