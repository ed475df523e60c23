package liveview

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/dpdissect/dpdissect/internal/sampler"
)

// Options say how Run shows snapshots.
type Options struct {
	Color bool
}

var errNoTerminal = errors.New("the live table wants a terminal, and there is none in the browser")

// OpenTerminal is an error: a browser has no terminal.
func OpenTerminal() (in, out *os.File, err error) { return nil, nil, errNoTerminal }

// Run is an error: a browser has no terminal.
func Run(context.Context, io.Reader, io.Writer, <-chan *sampler.Snapshot, Options) error {
	return errNoTerminal
}
