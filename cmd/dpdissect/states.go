package main

import (
	"fmt"
	"io"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/piecewise"
)

// newPieces are the flags of a command that takes a capture piece by piece.
func newPieces(command string) *piecewise.Pieces {
	return &piecewise.Pieces{Command: command, Usage: exit.Usagef, Waits: command == "tables"}
}

// stateOptions are the options that count for a state; more are those of the command.
func (in *input) stateOptions(more any) (o piecewise.Options, err error) {
	o = piecewise.Options{Protocols: in.Only, DecodeAs: in.DecodeAs, Filter: in.Filter, More: more}
	if in.Bytecode != "" {
		b, err := inputs.ReadBounded(in.Bytecode, maxRules)
		if err != nil {
			return o, err
		}
		o.Bytecode = string(b)
	}
	o.Secrets, err = in.AllSecrets()
	return o, err
}

// beginPieces reads the head of --state-in, and gives its body and how much memory that may take.
func (in *input) beginPieces(more any) (body []byte, most int64, err error) {
	o, err := in.stateOptions(more)
	if err != nil {
		return nil, 0, err
	}
	return in.pieces.Begin(o)
}

// finishPieces writes the state once the job has ended with an error, or none, and tells what is
// wrong with the one it began from.
func (in *input) finishPieces(j *job, err error) error {
	if e := in.pieces.Finish(j.run.Source, err != nil && !exit.Told(err)); e != nil {
		err = e
	}
	if n := in.pieces.Note(); n != "" {
		fmt.Fprintln(j.stderr, "dpdissect: "+printable(n))
	}
	return in.tellState(err, j.stderr)
}

// tellState says on stderr what is wrong with a state, and gives the error that stands for it.
func (in *input) tellState(err error, stderr io.Writer) error {
	if text, is := in.pieces.Wrong(err); is {
		fmt.Fprintln(stderr, "dpdissect: "+printable(text))
		return exit.ErrInput
	}
	return err
}
