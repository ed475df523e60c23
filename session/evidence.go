package session

import (
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// EvidenceFloor is the least evidence a probe holds: from there a pair that
// turns out to speak the protocol after all still comes back.
const EvidenceFloor = -64

// Evidence is what a probe has found for or against its protocol. Probes embed
// it; a probe that is to explain itself also keeps what the bits were given for.
type Evidence struct {
	Bits  float64
	tally *[]Reason
}

// A Reason is one kind of evidence: what was seen, how often, and the bits it
// gave together.
type Reason struct {
	What  string
	Times int
	Bits  float64
}

// Add enters evidence of a kind, named by a constant phrase.
func (e *Evidence) Add(what string, bits float64) {
	e.Bits = max(e.Bits+bits, EvidenceFloor)
	if e.tally != nil {
		e.note(what, bits)
	}
}

func (e *Evidence) note(what string, bits float64) {
	list := *e.tally
	for i := range list {
		if list[i].What == what {
			list[i].Times++
			list[i].Bits += bits
			return
		}
	}
	*e.tally = append(list, Reason{what, 1, bits})
}

// Explain makes the probe keep its reasons.
func (e *Evidence) Explain() { e.tally = new([]Reason) }

// Reasons are the kinds of evidence in the order in which they were first seen.
func (e *Evidence) Reasons() []Reason {
	if e.tally == nil {
		return nil
	}
	return *e.tally
}

// Held is the evidence gathered, whether or not it is enough to be sure.
func (e *Evidence) Held() float64 { return e.Bits }

// An Explainer is a probe that can say why; one that embeds Evidence is.
type Explainer interface {
	Explain()
	Reasons() []Reason
	Held() float64
}

// PossibleBits is the evidence from which an address pair that was never
// recognised is said to be possibly of a protocol.
const PossibleBits = 16

// MaxStories is how many address pairs of a table are explained, and liveStories
// how many in a run without end.
const (
	MaxStories  = 4096
	liveStories = 256
)

// A Story tells how an address pair was recognised, or why it was not.
type Story struct {
	A, B      string // addresses; a sent the first datagram
	First     uint64 // frame
	Datagrams int    // looked at until it was decided
	Protocol  string // recognised, or ""
	Frame     uint64 // that made it certain, or the last one looked at
	Tries     []Try
}

// A Try is what the probe of one protocol made of a pair.
type Try struct {
	Protocol string
	Held     float64 // gathered
	Hopeless bool    // it can't be the protocol
	Reasons  []Reason
}

// tell starts the story of a flow.
func (t *Table) tell(f *Flow, d *dissect.Datagram) {
	most := MaxStories
	if t.live() {
		most = liveStories
	}
	if t.cfg.Explain && f.force == nil && len(t.stories) < most {
		f.story = &Story{A: d.Src.String(), B: d.Dst.String(), First: d.Frame}
		t.stories = append(t.stories, f.story)
	}
}

// explainProbes makes new probes keep their reasons.
func (f *Flow) explainProbes() {
	f.scores = make([]float64, len(f.probes))
	for _, p := range f.probes {
		if x, ok := p.(Explainer); ok {
			x.Explain()
		}
	}
}

// explain writes down what the probes of a flow hold, before they are dropped.
func (f *Flow) explain() {
	s := f.story
	if s == nil || f.probes == nil {
		return
	}
	s.Tries = s.Tries[:0]
	for i, p := range f.probes {
		try := Try{Protocol: f.table.cfg.Protocols[i].Name, Hopeless: math.IsInf(f.scores[i], -1)}
		if x, ok := p.(Explainer); ok {
			try.Reasons, try.Held = x.Reasons(), x.Held()
		}
		s.Tries = append(s.Tries, try)
	}
}

// progress carries the story on by a datagram, which recognised the flow as the
// protocol with the given index, if that is not negative.
func (f *Flow) progress(d *dissect.Datagram, best int) {
	s := f.story
	if s == nil {
		return
	}
	s.Datagrams++
	s.Frame = d.Frame
	if best >= 0 {
		s.Protocol = f.table.cfg.Protocols[best].Name
	}
	if best >= 0 || f.hopeless {
		f.explain()
	}
}

// Stories are those of the pairs of the capture, when Config.Explain is set.
func (t *Table) Stories() []*Story {
	return slices.DeleteFunc(t.stories, func(s *Story) bool { return s.Datagrams == 0 })
}
