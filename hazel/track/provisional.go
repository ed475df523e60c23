package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// believe tracks the provisional datagrams of a side that the one at hand confirms.
func (c *conn) believe(dir int) {
	at := c.event
	c.c.Believe(dir, at.fr, func(again *dissect.Frame) {
		c.event = event{fr: again, f: new(hazel.Frame), now: at.now}
		if c.f.Decode(again.Payload, c.reads(dir), nil) != nil || !c.f.HasID {
			return
		}
		if n, ok := c.side[dir].ids.number(c.f.ID); ok {
			c.sent.Of(again.Datagram, n.engine, seq.Unmarked)
			c.believed(dir, n, c.keepsAlive(dir, n.wire))
		}
	})
	c.event = at
	c.judgeRefuted(dir)
}

// judgeRefuted judges datagrams whose ids turned out to be out of place: the side went on
// before them (Hazel page, Reliable Delivery).
func (c *conn) judgeRefuted(dir int) {
	c.c.JudgeRefuted(dir, func(p *seq.ProvisionalFrame, x *conform.Case) {
		x.Rule, x.Message = rRelIdSeq, fmt.Sprintf("ID %d is out of place: the IDs before and after it continue at %d", uint16(p.Num), uint16(p.Expected))
		if p.By != 0 && p.Num < p.Expected && (p.Num >= 0 || !c.c.Complete) {
			x.Blocked = conform.GuardClean // it may have been sent before, unseen
		}
		if p.By != 0 && !c.c.Rules.CleanOf(dir, 0) {
			x.Blocked = conform.GuardClean // the side may have come so far unseen, and those since be sent again
		}
	})
}
