package capfilter

import (
	"fmt"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect/filter"
)

// A SyntaxError says why an expression can't be compiled, and where: as display
// filters do.
type SyntaxError = filter.Error

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
	return &SyntaxError{Expr: expr, Column: column, Length: max(1, min(width, all-column+1)), Message: f.message}
}
