package metrics

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A tap passes all that it gets on to another sink and counts it.
type tap struct {
	session.Sink
	next     session.Recounter // the other sink, nil where it is no Recounter
	trips    Histogram
	findings map[found]uint64
}

// A found is the key by which findings are counted.
type found struct {
	rule     *conform.Rule
	severity conform.Severity
}

func newTap(to session.Sink) *tap {
	t := &tap{Sink: to, trips: trips(), findings: map[found]uint64{}}
	t.next, _ = to.(session.Recounter)
	return t
}

// sink gives the tap as a sink of the kind that it taps: one that takes findings alone gets no
// frames, which would cost time.
func (t *tap) sink() session.Sink {
	if _, only := t.Sink.(session.FindingSink); only {
		return findingsTap{t}
	}
	return t
}

type findingsTap struct{ *tap }

// FindingsOnly implements session.FindingSink.
func (findingsTap) FindingsOnly() {}

// Finding implements session.Sink.
func (t *tap) Finding(f *session.Finding) {
	if f.Failed() {
		t.findings[found{f.Rule, f.Severity}]++
	}
	t.Sink.Finding(f)
}

// Recount implements session.Recounter.
func (t *tap) Recount(fr *dissect.Frame, c *session.Conn) {
	if t.next != nil {
		t.next.Recount(fr, c)
	}
}

// Measured implements session.Recounter.
func (t *tap) Measured(c *session.Conn, dir dissect.Dir, of seq.MeasureSet, at, ns int64) {
	if of.Has(seq.RoundTrip) {
		t.trips.Observe(ns)
	}
	if t.next != nil {
		t.next.Measured(c, dir, of, at, ns)
	}
}

// Rest implements session.Recounter.
func (t *tap) Rest(c *session.Conn) {
	if t.next != nil {
		t.next.Rest(c)
	}
}
