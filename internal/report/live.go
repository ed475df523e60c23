package report

import (
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// What follows is for views of a run that still goes on, so that they look like the
// analysis at its end.

// A Cell is text in one style; a Dim one says that there is nothing to see.
type Cell struct {
	Text  string // harmless for a terminal
	Style render.Style
	Dim   bool
}

// A Column of a table. Those of high Rank leave first when room is short, those of
// rank 0 stay; a Rare one leaves when all of it is dim. Where Least is not 0, texts may be
// cut to so many columns: Whole says where they stand whole, "'rules show ID' has it".
type Column struct {
	Head       string
	Left, Rare bool // aligned to the left
	Rank       int
	Least      int
	Whole      string
}

func (c *Column) inner() column {
	return column{head: c.Head, left: c.Left, rare: c.Rare, rank: c.Rank, least: c.Least, whole: c.Whole}
}

// AppendTable appends a table that is at most so many columns of text wide if its
// columns of rank 0 allow that; every row has a cell for each column.
func AppendTable(dst []byte, palette render.Palette, cols []Column, rows [][]Cell, width int) []byte {
	t := table{head: palette.Heading, faint: palette.Derived, cols: make([]column, len(cols)), rows: make([][]cell, len(rows))}
	for i := range cols {
		t.cols[i] = cols[i].inner()
	}
	for i, row := range rows {
		t.rows[i] = make([]cell, len(row))
		for k, c := range row {
			t.rows[i][k] = cell{c.Text, c.Style, c.Dim}
		}
	}
	if width <= 0 {
		width = DefaultWidth
	}
	t.fit(width)
	return t.appendShort(t.plain(dst))
}

// A Pair is a number of both directions, a → b first.
type Pair struct {
	Label string
	Sides [2]Cell
}

// AppendPairs appends blocks of numbers in two columns each, side by side where the
// width allows that and one below the other elsewhere.
func AppendPairs(dst []byte, palette render.Palette, width int, blocks ...[]Pair) []byte {
	p := &painter{Palette: palette}
	inner := make([][]pair, len(blocks))
	for i, b := range blocks {
		for _, x := range b {
			row := pair{label: x.Label}
			for s, c := range x.Sides {
				row.sides[s] = cell{c.Text, c.Style, c.Dim}
			}
			inner[i] = append(inner[i], row)
		}
	}
	return p.appendPanels(dst, width, inner...)
}

// Size is a number of bytes for people: "812 B", "1.23 MB".
func Size(n uint64) string { return size(n) }

// Millis is a duration in ns for people, always in ms.
func Millis(ns int64) string { return millis(ns) }

// Span is a duration in ns for people: "850 ms", "62.4 s", "1h03m12s".
func Span(ns int64) string { return span(ns) }

// Counted is a number with its noun: "1 packet", "2 packets".
func Counted(n uint64, noun string) string { return counted(n, noun) }

// Escaped makes text harmless for a terminal.
func Escaped(s string) string { return escaped(s) }

// ProtocolName is "dp8 1.6", "knet reference".
func ProtocolName(c *session.Conn) string { return protocolName(c) }

// SeverityNoun is what findings are counted as: "error", "warning", "note".
func SeverityNoun(s conform.Severity) string { return severityNoun(s) }

// WhyNow is what ended a connection, as far as a run that goes on can tell, in two or three
// words: "" where its state says as much, or nothing is known. heard is the time, in ns since
// 1970, up to which packets came.
func WhyNow(c *session.Conn, heard int64) string {
	x, ok := explain.Now(c, heard)
	switch cause := x.Verdict.Cause; {
	case !ok, cause == explain.StillOpen, cause == explain.Closed, cause == explain.Refused, cause == explain.Reset, cause == explain.Undecided:
		return ""
	}
	return x.Verdict.Why()
}
