package terminal

import "strings"

// AppendWrapped appends facts, separated by commas, and a newline. A fact that
// would pass the width begins a line of its own, indented by 3; column is where
// the first one stands.
func AppendWrapped(dst []byte, facts []Cell, column, width int) []byte {
	for i := range facts {
		n := facts[i].Width()
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
		dst, column = AppendStyled(dst, facts[i].Style, facts[i].Text), column+n
		if i < len(facts)-1 {
			dst = append(dst, ',')
		}
	}
	return append(dst, '\n')
}

// Cells are texts in no style.
func Cells(texts []string) []Cell {
	cells := make([]Cell, len(texts))
	for i, s := range texts {
		cells[i].Text = s
	}
	return cells
}

// Wrap breaks text at words into lines of at most so many columns, longer words
// excepted; there is one line at least. Bytes are counted: no character takes more
// columns than it has of them.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line = word
		case Width(line)+1+Width(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// AppendLines appends text in lines of so many columns at most; 0 breaks none.
func AppendLines(dst []byte, start, stop, text string, width int) []byte {
	lines := []string{text}
	if width > 0 {
		lines = Wrap(text, width)
	}
	for _, line := range lines {
		dst = append(append(append(append(dst, start...), line...), stop...), '\n')
	}
	return dst
}
