package report

import (
	"bytes"
	"cmp"
	"strings"
)

// leastColumn is the least width the last column of a reference is wrapped to,
// longestRule the length of the rule below its heads where there is no terminal.
const (
	leastColumn = 20
	longestRule = 100
)

// AppendReference appends rows of text below their heads. On a terminal the last column
// is wrapped, or moves below the others when too little is left for it. Elsewhere,
// where width is 0, each row is one line, for grep.
func AppendReference(dst []byte, heads []string, rows [][]string, width int) []byte {
	t := &table{rule: cmp.Or(width, longestRule), rows: make([][]cell, len(rows))}
	for _, h := range heads {
		t.cols = append(t.cols, column{head: h, left: true})
	}
	for i, row := range rows {
		t.rows[i] = plainCells(row)
		last := &t.rows[i][len(row)-1]
		last.text = strings.TrimRight(last.text, " ")
	}
	if width == 0 {
		return t.append(dst)
	}
	left := width - t.bytesBeforeLast()
	if left < leastColumn {
		return t.appendStacked(dst, width)
	}
	t.wrapLast(left)
	return t.append(dst)
}

// bytesBeforeLast is how many columns all but the last may take.
func (t *table) bytesBeforeLast() (n int) {
	for i := range len(t.cols) - 1 {
		most := len(t.cols[i].head)
		for _, row := range t.rows {
			most = max(most, len(row[i].text))
		}
		n += most + len(columnGap)
	}
	return n
}

// wrapLast breaks the text of the last column into rows that have nothing else.
func (t *table) wrapLast(width int) {
	var rows [][]cell
	last := len(t.cols) - 1
	for _, row := range t.rows {
		for _, line := range wrapWords(row[last].text, width) {
			row[last].text = line
			rows = append(rows, row)
			row = make([]cell, len(t.cols))
		}
	}
	t.rows = rows
}

const stackIndent = "    "

// appendStacked puts the last column of each row on lines of its own.
func (t *table) appendStacked(dst []byte, width int) []byte {
	last := len(t.cols) - 1
	short := table{cols: t.cols[:last], rows: make([][]cell, len(t.rows)), rule: t.rule}
	for i, row := range t.rows {
		short.rows[i] = row[:last]
	}
	i := -2 // the heads and the rule come first
	for line := range bytes.Lines(short.append(nil)) {
		dst = append(dst, line...)
		if i >= 0 {
			for _, text := range wrapWords(t.rows[i][last].text, width-len(stackIndent)) {
				dst = append(append(dst, strings.TrimRight(stackIndent+text, " ")...), '\n')
			}
		}
		i++
	}
	return dst
}
