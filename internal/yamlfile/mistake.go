package yamlfile

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// A Mistake is what is wrong with a file, and where.
type Mistake struct {
	File    string
	Line    int // from 1
	Column  int // first rune in question, from 1
	Length  int // runes in question
	Text    string
	Message string
}

// Error gives "FILE:LINE:COLUMN: message", the line, and under the place "^~~~".
func (m *Mistake) Error() string {
	head := fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, m.Message)
	if marks := m.Render(); marks != "" {
		return head + "\n" + marks
	}
	return head
}

// Render gives the line and the mark below it, "" where there is no line.
func (m *Mistake) Render() string {
	n := utf8.RuneCountInString(m.Text)
	if n == 0 {
		return ""
	}
	column := min(m.Column, n)
	e := syntax.Error{Expr: m.Text, Column: column, Length: max(1, min(m.Length, n-column+1))}
	return e.Render()
}

// Lines are a file, line by line.
type Lines []string

// SplitLines takes a file apart.
func SplitLines(text []byte) Lines {
	return strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
}

// Line gives a line, from 1, "" where there is none.
func (l Lines) Line(n int) string {
	if n < 1 || n > len(l) {
		return ""
	}
	return l[n-1]
}
