package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// believe tracks the provisional datagrams of a side that the one at hand confirms.
func (c *conn) believe(s *side) {
	at := *c.Event
	c.c.Believe(s.dir, at.Frame, func(again *dissect.Frame) {
		c.begin(again, new(hazel.Frame), at.Now)
		if c.Packet.Decode(again.Payload, c.reads(s), nil) != nil || !c.Packet.HasID {
			return
		}
		if n, ok := s.ids.number(c.Packet.ID); ok {
			c.Sent.Of(again.Datagram, n.Engine, seq.Unmarked)
			c.believed(s, n, c.keepsAlive(s, n.Wire))
			c.tell(s)
		}
	})
	*c.Event = at
	c.refuted(s)
}
