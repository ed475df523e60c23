package metrics

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A tap is a sink that counts what goes to another one.
type tap struct {
	session.Sink
	next     session.Recounter // nil where the other one follows no counters
	trips    Histogram
	findings map[found]uint64
}

// found is what findings are counted by.
type found struct {
	rule     *conform.Rule
	severity conform.Severity
}

func newTap(to session.Sink) *tap {
	t := &tap{Sink: to, trips: trips(), findings: map[found]uint64{}}
	t.next, _ = to.(session.Recounter)
	return t
}

// sink is the tap as what it taps: frames are not shown to who takes findings alone.
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
