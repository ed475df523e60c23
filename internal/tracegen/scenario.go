package tracegen

import (
	"bytes"
	"io"
	"time"

	"github.com/dpdissect/dpdissect/internal/tracegen/sim"
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
	out := sim.NewPcapWriter(w, s.Setup.Tap.Link)
	t.Net.Sink = func(p sim.Packet) {
		t.ledger.packet()
		out.Write(p)
	}
	s.Play(t)
	t.Net.Clock.Run(limit, nil)
	return t.ledger.report(s, t), out.Err
}
