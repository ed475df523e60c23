package report

import (
	"bytes"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// prettyRows is the number of rows that go through tablewriter. It takes 40 µs for one of
// these rows, so longer tables are laid out here, in 3 µs and to the same bytes.
const prettyRows = 100

const columnGap = "  "

// narrow says how columns of the screen are counted: what East Asian terminals may show
// in one column or two, as arrows and lines, takes one. tablewriter would ask the locale.
var narrow = twwidth.Options{}

// TextWidth is how many columns of the screen text takes: wide characters take two,
// combining ones and escape sequences none.
func TextWidth(s string) int {
	n := 0
	for _, r := range s {
		if !plainRune(r) {
			return twwidth.WidthWithOptions(s, narrow)
		}
		n++
	}
	return n
}

// plainRune reports a character that takes one column whatever stands beside it: most of
// what tables hold. The others are looked up, which takes longer.
func plainRune(r rune) bool {
	return r >= ' ' && r < 0x7f || r >= 0xa1 && r < 0x300 && r != 0xad || r >= 0x2010 && r < 0x2028 || r >= 0x2190 && r < 0x2194 || r >= 0x2500 && r < 0x2580
}

// A cell is text in one style; dim cells say that there is nothing to see.
type cell struct {
	text  string
	style render.Style
	dim   bool
}

func (c *cell) width() int { return TextWidth(c.text) }

func (c *cell) styled() string {
	if c.text == "" {
		return ""
	}
	return c.style.Start + c.text + c.style.Stop
}

// A column has a rank: those of high rank leave first when room is short, those
// of rank 0 stay.
type column struct {
	head  string
	left  bool // aligned to the left
	rare  bool // leaves when all of it is dim, even if there is room
	rank  int
	least int    // its text may be cut to so many columns; 0: never
	wraps bool   // its text goes on in further lines where it would be cut
	ends  bool   // what is cut keeps both of its ends
	whole string // where texts stand whole that are truncated: "'dpdissect rules show ID' has"
}

type table struct {
	cols  []column
	rows  [][]cell // as long as cols
	head  render.Style
	faint render.Style // of the line that names what was left out
	rule  int          // most columns of the rule below the heads, which passes the last column by a gap then; 0: it ends with the table
	short shortage
}

// table is an empty table with these columns.
func (p *painter) table(cols []column) *table {
	return &table{cols: slices.Clone(cols), head: p.Heading, faint: p.Derived}
}

func (t *table) widths() []int {
	w := make([]int, len(t.cols))
	for i := range t.cols {
		w[i] = TextWidth(t.cols[i].head)
	}
	for _, row := range t.rows {
		for i := range row {
			w[i] = max(w[i], row[i].width())
		}
	}
	return w
}

// append appends the table, without any space at the end of a line, and below it what
// was left out.
func (t *table) append(dst []byte) []byte {
	if len(t.rows) <= prettyRows {
		if out, err := t.pretty(); err == nil {
			return t.appendShort(append(dst, out...))
		}
	}
	return t.appendShort(t.plain(dst))
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
	twwidth.SetOptions(narrow)
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
	if t.head.Stop != "" { // tablewriter ends the colour of a cell once more, after its padding
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
