package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// confirmAcked believes the provisional packets of a side that the frame at hand names.
func (c *conn) confirmAcked(dir int) {
	num := c.side[dir].seq.Peek(uint32(c.f.Sequence))
	if c.c.Dir[dir].Provisionals().Vouch(num, num+1) {
		c.believe(dir)
	}
}

// believe tracks the provisional packets of a side that the frame at hand confirms. When
// the side went on elsewhere since one came, or they lie below the others, which may be
// because half of the cycle went by unseen, its numbers are in doubt (guard UNWRAP).
func (c *conn) believe(dir int) {
	at, h, below, late := c.event, &c.side[dir].facts, false, false
	c.c.Believe(dir, at.fr, func(again *dissect.Frame) {
		c.event = event{fr: again, f: new(dp4.Frame), now: at.now}
		c.shun = again.Time < h.pace.last // its number may be of another round than those since
		if c.f.Decode(again.Payload, dp4.Params{Length: again.Length}, nil) == nil {
			num, msg := c.recognize(dir)
			if h.topSet && num < h.top && !below {
				below = true
				h.doubt(at.fr.Time)
			}
			late = late || h.pace.last-again.Time > seq.CopyHorizon // lateness learned meanwhile may be none
			c.believed(dir, num, msg)
		}
	})
	if late {
		h.doubt(at.fr.Time)
	}
	c.event = at
	c.judgeRefuted(dir)
}

// judgeRefuted judges packets whose sequence turned out to be out of place: the side went
// on before them (MC-DPL4R 2.2.2).
func (c *conn) judgeRefuted(dir int) {
	c.c.JudgeRefuted(dir, c.c.Dir[dir].Provisionals().Refuted(), func(p *seq.ProvisionalFrame, x *conform.Case) {
		x.Rule, x.Since = r222SeqInc, noWindow
		x.Message = fmt.Sprintf("sequence %d is out of place: those before and after it continue at %d", uint8(p.Num), uint8(p.Expected))
		if c.c.Dir[dir].Quality().Repeats(&p.Sending) {
			x.Blocked = conform.GuardDup
		}
		if p.Num < p.Expected || c.side[dir].facts.doubted >= p.Time {
			x.Blocked = conform.GuardUnwrap // it may come from long ago, or numbers came round since
		}
	})
}
