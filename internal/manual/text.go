package manual

import (
	"strings"
	"unicode/utf8"
)

// A Look is what stands around headings on a terminal; the zero Look is nothing.
type Look struct{ Start, Stop string }

const (
	margin     = "    " // before code
	mostFirst  = 26     // columns of the first of a table
	leastWidth = 40
)

// Text is the page for a terminal, in lines of so many columns where words allow that.
func (p *Page) Text(width int, look Look) string {
	width = max(width, leastWidth)
	var b strings.Builder
	for i := range p.blocks {
		c := &p.blocks[i]
		if i > 0 && !(c.kind == item && p.blocks[i-1].kind == item) {
			b.WriteByte('\n')
		}
		switch c.kind {
		case heading:
			b.WriteString(look.Start + plain(c.text) + look.Stop + "\n")
		case paragraph:
			writeFilled(&b, "", "", plain(c.text), width)
		case item:
			writeFilled(&b, "- ", "  ", plain(c.text), width)
		case code:
			for line := range strings.Lines(c.text) {
				b.WriteString(strings.TrimRight(margin+line, " \n") + "\n")
			}
		case table:
			writeTable(&b, c.rows, width)
		}
	}
	return b.String()
}

// writeTable writes rows of two columns: the first cell, and all others as one text. The
// heads say nothing that the rows don't.
func writeTable(b *strings.Builder, rows [][]string, width int) {
	first := 0
	for _, row := range rows[1:] {
		if n := utf8.RuneCountInString(plain(row[0])); n <= mostFirst {
			first = max(first, n)
		}
	}
	indent := strings.Repeat(" ", 2+first+2)
	for _, row := range rows[1:] {
		name, rest := plain(row[0]), restOf(row)
		head := "  " + name
		if n := utf8.RuneCountInString(name); n > first || rest == "" {
			writeFilled(b, "  ", "  ", name, width)
			head = ""
		} else {
			head += strings.Repeat(" ", first-n)
		}
		if rest == "" {
			continue
		}
		if head == "" {
			head = indent
		} else {
			head += "  "
		}
		writeFilled(b, head, indent, rest, width)
	}
}

// restOf joins the cells after the first.
func restOf(row []string) string {
	var rest []string
	for _, c := range row[1:] {
		if c = plain(c); c != "" {
			rest = append(rest, c)
		}
	}
	return strings.Join(rest, ": ")
}

// writeFilled writes text after a head; further lines begin with an indent.
func writeFilled(b *strings.Builder, head, indent, text string, width int) {
	line, empty := head, true
	for _, word := range strings.Fields(text) {
		switch {
		case empty:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			b.WriteString(line + "\n")
			line = indent + word
		default:
			line += " " + word
		}
		empty = false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
