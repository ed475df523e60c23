package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// believe tracks the provisional datagrams of a side that the one at hand confirms.
func (c *conn) believe(dir dissect.Dir) {
	at := c.Event
	c.c.Believe(dir, at.Frame, func(again *dissect.Frame) {
		c.begin(again, new(hazel.Frame), at.Now)
		if c.Packet.Decode(again.Payload, c.reads(dir), nil) != nil || !c.Packet.HasID {
			return
		}
		if n, ok := c.side[dir].ids.number(c.Packet.ID); ok {
			c.Sent.Of(again.Datagram, n.Engine, seq.Unmarked)
			c.believed(dir, n, c.keepsAlive(dir, n.Wire))
			c.tell(dir)
		}
	})
	c.Event = at
	c.refuted(dir)
}
