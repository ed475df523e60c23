package syntax

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

// A Span is a range of bytes of the expression.
type Span struct{ Start, End int }

// To is the span from s to the end of t.
func (s Span) To(t Span) Span { return Span{s.Start, t.End} }

// A Fault is the first thing found wrong; like dissect.Reader's error it sticks.
type Fault struct {
	Failed  bool
	at      Span
	message string
}

// Fail records a fault unless there is one.
func (f *Fault) Fail(at Span, format string, args ...any) {
	if !f.Failed {
		*f = Fault{true, at, fmt.Sprintf(format, args...)}
	}
}

// Err gives the *Error of a fault in an expression, whose places are in runes, or nil.
func (f *Fault) Err(expr string) error {
	if !f.Failed {
		return nil
	}
	all := utf8.RuneCountInString(expr)
	column := max(1, min(all, utf8.RuneCountInString(expr[:f.at.Start])+1))
	length := utf8.RuneCountInString(expr[f.at.Start:f.at.End])
	return &Error{expr, column, max(1, min(length, all-column+1)), f.message}
}
