package main

import (
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// appendTable appends rows below their heads. On a terminal the last column is
// wrapped, or moves below the others when too little is left for it. Elsewhere,
// where width is 0, each row is one line, for grep.
func appendTable(dst []byte, head []string, rows [][]string, width int) []byte {
	if width == 0 {
		return appendLines(dst, renderTable(head, rows), longestRule)
	}
	last := len(head) - 1
	left := width - widthOf(head, rows)
	if left < leastColumn {
		return appendStacked(dst, head, rows, width)
	}
	for _, r := range rows {
		r[last] = wrap(r[last], left)
	}
	return appendLines(dst, renderTable(head, rows), width)
}

// leastColumn is the least width the last column is wrapped to, longestRule the
// length of the rule below the heads of a table that is not on a terminal.
const (
	leastColumn = 20
	longestRule = 100
)

// columnGap separates columns.
const columnGap = "  "

// widthOf is the width of all columns but the last.
func widthOf(head []string, rows [][]string) (width int) {
	for i := range len(head) - 1 {
		column := len(head[i])
		for _, r := range rows {
			column = max(column, len(r[i]))
		}
		width += column + len(columnGap)
	}
	return width
}

// appendStacked puts the last column of each row on lines of its own.
func appendStacked(dst []byte, head []string, rows [][]string, width int) []byte {
	last := len(head) - 1
	short := make([][]string, len(rows))
	for i, r := range rows {
		short[i] = r[:last]
	}
	i := -2 // the heads and the rule come first
	for line := range strings.Lines(renderTable(head[:last], short)) {
		dst = appendLines(dst, line, width)
		if i >= 0 {
			text := wrap(rows[i][last], width-len(stackIndent))
			dst = appendLines(dst, stackIndent+strings.ReplaceAll(text, "\n", "\n"+stackIndent)+"\n", width)
		}
		i++
	}
	return dst
}

const stackIndent = "    "

func renderTable(head []string, rows [][]string) string {
	var b strings.Builder
	t := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone, Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}, Lines: tw.Lines{ShowHeaderLine: tw.On}},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAlignment(tw.AlignLeft),
		tablewriter.WithRowAlignment(tw.AlignLeft),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithPadding(tw.Padding{Right: columnGap, Overwrite: true}),
		tablewriter.WithTrimSpace(tw.Off),
	)
	t.Header(head)
	must(t.Bulk(rows))
	must(t.Render())
	return b.String()
}

// appendLines appends lines without spaces at their ends. The rule below the
// heads, which is as long as the longest line, is cut to a length.
func appendLines(dst []byte, lines string, rule int) []byte {
	for line := range strings.Lines(lines) {
		line = strings.TrimRight(line, " \n")
		if runes := []rune(line); len(runes) > rule && runes[0] == '─' {
			line = string(runes[:rule])
		}
		dst = append(append(dst, line...), '\n')
	}
	return dst
}

// wrap breaks text at words so that lines have at most width bytes, longer words
// excepted.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
