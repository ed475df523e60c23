package tracegen

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"time"
)

// A Scenario is one trace with one outcome.
type Scenario struct {
	Proto  string // folder below the output
	Name   string
	Clause string // where the text says it
	Proves string // what a reader that gets it right has shown
	Expect string // the outcome
	Seed   uint64
	Setup  Setup
	Play   func(t *Trace)
}

// Scenarios is every trace that is kept with the project.
func Scenarios() []Scenario { return dp8Scenarios() }

// limit ends a trace that does not end by itself.
const limit = 30 * time.Minute

// Generate makes the capture file and its truth.
func (s *Scenario) Generate() ([]byte, *Truth, error) {
	var file bytes.Buffer
	truth, err := s.Write(&file)
	return file.Bytes(), truth, err
}

// Write writes the capture file and gives its truth.
func (s *Scenario) Write(w io.Writer) (*Truth, error) {
	t := newTrace(s.Setup, s.Seed)
	out, err := t.record(w)
	if err != nil {
		return nil, err
	}
	s.Play(t)
	t.Net.Clock.Run(limit, nil)
	return t.ledger.report(s, t), errors.Join(t.failed, out.Flush())
}

// File is the capture's path below the output folder.
func (s *Scenario) File() string { return filepath.Join(s.Proto, s.Name+"."+s.Setup.format()) }

// TruthFile is the path of the truth.
func (s *Scenario) TruthFile() string { return filepath.Join(s.Proto, s.Name+".truth.json") }
