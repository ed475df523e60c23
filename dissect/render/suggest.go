package render

import (
	"cmp"
	"slices"
	"strings"
)

// didYouMean is ": did you mean …?" with the nearest of the known names, or ""
// when none is near.
func didYouMean(name string, known map[string]*column) string {
	type near struct {
		name     string
		distance int
	}
	var all []near
	for k := range known {
		d := distance(name, k)
		if last := k[strings.LastIndexByte(k, '.')+1:]; last == name {
			d = 1
		}
		if d <= max(2, len(name)/3) {
			all = append(all, near{k, d})
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	if len(all) == 0 {
		return "; see `dpdissect fields`"
	}
	var names []string
	for _, n := range all[:min(3, len(all))] {
		names = append(names, n.name)
	}
	return ": did you mean " + strings.Join(names, " or ") + "?"
}

// distance is the number of bytes to insert, delete or replace to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
