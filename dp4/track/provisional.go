package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// confirmAcked believes the provisional packets of a side that the frame at hand names.
func (c *conn) confirmAcked(s *side) {
	num := s.seq.Peek(uint32(c.Packet.Sequence))
	if s.out.Provisionals().ConfirmAcked(num, num+1) {
		c.believe(s)
	}
}

// believe tracks the provisional packets of a side that the frame at hand confirms. When
// the side went on elsewhere since one came, or they lie below the others, which may be
// because half of the cycle went by unseen, its numbers are in doubt (guard UNWRAP).
func (c *conn) believe(s *side) {
	at, h, below, late := c.Event, &s.history, false, false
	c.c.Believe(s.dir, at.Frame, func(again *dissect.Frame) {
		c.Event = Event{Frame: again, Packet: new(dp4.Frame), Dir: s.dir, own: s, now: at.now}
		c.doubtful = again.Time < h.pace.last // its number may be of another round than those since
		if c.Packet.Decode(again.Payload, dp4.Params{Length: again.Length}, nil) == nil {
			num, msg, _ := c.recognize()
			if h.topSet && num < h.top && !below {
				below = true
				h.doubt(at.Frame.Time)
			}
			late = late || h.pace.last-again.Time > seq.CopyHorizon // lateness learned meanwhile may be none
			c.believed(num, msg)
		}
	})
	if late {
		h.doubt(at.Frame.Time)
	}
	c.Event = at
	c.refuted(s)
}
