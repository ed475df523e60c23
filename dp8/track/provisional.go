package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// confirmAcked believes the provisional frames of a side that the frame at hand acknowledges.
func (c *conn) confirmAcked(dir int, nrcv uint8, mask uint64) {
	out := &c.c.Dir[dir]
	if k := &c.side[dir].keys; len(k.held) > 0 && (mask != 0 || k.holdsBelow(near(k.held[0].num, nrcv))) {
		c.believeHeld(dir)
	}
	if !out.Provisionals().Any() {
		return
	}
	highest, _ := out.Window().Highest()
	ref := highest
	if cum, ok := out.Window().Cumulative(); ok {
		ref = max(ref, cum)
	}
	if out.Provisionals().Vouch(highest+1, near(ref, nrcv)) {
		c.believe(dir)
	}
}

// believe tracks the provisional frames of a side that the frame at hand confirms.
func (c *conn) believe(dir int) {
	at := c.event
	c.c.Believe(dir, at.fr, func(again *dissect.Frame) {
		if !c.decodeAgain(again) {
			return
		}
		x := &c.f.DFrame
		num := c.side[dir].seq.Peek(uint32(x.Seq))
		c.sending(num, seq.Unmarked)
		c.mark(dir, num, x)
		c.numberedFrame(dir, num, x, c.isKeepAlive(x))
	})
	c.event = at
	c.judgeRefuted(dir)
}

// decodeAgain makes a frame that was kept the one at hand.
func (c *conn) decodeAgain(fr *dissect.Frame) bool {
	c.event = event{fr: fr, f: new(dp8.Frame), now: c.now}
	return c.f.Decode(fr.Payload, c.params, nil) == nil
}

// judgeRefuted judges frames whose numbers turned out to be out of place: the side went
// on before them (MC-DPL8R 3.1.5.2.1).
func (c *conn) judgeRefuted(dir int) {
	reached, _ := c.c.Dir[dir].Window().Highest()
	c.c.JudgeRefuted(dir, c.c.Dir[dir].Provisionals().Refuted(), func(p *seq.ProvisionalFrame, x *conform.Case) {
		doubtful := c.trusted != 0 && p.Time-c.trusted < firstAckTime || p.HasAcked && p.Acked > p.Expected // many numbers went by unseen
		x.Rule, x.Message = r31521Inc, fmt.Sprintf("bSeq is %d, but the numbers before and after it continue at %d", uint8(p.Num), uint8(p.Expected))
		switch {
		case p.By == 0, doubtful, p.Num > p.Expected && p.Num <= reached: // the side has come that far since
			x.Blocked = conform.GuardUnwrap
		case p.HasAcked && p.Num >= p.Acked+dp8.WindowSize, p.Num < 0 && c.c.Complete && c.trusted == 0:
			x.Rule = r31521Range
			x.Message = fmt.Sprintf("bSeq is %d, outside the 64 numbers from %d, the lowest unacknowledged; the side continues at %d", uint8(p.Num), uint8(p.Acked), uint8(p.Expected))
		case p.Num < p.Expected: // it may come from long ago
			x.Blocked = conform.GuardUnwrap
		}
	})
}
