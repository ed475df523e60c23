package terminal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// AppendReference appends rows of text below their heads, each in one line. Columns leave
// and texts are cut, as in AppendTable, where the width asks for that; 0 is DefaultWidth.
func AppendReference(dst []byte, cols []Column, rows [][]string, width int) []byte {
	width = cmp.Or(max(width, 0), DefaultWidth)
	t := &Table{Cols: slices.Clone(cols), Rule: width, Rows: make([][]Cell, len(rows))}
	for i := range t.Cols {
		t.Cols[i].Left = true
	}
	for i, row := range rows {
		t.Rows[i] = Cells(row)
		last := &t.Rows[i][len(row)-1]
		last.Text = strings.TrimRight(last.Text, " ")
	}
	t.Fit(width)
	return t.Append(dst)
}

// AppendTable appends a table that is at most so many columns of text wide if its
// columns of rank 0 allow that; every row has a cell for each column.
func AppendTable(dst []byte, palette render.Palette, cols []Column, rows [][]Cell, width int) []byte {
	t := (&Painter{palette}).Table(cols)
	for _, row := range rows {
		t.Rows = append(t.Rows, slices.Clone(row))
	}
	t.Fit(cmp.Or(max(width, 0), DefaultWidth))
	return t.appendShort(t.plain(dst))
}
