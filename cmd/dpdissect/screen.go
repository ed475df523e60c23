package main

import (
	"os"

	"github.com/fatih/color"
	"golang.org/x/term"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// A screen is what is known of where the output goes.
type screen struct {
	terminal bool
	width    int // columns of the terminal, 0 when there is none
	palette  render.Palette
}

func newScreen(out *os.File, mode string) screen {
	var s screen
	if term.IsTerminal(int(out.Fd())) {
		s.terminal = true
		s.width, _, _ = term.GetSize(int(out.Fd()))
	}
	if colored(mode, out) {
		s.palette = render.ANSI()
	}
	return s
}

// colored decides on colour. Without a word of the user's it is for terminals
// only, and neither for dumb ones nor where NO_COLOR is set.
func colored(mode string, out *os.File) bool {
	if mode == "auto" {
		return out == os.Stdout && !color.NoColor
	}
	return mode == "always"
}
