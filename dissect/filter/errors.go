package filter

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// renderWidth is how many runes of a long expression Render shows.
const renderWidth = 160

// An Error says what is wrong with an expression, and where. The place always
// lies inside the expression.
type Error struct {
	Expr    string // the whole expression
	Column  int    // first rune in question, from 1
	Length  int    // runes in question, at least 1
	Message string // "unknown field dp8.sq (did you mean dp8.seq?)"
}

// Error gives the message and, below it, what Render gives.
func (e *Error) Error() string { return e.Message + "\n" + e.Render() }

// Render gives two lines: the expression and, under the place, "^~~~". Control
// characters become spaces, and of a long expression the surroundings are shown.
func (e *Error) Render() string {
	runes := []rune(strings.Map(printable, e.Expr))
	from, to := e.window(len(runes))
	length := min(e.Length, to-e.Column+1)
	return fmt.Sprintf("  %s\n  %s^%s", string(runes[from:to]),
		strings.Repeat(" ", e.Column-1-from), strings.Repeat("~", max(0, length-1)))
}

// window gives the range of n runes to show.
func (e *Error) window(n int) (from, to int) {
	from = max(0, min(e.Column-1-renderWidth/2, n-renderWidth))
	return from, min(n, from+renderWidth)
}

// printable keeps an expression to one line of one column a rune, as far as
// that can be told without tables of widths.
func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r):
		return utf8.RuneError
	}
	return r
}

// A span is a range of bytes of the expression.
type span struct{ start, end int }

// to is the span from s to the end of t.
func (s span) to(t span) span { return span{s.start, t.end} }

// A fault is the first thing found wrong; like dissect.Reader's it sticks.
type fault struct {
	set     bool
	at      span
	message string
}

// fail records a fault unless there is one.
func (f *fault) fail(at span, format string, args ...any) {
	if !f.set {
		*f = fault{true, at, fmt.Sprintf(format, args...)}
	}
}

// err turns a fault into an Error with runes for bytes.
func (f *fault) err(expr string) error {
	if !f.set {
		return nil
	}
	all := utf8.RuneCountInString(expr)
	column := min(all, utf8.RuneCountInString(expr[:f.at.start])+1)
	length := utf8.RuneCountInString(expr[f.at.start:f.at.end])
	return &Error{expr, column, max(1, min(length, all-column+1)), f.message}
}
