package report

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// prettyRows is how many rows go through tablewriter. It takes 40 µs for one of
// these rows, so longer tables are laid out here, in 3 µs and to the same bytes.
const prettyRows = 100

const columnGap = "  "

// A cell is text in one style; dim cells say that there is nothing to see.
type cell struct {
	text  string
	style render.Style
	dim   bool
}

func (c *cell) width() int { return utf8.RuneCountInString(c.text) }

func (c *cell) styled() string {
	if c.text == "" {
		return ""
	}
	return c.style.Start + c.text + c.style.Stop
}

// A column has a rank: those of high rank leave first when room is short, those
// of rank 0 stay.
type column struct {
	head string
	left bool // aligned to the left
	rare bool // leaves when all of it is dim, even if there is room
	rank int
}

type table struct {
	cols []column
	rows [][]cell // as long as cols
	head render.Style
	rule int // most columns of the rule below the heads, which passes the last column by a gap then; 0: it ends with the table
}

func (t *table) widths() []int {
	w := make([]int, len(t.cols))
	for i := range t.cols {
		w[i] = utf8.RuneCountInString(t.cols[i].head)
	}
	for _, row := range t.rows {
		for i := range row {
			w[i] = max(w[i], row[i].width())
		}
	}
	return w
}

// fit drops columns until the table is as narrow as asked for: first those in
// which all is dim, then all that may go.
func (t *table) fit(width int) {
	w := t.widths()
	total := -len(columnGap)
	for _, n := range w {
		total += n + len(columnGap)
	}
	gone := make([]bool, len(t.cols))
	for i := range t.cols {
		if t.cols[i].rare && t.allDim(i) {
			gone[i] = true
			total -= w[i] + len(columnGap)
		}
	}
	for _, dimOnly := range []bool{true, false} {
		for total > width {
			i := t.leaver(gone, dimOnly)
			if i < 0 {
				break
			}
			gone[i] = true
			total -= w[i] + len(columnGap)
		}
	}
	t.cols = without(t.cols, gone)
	for i := range t.rows {
		t.rows[i] = without(t.rows[i], gone)
	}
}

// leaver is the column to leave next, -1 when none may.
func (t *table) leaver(gone []bool, dimOnly bool) int {
	best := -1
	for i := range t.cols {
		if gone[i] || t.cols[i].rank == 0 || dimOnly && !t.allDim(i) {
			continue
		}
		if best < 0 || t.cols[i].rank > t.cols[best].rank {
			best = i
		}
	}
	return best
}

func (t *table) allDim(i int) bool {
	for _, row := range t.rows {
		if !row[i].dim {
			return false
		}
	}
	return true
}

func without[T any](list []T, gone []bool) []T {
	kept := list[:0]
	for i := range list {
		if !gone[i] {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// append appends the table, without any space at the end of a line.
func (t *table) append(dst []byte) []byte {
	if len(t.rows) <= prettyRows {
		if out, err := t.pretty(); err == nil {
			return append(dst, out...)
		}
	}
	return t.plain(dst)
}

// plain lays the table out by itself.
func (t *table) plain(dst []byte) []byte {
	w := t.widths()
	heads := make([]cell, len(t.cols))
	rule := -len(columnGap)
	for i := range t.cols {
		heads[i] = cell{text: t.cols[i].head, style: t.head}
		rule += w[i] + len(columnGap)
	}
	if t.rule > 0 {
		rule = min(rule+len(columnGap), t.rule)
	}
	dst = t.plainRow(dst, heads, w)
	dst = append(append(dst, strings.Repeat("─", rule)...), '\n')
	for _, row := range t.rows {
		dst = t.plainRow(dst, row, w)
	}
	return dst
}

func (t *table) plainRow(dst []byte, row []cell, w []int) []byte {
	pending := 0 // spaces that are written when something follows
	for i := range row {
		space := w[i] - row[i].width()
		if !t.cols[i].left {
			pending += space
			space = 0
		}
		if row[i].text != "" {
			dst = appendSpaces(dst, pending)
			pending = 0
			dst = append(append(append(dst, row[i].style.Start...), row[i].text...), row[i].style.Stop...)
		} else {
			space += row[i].width()
		}
		pending += space + len(columnGap)
	}
	return append(dst, '\n')
}

func appendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// pretty lays the table out with tablewriter.
func (t *table) pretty() ([]byte, error) {
	var buf bytes.Buffer
	out := tablewriter.NewTable(&buf, t.options()...)
	heads := make([]string, len(t.cols))
	for i := range t.cols {
		heads[i] = (&cell{text: t.cols[i].head, style: t.head}).styled()
	}
	out.Header(heads)
	for _, row := range t.rows {
		line := make([]string, len(row)) // is kept
		for i := range row {
			line[i] = row[i].styled()
		}
		if err := out.Append(line); err != nil {
			return nil, err
		}
	}
	if err := out.Render(); err != nil {
		return nil, err
	}
	text := buf.Bytes()
	if t.head.Stop != "" { // tablewriter ends the colour of a cell once more, behind its padding
		text = bytes.ReplaceAll(text, []byte(columnGap+t.head.Stop), []byte(columnGap))
	}
	return t.trimLines(text), nil
}

func (t *table) options() []tablewriter.Option {
	aligns, pads := make([]tw.Align, len(t.cols)), make([]tw.Padding, len(t.cols))
	for i := range t.cols {
		aligns[i], pads[i] = tw.AlignRight, tw.Padding{Right: columnGap, Overwrite: true}
		if t.cols[i].left {
			aligns[i] = tw.AlignLeft
		}
	}
	if t.rule == 0 {
		pads[len(pads)-1].Right = ""
	}
	return []tablewriter.Option{
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone, Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}, Lines: tw.Lines{ShowHeaderLine: tw.On}},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: aligns}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: aligns}),
		tablewriter.WithHeaderPaddingPerColumn(pads),
		tablewriter.WithRowPaddingPerColumn(pads),
		tablewriter.WithTrimSpace(tw.Off),
	}
}

// trimLines cuts spaces off the ends of lines, and the rule, the second of them, to its
// length.
func (t *table) trimLines(text []byte) []byte {
	out, i := text[:0], 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \n")
		if i == 1 && t.rule > 0 {
			line = line[:min(len(line), t.rule*len("─"))]
		}
		out = append(append(out, line...), '\n')
		i++
	}
	return out
}
