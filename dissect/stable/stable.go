// Package stable sorts lists and keeps what is equal in its order, as slices.SortStableFunc does, which is compiled
// for each type: some 5 kB of program each time. Here that is done once, for indexes.
package stable

import (
	"cmp"
	"slices"
)

// Sort sorts a list; what compares as 0 stays in its order.
func Sort[T any](list []T, compare func(a, b T) int) {
	places := order(len(list), func(i, j int) int { return compare(list[i], list[j]) })
	was := slices.Clone(list)
	for i, at := range places {
		list[i] = was[at]
	}
}

// order gives the indexes below n as they sort, those that compare as 0 by themselves.
func order(n int, compare func(i, j int) int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, j int) int { return cmp.Or(compare(i, j), cmp.Compare(i, j)) })
	return places
}
