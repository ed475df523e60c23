package pipeline

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/session"
)

// A Slot is the place of one packet in the output.
type Slot struct {
	Datagram dissect.Datagram // without payload, unless kept
	Frame    dissect.Frame    // what is printed; Tree and Payload only when kept
	Conn     *session.Conn    // nil for datagrams of no connection
	Times    filter.Times     // for display filters
	Show     bool             // a display filter lets it pass
	Head     []byte           // encoded before its turn came
	Body     []byte
	Messages []message // delivered during this frame
	Assembly uint64    // as of capture.Packet

	parts      []*Slot       // the datagrams after the first, where the packet stood for several
	raw        []byte        // payload, kept where the queue has a deadline
	came       time.Duration // when it was read, on the clock of deadline
	isDatagram bool          // or a notice that is shown
	decided    bool          // the frame is known
	waiting    bool          // for the frame that acknowledges it
	told       uint64        // number of the packet that was tracked when something was noted here last
}

// IsUDP reports whether the packet, or part of one, is a UDP datagram.
func (s *Slot) IsUDP() bool { return s.isDatagram && s.Datagram.Kind == dissect.UDP }

// IsShown reports whether the packet is one that frames are printed of: a UDP datagram, or a
// notice where a filter asks for them.
func (s *Slot) IsShown() bool { return s.isDatagram }

// More counts the datagrams that the packet stood for beside the first. Their slots are printed
// after this one.
func (s *Slot) More() int { return len(s.parts) }

// Settle says that nothing more is wanted of what later packets tell of the frame.
func (s *Slot) Settle() { s.waiting = false }

// message is one encoded application message. The id of its connection is put
// between head and tail when it is printed.
type message struct {
	conn       *session.Conn
	at         uint64
	dir        dissect.Dir
	index      uint64
	head, tail []byte
}

// reset empties a slot for the next packet, keeping its buffers.
func (s *Slot) reset() {
	head, body, messages, raw := s.Head, s.Body, s.Messages, s.raw
	summary, acks, notes := s.Frame.Summary, s.Frame.Acks, s.Frame.Notes
	*s = Slot{}
	s.Head, s.Body, s.Messages, s.raw = head[:0], body[:0], messages[:0], raw[:0]
	s.Frame.Summary, s.Frame.Acks, s.Frame.Notes = summary[:0], acks[:0], notes[:0]
}

// part is the place of one of the datagrams that the packet was taken apart into.
// They come in order.
func (s *Slot) part(i uint8) *Slot {
	switch {
	case i == 0:
		return s
	case int(i) > len(s.parts):
		p := &Slot{Times: s.Times, isDatagram: true}
		s.parts = append(s.parts, p)
		return p
	}
	return s.parts[i-1]
}

// waits reports whether it may come to be known which frame acknowledges this one, or
// one of its parts.
func (s *Slot) waits() bool {
	waiting := s.waiting
	for _, p := range s.parts {
		waiting = waiting || p.waiting
	}
	return waiting
}

// takeDatagram notes what a datagram is that its packet did not show.
func (s *Slot) takeDatagram(d *dissect.Datagram) {
	payload := s.Datagram.Payload
	s.Datagram = *d
	s.Datagram.Payload = payload[:min(len(payload), len(d.Payload))]
}

// take copies what the tracker says of the frame.
func (s *Slot) take(fr *dissect.Frame, c *session.Conn) {
	if fr.Parts > 0 {
		s.takeDatagram(fr.Datagram)
	}
	summary, acks, notes := s.Frame.Summary[:0], s.Frame.Acks[:0], s.Frame.Notes[:0]
	s.Frame = *fr
	s.Frame.Datagram, s.Frame.Tree = &s.Datagram, nil
	s.Frame.Summary = append(summary, fr.Summary...)
	if s.Frame.Acks = append(acks, fr.Acks...); len(fr.Acks) > 1 {
		slices.Sort(s.Frame.Acks)
		s.Frame.Acks = slices.Compact(s.Frame.Acks) // parts of a packet share its number
	}
	s.Frame.Notes = append(notes, fr.Notes...)
	s.Conn, s.decided, s.waiting = c, true, fr.Awaits
}

// KeepTree keeps payload and tree until the slot is printed.
func (s *Slot) KeepTree(fr *dissect.Frame) {
	s.Datagram.Payload = slices.Clone(fr.Payload)
	if fr.Tree != nil {
		s.Frame.Tree = fr.Tree.Clone(s.Datagram.Payload)
	}
}
