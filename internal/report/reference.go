package report

import (
	"cmp"
	"strings"
)

// AppendReference appends rows of text below their heads, each in one line. Columns leave
// and texts are cut, as in AppendTable, where the width asks for that; 0 is DefaultWidth.
func AppendReference(dst []byte, cols []Column, rows [][]string, width int) []byte {
	width = cmp.Or(max(width, 0), DefaultWidth)
	t := &table{rule: width, rows: make([][]cell, len(rows))}
	for i := range cols {
		c := cols[i].inner()
		c.left = true
		t.cols = append(t.cols, c)
	}
	for i, row := range rows {
		t.rows[i] = plainCells(row)
		last := &t.rows[i][len(row)-1]
		last.text = strings.TrimRight(last.text, " ")
	}
	t.fit(width)
	return t.append(dst)
}
