package tracegen

import (
	"bytes"
	"errors"
	"hash/fnv"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A Scenario is one trace with one outcome.
type Scenario struct {
	Proto  string // folder below the output
	Name   string
	Clause string // where the text says it
	Proves string // what a reader that gets it right has shown
	Expect string // the outcome
	Seed   uint64 // 0: of the name
	Setup  Setup
	Play   func(t *Trace)
}

// Scenarios is every trace that is kept with the project: a line a protocol.
func Scenarios() []Scenario {
	return slices.Concat(
		of("dp8", dp8Scenarios()),
		of("dp4", dp4Scenarios()),
		of("hazel", hazelScenarios()),
		of("knet", knetScenarios()),
	)
}

// of puts scenarios into the folder of their protocol.
func of(proto string, all []Scenario) []Scenario {
	for i := range all {
		s := &all[i]
		s.Proto = proto
		s.Seed = seedOf(s.Name, s.Seed)
	}
	return all
}

// seedOf is the seed given, or one of the name, so that a new scenario leaves the
// others as they are.
func seedOf(name string, seed uint64) uint64 {
	if seed != 0 {
		return seed
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

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
	if err := s.play(t, w); err != nil {
		return nil, err
	}
	return t.truthWatch.report(s, t), nil
}

func (s *Scenario) play(t *Trace, w io.Writer) error {
	out, err := t.record(w)
	if err != nil {
		return err
	}
	s.Play(t)
	t.Net.Clock.Run(limit, nil)
	return errors.Join(t.failed, out.Flush())
}

// Tampered writes the capture file of the scenario with endpoints whose datagrams
// pass through tamper, and gives the packets it marked as faults. Of what such
// endpoints do no truth is told.
func (s *Scenario) Tampered(w io.Writer, tamper func(*sim.Datagram) []sim.Tampered) (faults []int, err error) {
	t := newTrace(s.Setup, s.Seed)
	t.Net.Tamper = tamper
	err = s.play(t, w)
	return t.Net.Faults, err
}

// File is the capture's path below the output folder.
func (s *Scenario) File() string { return filepath.Join(s.Proto, s.Name+"."+s.Setup.format()) }

// TruthFile is the path of the truth.
func (s *Scenario) TruthFile() string { return filepath.Join(s.Proto, s.Name+".truth.json") }
