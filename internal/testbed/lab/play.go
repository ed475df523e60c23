package lab

import (
	"bytes"
	"fmt"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// capture makes the capture file of a mutant.
func (m *Mutant) capture() (file []byte, faults []int, err error) {
	s, err := m.scenario()
	if err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	faults, err = s.Tampered(&out, m.tamper())
	return out.Bytes(), faults, err
}

// scenario is what the mutant plays.
func (m *Mutant) scenario() (*tracegen.Scenario, error) {
	switch {
	case m.Steps != nil:
		return m.script(), nil
	case m.Scenario != nil:
		return m.Scenario, nil
	}
	for _, s := range tracegen.Scenarios() {
		if s.Proto+"/"+s.Name == m.On {
			return &s, nil
		}
	}
	return nil, fmt.Errorf("%s %s: no scenario %q", m.Rule, m.Name, m.On)
}

// script is a scenario that sends the steps.
func (m *Mutant) script() *tracegen.Scenario {
	path := sim.Path{Near: sim.Segment{Delay: 10 * time.Millisecond}, Far: sim.Segment{Delay: 10 * time.Millisecond}}
	s := &tracegen.Scenario{Proto: m.proto(), Name: "script", Seed: 1,
		Setup: tracegen.Setup{Paths: [2]sim.Path{path, path}, HideState: true}}
	s.Play = func(t *tracegen.Trace) {
		at := time.Duration(0)
		for i, step := range m.Steps {
			at += step.After
			t.At(at, func() {
				t.Net.Send(&sim.Datagram{From: t.Hosts[step.From], To: t.Hosts[step.From.Other()], Payload: step.Payload, Note: note.New(nil, int(step.From), fmt.Sprint(i))})
			})
		}
	}
	return s
}

// recite marks the faulty steps; steps are sent in their order.
func (m *Mutant) recite() func(*sim.Datagram) []sim.Tampered {
	next := 0
	return func(d *sim.Datagram) []sim.Tampered {
		fault := m.Steps[next].Fault
		next++
		return []sim.Tampered{{Payload: d.Payload, Fault: fault}}
	}
}

// tamper is what stands between the mutant's hosts and the network.
func (m *Mutant) tamper() func(*sim.Datagram) []sim.Tampered {
	switch {
	case m.Steps != nil:
		return m.recite()
	case m.Tamper != nil:
		return m.Tamper()
	}
	return sim.Untouched
}
