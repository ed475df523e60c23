// Package spell guesses which of the known names a misspelt one means.
package spell

import (
	"sort"
	"strings"
)

const (
	maxSuggestions = 3  // names a message suggests
	maxGuessed     = 64 // bytes of a name that is worth guessing about
)

// DidYouMean gives " (did you mean a, b or c?)" for the names nearest to s, or "".
func DidYouMean(s string, names []string) string {
	near := nearest(s, names)
	switch n := len(near); n {
	case 0:
		return ""
	case 1:
		return " (did you mean " + near[0] + "?)"
	default:
		return " (did you mean " + strings.Join(near[:n-1], ", ") + " or " + near[n-1] + "?)"
	}
}

// nearest gives the names that fewest edits lead to, and those that end in s.
func nearest(s string, names []string) []string {
	if len(s) > maxGuessed {
		return nil
	}
	s = strings.ToLower(s)
	limit := 1 + len(s)/4
	byDistance := make(map[int][]string)
	best := limit + 1
	for _, name := range names {
		d := distance(s, strings.ToLower(name))
		if strings.HasSuffix(strings.ToLower(name), "."+s) {
			d = min(d, 1)
		}
		best = min(best, d)
		byDistance[d] = append(byDistance[d], name)
	}
	if best > limit {
		return nil
	}
	near := byDistance[best]
	sort.Strings(near)
	return near[:min(len(near), maxSuggestions)]
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that make b of a.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// OrList gives "a", "a or b", "a, b or c".
func OrList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
