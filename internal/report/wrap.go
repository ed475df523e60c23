package report

import "strings"

// appendWrapped appends facts, separated by commas, and a newline. A fact that
// would pass the width begins a line of its own, indented by 3; column is where
// the first one stands.
func appendWrapped(dst []byte, facts []cell, column, width int) []byte {
	for i := range facts {
		n := facts[i].width()
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
		dst, column = appendStyled(dst, facts[i].style, facts[i].text), column+n
		if i < len(facts)-1 {
			dst = append(dst, ',')
		}
	}
	return append(dst, '\n')
}

// plainCells are texts in no style.
func plainCells(texts []string) []cell {
	cells := make([]cell, len(texts))
	for i, s := range texts {
		cells[i].text = s
	}
	return cells
}

// wrapWords breaks text at words into lines of at most so many columns, longer words
// excepted; there is one line at least. Bytes are counted: no character takes more
// columns than it has of them.
func wrapWords(text string, width int) []string {
	var lines []string
	line := ""
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line = word
		case TextWidth(line)+1+TextWidth(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
