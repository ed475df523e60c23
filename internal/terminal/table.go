package terminal

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

// ColumnGap is what stands between two columns.
const ColumnGap = "  "

// narrow says how columns of the screen are counted: what East Asian terminals may show
// in one column or two, as arrows and lines, takes one. tablewriter would ask the locale.
var narrow = twwidth.Options{}

// Width counts the columns of the screen that text takes: wide characters take two,
// combining ones and escape sequences none.
func Width(s string) int {
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

// A Cell is text in one style; dim cells say that there is nothing to see.
type Cell struct {
	Text  string // harmless for a terminal
	Style render.Style
	Dim   bool
}

// Width is that of its text.
func (c *Cell) Width() int { return Width(c.Text) }

func (c *Cell) styled() string {
	if c.Text == "" {
		return ""
	}
	return c.Style.Start + c.Text + c.Style.Stop
}

// A Column of a table.
type Column struct {
	Head  string
	Left  bool   // aligned to the left
	Rare  bool   // leaves when all of it is dim, even if there is room
	Rank  int    // those of high rank leave first when room is short, those of rank 0 stay
	Least int    // its text may be cut to so many columns; 0: never
	Wraps bool   // its text goes on in further lines where it would be cut
	Ends  bool   // what is cut keeps both of its ends
	Whole string // where texts stand whole that are truncated: "'dpdissect rules show ID' has"
}

// A Table of text, to which rows are added before it is fitted into a width.
type Table struct {
	Cols  []Column
	Rows  [][]Cell // as long as Cols
	head  render.Style
	faint render.Style // of the line that names what was left out
	Rule  int          // most columns of the rule below the heads, which passes the last column by a gap then; 0: it ends with the table
	Short Shortage
}

// Table is an empty table with these columns.
func (p *Painter) Table(cols []Column) *Table {
	return &Table{Cols: slices.Clone(cols), head: p.Heading, faint: p.Derived}
}

func (t *Table) widths() []int {
	w := make([]int, len(t.Cols))
	for i := range t.Cols {
		w[i] = Width(t.Cols[i].Head)
	}
	for _, row := range t.Rows {
		for i := range row {
			w[i] = max(w[i], row[i].Width())
		}
	}
	return w
}

// Width is how wide the table is where nothing is left out.
func (t *Table) Width() int {
	n := -len(ColumnGap)
	for _, w := range t.widths() {
		n += w + len(ColumnGap)
	}
	return n
}

// Append appends the table, without any space at the end of a line, and below it what
// was left out.
func (t *Table) Append(dst []byte) []byte {
	if len(t.Rows) <= prettyRows {
		if out, err := t.pretty(); err == nil {
			return t.appendShort(append(dst, out...))
		}
	}
	return t.appendShort(t.plain(dst))
}

// plain lays the table out by itself.
func (t *Table) plain(dst []byte) []byte {
	w := t.widths()
	heads := make([]Cell, len(t.Cols))
	rule := -len(ColumnGap)
	for i := range t.Cols {
		heads[i] = Cell{Text: t.Cols[i].Head, Style: t.head}
		rule += w[i] + len(ColumnGap)
	}
	if t.Rule > 0 {
		rule = min(rule+len(ColumnGap), t.Rule)
	}
	dst = t.plainRow(dst, heads, w)
	dst = append(append(dst, strings.Repeat("─", rule)...), '\n')
	for _, row := range t.Rows {
		dst = t.plainRow(dst, row, w)
	}
	return dst
}

func (t *Table) plainRow(dst []byte, row []Cell, w []int) []byte {
	pending := 0 // spaces that are written when something follows
	for i := range row {
		space := w[i] - row[i].Width()
		if !t.Cols[i].Left {
			pending += space
			space = 0
		}
		if row[i].Text != "" {
			dst = AppendSpaces(dst, pending)
			pending = 0
			dst = append(append(append(dst, row[i].Style.Start...), row[i].Text...), row[i].Style.Stop...)
		} else {
			space += row[i].Width()
		}
		pending += space + len(ColumnGap)
	}
	return append(dst, '\n')
}

func AppendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// pretty lays the table out with tablewriter.
func (t *Table) pretty() ([]byte, error) {
	twwidth.SetOptions(narrow)
	var buf bytes.Buffer
	out := tablewriter.NewTable(&buf, t.options()...)
	heads := make([]string, len(t.Cols))
	for i := range t.Cols {
		heads[i] = (&Cell{Text: t.Cols[i].Head, Style: t.head}).styled()
	}
	out.Header(heads)
	for _, row := range t.Rows {
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
		text = bytes.ReplaceAll(text, []byte(ColumnGap+t.head.Stop), []byte(ColumnGap))
	}
	return t.trimLines(text), nil
}

func (t *Table) options() []tablewriter.Option {
	aligns, pads := make([]tw.Align, len(t.Cols)), make([]tw.Padding, len(t.Cols))
	for i := range t.Cols {
		aligns[i], pads[i] = tw.AlignRight, tw.Padding{Right: ColumnGap, Overwrite: true}
		if t.Cols[i].Left {
			aligns[i] = tw.AlignLeft
		}
	}
	if t.Rule == 0 {
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
func (t *Table) trimLines(text []byte) []byte {
	out, i := text[:0], 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \n")
		if i == 1 && t.Rule > 0 {
			line = line[:min(len(line), t.Rule*len("─"))]
		}
		out = append(append(out, line...), '\n')
		i++
	}
	return out
}
