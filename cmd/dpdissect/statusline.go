package main

import (
	"fmt"
	"io"
	"strings"
)

// A statusLine is a line on a terminal that is written over again and again. It asks
// nothing of the terminal but to go back to the beginning of the line, and covers with
// spaces what was longer before. A nil one shows nothing.
type statusLine struct {
	w       io.Writer
	columns func() int // of the terminal, 0 when that is not known
	shown   int        // columns that have text
}

// newStatusLine gives nil when w is no terminal.
func newStatusLine(w io.Writer) *statusLine {
	if !isTerminal(w) {
		return nil
	}
	return &statusLine{w: w, columns: func() int { return columnsOf(w) }}
}

// show writes ASCII text over what is there, as much of it as the line has room for.
// The last column stays free: after it some terminals go on in the next line.
func (l *statusLine) show(text string) {
	if l == nil {
		return
	}
	most := max(len(text), l.shown)
	if width := l.columns(); width > 0 {
		most = min(most, width-1)
	}
	text = text[:min(len(text), most)]
	fmt.Fprint(l.w, "\r"+text+strings.Repeat(" ", most-len(text)))
	l.shown = len(text)
}

// clear makes the line empty for what is printed next.
func (l *statusLine) clear() {
	if l == nil || l.shown == 0 {
		return
	}
	l.show("")
	fmt.Fprint(l.w, "\r")
}
