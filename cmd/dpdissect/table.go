package main

import (
	"bytes"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// appendTable appends rows below their heads. The last column is wrapped to the
// width of the terminal, 0 being none: then each row is one line, for grep.
func appendTable(dst []byte, head []string, rows [][]string, width int) []byte {
	var b bytes.Buffer
	t := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone, Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}, Lines: tw.Lines{ShowHeaderLine: tw.On}},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAlignment(tw.AlignLeft),
		tablewriter.WithRowAlignment(tw.AlignLeft),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithPadding(tw.Padding{Right: "  ", Overwrite: true}),
		tablewriter.WithTrimSpace(tw.Off),
	)
	t.Header(head)
	must(t.Bulk(wrapLast(head, rows, width)))
	must(t.Render())
	for line := range strings.Lines(b.String()) {
		dst = append(append(dst, strings.TrimRight(cutRule(line), " \n")...), '\n')
	}
	return dst
}

// cutRule keeps the rule below the heads from being as long as the longest line.
func cutRule(line string) string {
	if runes := []rune(line); runes[0] == '─' {
		return string(runes[:min(len(runes), longestRule)])
	}
	return line
}

const longestRule = 100

// leastColumn is the least width the last column is wrapped to.
const leastColumn = 24

// wrapLast breaks the last column at words.
func wrapLast(head []string, rows [][]string, width int) [][]string {
	if width == 0 {
		return rows
	}
	last := len(head) - 1
	for i := range last {
		column := len(head[i])
		for _, r := range rows {
			column = max(column, len(r[i]))
		}
		width -= column + len("  ")
	}
	for _, r := range rows {
		r[last] = wrap(r[last], max(leastColumn, width-len("  ")))
	}
	return rows
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
