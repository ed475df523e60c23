package report

import (
	"strings"
	"unicode/utf8"
)

// appendWrapped appends facts, separated by commas, and a newline. A fact that
// would pass the width begins a line of its own, indented by 3; column is where
// the first one stands.
func appendWrapped(dst []byte, facts []string, column, width int) []byte {
	for i, f := range facts {
		n := visible(f)
		if i < len(facts)-1 {
			n++ // its comma
		}
		switch {
		case i == 0:
		case column+1+n > width:
			dst, column = append(dst, "\n   "...), 3
		default:
			dst, column = append(dst, ' '), column+1
		}
		dst, column = append(dst, f...), column+n
		if i < len(facts)-1 {
			dst = append(dst, ',')
		}
	}
	return append(dst, '\n')
}

// visible is the number of characters a terminal shows of s: colours take none.
func visible(s string) (n int) {
	for {
		before, after, coloured := strings.Cut(s, "\x1b[")
		n += utf8.RuneCountInString(before)
		if !coloured {
			return n
		}
		_, s, _ = strings.Cut(after, "m")
	}
}
