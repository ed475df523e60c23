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
	if c.c.Dir[dir].Vouch(num, num+1) {
		c.believe(dir)
	}
}

// believe tracks the provisional packets of a side that the frame at hand confirms.
func (c *conn) believe(dir int) {
	fr, f, sent, shun := c.fr, c.f, c.sent, c.shun
	c.c.Believe(dir, fr, func(again *dissect.Frame) {
		c.fr, c.f, c.shun = again, new(dp4.Frame), false
		if c.f.Decode(again.Payload, dp4.Params{Length: again.Length}, nil) == nil {
			num, msg := c.recognize(dir)
			c.believed(dir, num, msg)
		}
	})
	c.fr, c.f, c.sent, c.shun = fr, f, sent, shun
	c.judgeRefuted(dir)
}

// judgeRefuted judges packets whose sequence turned out to be out of place: the side went
// on before them (MC-DPL4R 2.2.2).
func (c *conn) judgeRefuted(dir int) {
	c.c.JudgeRefuted(dir, func(p *seq.ProvisionalFrame, x *conform.Case) {
		x.Rule, x.Since = r222SeqInc, noWindow
		x.Message = fmt.Sprintf("sequence %d is out of place: those before and after it go on at %d", uint8(p.Num), uint8(p.Expected))
	})
}
