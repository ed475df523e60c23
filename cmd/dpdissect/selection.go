package main

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
)

// A selection is the connections with a datagram that a display filter matches.
// It stands where a printer does, because filters may ask for times between
// packets, and prints nothing.
type selection struct {
	filter *filter.Filter
	shards [pipeline.Shards]map[*session.Conn]bool
}

func newSelection(f *filter.Filter) *selection {
	s := &selection{filter: f}
	for i := range s.shards {
		s.shards[i] = map[*session.Conn]bool{}
	}
	return s
}

// has reports whether the connection, which may be nil, is selected.
func (s *selection) has(c *session.Conn) bool {
	for _, m := range s.shards {
		if m[c] {
			return true
		}
	}
	return false
}

// Prepare implements pipeline.Printer.
func (s *selection) Prepare(shard int, slot *pipeline.Slot, fr *dissect.Frame) {
	if slot.Conn != nil && !s.shards[shard][slot.Conn] && s.filter.Match(fr, slot.Times) {
		s.shards[shard][slot.Conn] = true
	}
}

// PrepareMessage implements pipeline.Printer.
func (s *selection) PrepareMessage(int, *session.Message) (head, tail []byte) { return nil, nil }

// Print implements pipeline.Printer.
func (s *selection) Print(dst []byte, _ *pipeline.Slot) []byte { return dst }

// PrintMessage implements pipeline.Printer.
func (s *selection) PrintMessage(dst []byte, _, _ []byte, _ int) []byte { return dst }
