package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// confirmAcked believes the provisional frames of a side that the frame at hand acknowledges.
func (c *conn) confirmAcked(dir dissect.Dir, nrcv uint8, mask uint64) {
	out := &c.c.Dir[dir]
	if c.side[dir].keys.holdsAcked(nrcv, mask) {
		c.believeHeld(dir, false)
	}
	if !out.Provisionals().Any() {
		return
	}
	highest, _ := out.Window().Highest()
	ref := highest
	if cum, ok := out.Window().Cumulative(); ok {
		ref = max(ref, cum)
	}
	if out.Provisionals().ConfirmAcked(highest+1, near(ref, nrcv)) {
		c.believe(dir)
	}
}

// believe tracks the provisional frames of a side that the frame at hand confirms.
func (c *conn) believe(dir dissect.Dir) {
	at := *c.Event
	c.c.Believe(dir, at.Frame, func(again *dissect.Frame) {
		if !c.decodeAgain(again) {
			return
		}
		x := &c.Packet.DFrame
		num := c.side[dir].seq.Peek(uint32(x.Seq))
		c.sending(num, seq.Unmarked)
		c.mark(dir, num, x)
		c.numberedFrame(dir, num, x, c.isKeepAlive(x))
	})
	*c.Event = at
	c.refuted(dir)
}

// decodeAgain makes a frame that was kept the one at hand.
func (c *conn) decodeAgain(fr *dissect.Frame) bool {
	*c.Event = Event{Frame: fr, Packet: new(dp8.Frame), toldIn: c.toldIn}
	return c.Packet.Decode(fr.Payload, c.params, nil) == nil
}

// mayHaveComeFar reports that frames of a side wait to be believed: it may have come as far, unseen.
func (c *conn) mayHaveComeFar(dir dissect.Dir) bool { return c.c.Dir[dir].Provisionals().Any() }
