package main

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
)

// A selection is the connections with a datagram that a display filter matches, between
// --from and --to.
// It stands where a printer does, because filters may ask for times between
// packets, and prints nothing.
type selection struct {
	pipeline.NoMessages

	display pipeline.Display
	part    *part // nil for all of the capture
	conns   map[*session.Conn]bool
}

func newSelection(f *filter.Filter, x *part) *selection {
	s := &selection{display: pipeline.Display{Filter: f}, part: x, conns: map[*session.Conn]bool{}}
	if x != nil {
		s.display.Window = x.window
	}
	return s
}

// forget drops connections.
func (s *selection) forget(gone map[*session.Conn]bool) {
	for c := range gone {
		delete(s.conns, c)
	}
}

// has reports whether the connection, which may be nil, is selected.
func (s *selection) has(c *session.Conn) bool { return s.conns[c] }

// Prepare implements pipeline.Printer.
func (s *selection) Prepare(_ int, slot *pipeline.Slot, fr *dissect.Frame) {
	s.display.Prepare(slot, fr)
}

// Print implements pipeline.Printer.
func (s *selection) Print(dst []byte, slot *pipeline.Slot) []byte {
	if s.part != nil && slot.IsUDP() && s.part.window.Has(slot) {
		s.part.see(slot)
	}
	if slot.Conn != nil && s.display.Decide(slot) {
		s.conns[slot.Conn] = true
	}
	return dst
}
