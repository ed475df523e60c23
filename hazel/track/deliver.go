package track

import (
	"crypto/sha256"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
)

// deliverNumbered delivers what a new id brought.
func (c *conn) deliverNumbered(s *side, n Number) {
	switch f := c.Packet; {
	case f.Type == hazel.Reliable, f.Type == hazel.Fragment && f.Dialect == hazel.Spec:
		c.msg.Number = n.Wire
		c.deliver(s, true)
	case f.Type == hazel.FragmentStart:
		s.asm.add(&part{key: f.MessageID, count: int(f.Count), first: true, number: n.Wire})
	case f.Type == hazel.Fragment && f.Dialect == hazel.V01:
		s.asm.add(&part{key: f.MessageID, index: int(f.Index), number: n.Wire})
	case f.Type == hazel.Fragment:
		s.asm.add(&part{key: f.MessageID, index: int(f.Index), count: int(f.Count), first: f.Index == 0, number: n.Wire})
	}
}

// deliver delivers the data of the frame at hand as a message.
func (c *conn) deliver(s *side, reliable bool) {
	data, fr := c.Packet.Data, c.Frame
	if c.wants.Messages == session.CountMessages {
		s.out.CountMessage(!fr.Cut(), len(data))
		return
	}
	m := &c.msg
	m.Dir, m.At, m.FirstFrame, m.LastFrame = s.dir, fr.Frame, fr.Frame, fr.Frame
	m.Time, m.HasTime, m.Frames = fr.Time, fr.HasTime, 1
	if m.Reliable, m.Unnumbered = reliable, !reliable; !reliable {
		m.Number = 0
	}
	m.Complete, m.Size, m.SHA256, m.Payload = !fr.Cut(), len(data), sha256.Sum256(data), data
	c.c.Deliver(m)
}
