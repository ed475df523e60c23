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

	raw        []byte        // payload, kept where the queue hastens
	came       time.Duration // when it was read, on the clock of haste
	isDatagram bool
	decided    bool // the frame is known
	waiting    bool // for the frame that acknowledges it
}

// message is one encoded application message. The id of its connection is put
// between head and tail when it is printed.
type message struct {
	conn       *session.Conn
	at         uint64
	dir        int
	index      uint64
	head, tail []byte
}

// reset empties a slot for the next packet, keeping its buffers.
func (s *Slot) reset() {
	*s = Slot{
		Head: s.Head[:0], Body: s.Body[:0], Messages: s.Messages[:0], raw: s.raw[:0],
		Frame: dissect.Frame{Summary: s.Frame.Summary[:0], Acks: s.Frame.Acks[:0], Notes: s.Frame.Notes[:0]},
	}
}

// take copies what the tracker says of the frame.
func (s *Slot) take(fr *dissect.Frame, c *session.Conn) {
	summary, acks, notes := s.Frame.Summary[:0], s.Frame.Acks[:0], s.Frame.Notes[:0]
	s.Frame = *fr
	s.Frame.Datagram, s.Frame.Tree = &s.Datagram, nil
	s.Frame.Summary = append(summary, fr.Summary...)
	s.Frame.Acks = append(acks, fr.Acks...)
	slices.Sort(s.Frame.Acks)
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
