package capfilter

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// errorWidth is how many characters of a long expression an error shows.
const errorWidth = 160

// A SyntaxError says why an expression can't be compiled, and where. The place
// always lies inside the expression.
type SyntaxError struct {
	Expr    string // the whole expression
	Column  int    // first character in question, from 1
	Width   int    // characters in question, at least 1
	Message string // "there is no port 70000"
}

// Error gives the message and, below it, what Render gives.
func (e *SyntaxError) Error() string { return e.Message + "\n" + e.Render() }

// Render gives two lines: the expression and, under the place, "^~~~". Control
// characters become spaces, and of a long expression the surroundings are shown.
func (e *SyntaxError) Render() string {
	runes := []rune(strings.Map(printable, e.Expr))
	from := max(0, min(e.Column-1-errorWidth/2, len(runes)-errorWidth))
	to := min(len(runes), from+errorWidth)
	width := min(e.Width, to-e.Column+1)
	return fmt.Sprintf("  %s\n  %s^%s", string(runes[from:to]),
		strings.Repeat(" ", max(0, e.Column-1-from)), strings.Repeat("~", max(0, width-1)))
}

// printable keeps an expression to one line of one column a character, as far
// as that can be told without tables of widths.
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

// A fault is the first thing found wrong; what comes later is not kept.
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

// err turns a fault into a SyntaxError, with characters for bytes.
func (f *fault) err(expr string) error {
	if !f.set {
		return nil
	}
	all := utf8.RuneCountInString(expr)
	column := max(1, min(all, utf8.RuneCountInString(expr[:f.at.start])+1))
	width := utf8.RuneCountInString(expr[f.at.start:f.at.end])
	return &SyntaxError{expr, column, max(1, min(width, all-column+1)), f.message}
}
