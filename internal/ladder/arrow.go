package ladder

import (
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session/seq"
)

// arrow draws what goes from one lifeline to the other, as wide as the space between them.
func (t *textWriter) arrow(r *Row) string {
	head := t.right
	if r.From == 1 {
		head = t.left
	}
	var parts []string // as from a; those of b stand in the other order
	switch {
	case r.Kind == Run:
		parts = t.whole(r, t.double, head)
	case r.Lost == seq.BeforeCapture:
		parts = t.brokenBefore(r)
	case r.Lost == seq.AfterCapture:
		parts = t.brokenAfter(r)
	case r.Lost == seq.NotCaptured:
		parts = t.whole(r, t.dash, head)
	default:
		parts = t.whole(r, t.shaft, head)
	}
	if r.From == 1 {
		slices.Reverse(parts)
	}
	return strings.Join(parts, "")
}

// label is that of a row, in so many columns at most, and how many it takes.
func (t *textWriter) label(r *Row, width int) (string, int) {
	s := clip(escaped(r.Label), max(1, width), t.more)
	return s, terminal.Width(s)
}

// whole is an arrow that arrives: "─ label ─────→".
func (t *textWriter) whole(r *Row, line, head string) []string {
	s, n := t.label(r, t.width-5)
	return []string{line, " ", s, " ", strings.Repeat(line, t.width-4-n), head}
}

// brokenBefore is one that ends before the capture point, which is in the middle.
func (t *textWriter) brokenBefore(r *Row) []string {
	half := t.width / 2
	s, n := t.label(r, half-6)
	end := max(half/2-3-n, 1)
	return []string{t.shaft, " ", s, " ", strings.Repeat(t.shaft, end), styled(t.palette.Error, t.broken),
		strings.Repeat(" ", half-4-n-end), t.point, strings.Repeat(" ", t.width-half-1)}
}

// brokenAfter is one that passes the capture point and ends after it.
func (t *textWriter) brokenAfter(r *Row) []string {
	half := t.width / 2
	s, n := t.label(r, half-4)
	beyond := (t.width - half) / 2
	return []string{t.shaft, " ", s, " ", strings.Repeat(t.shaft, half-3-n), t.point,
		strings.Repeat(t.shaft, beyond), styled(t.palette.Error, t.broken), strings.Repeat(" ", t.width-half-2-beyond)}
}
