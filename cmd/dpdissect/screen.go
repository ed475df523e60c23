package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// A screen is what is known of where the output goes.
type screen struct {
	terminal bool
	width    int            // columns of text, 0 where nobody said: see textWidth
	palette  render.Palette // the zero Palette where there is no colour
}

func newScreen(out *os.File, mode string) screen {
	s := screen{terminal: isTerminal(out), width: textWidth(out)}
	if colored(mode, out) {
		s.palette = terminal.Colours()
	}
	return s
}

// colored decides on colour. Without a word of the user's it is for terminals
// only, and neither for dumb ones nor where NO_COLOR is set.
func colored(mode string, out *os.File) bool {
	if mode == "auto" {
		return out == os.Stdout && terminal.ColoursWelcome()
	}
	return mode == "always"
}

// colored reports whether there is colour.
func (s *screen) colored() bool { return s.palette != render.Palette{} }

// isTerminal reports whether somebody looks at what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// textWidth is how wide text is to be: as COLUMNS says, else as wide as the terminal. 0 is
// a pipe or a file of which nothing was said: there tables have their usual width, and
// lines of text end where they end, for other programs.
func textWidth(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return columnsOf(w)
}

// rowsOf gives the height of a terminal in lines, 0 where there is none.
func rowsOf(f *os.File) int {
	_, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return height
}

// columnsOf is how wide a terminal is, 0 where there is none.
func columnsOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(f) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}
