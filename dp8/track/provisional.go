package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
)

// confirmAcked believes the provisional frames of a side that the frame at hand acknowledges.
func (c *conn) confirmAcked(dir int, nrcv uint8) {
	out := &c.c.Dir[dir]
	if !out.HasProvisional() {
		return
	}
	highest, _ := out.Window().Highest()
	ref := highest
	if cum, ok := out.Window().Cumulative(); ok {
		ref = max(ref, cum)
	}
	if out.Vouch(highest+1, near(ref, nrcv)) {
		c.believe(dir)
	}
}

// believe tracks the provisional frames of a side that the frame at hand confirms.
func (c *conn) believe(dir int) {
	fr, f, sent := c.fr, c.f, c.sent
	for _, d := range c.c.Dir[dir].TakeConfirmed() {
		c.fr, c.f = c.c.Replay(d), new(dp8.Frame)
		if c.f.Decode(d.Payload, c.params, nil) != nil {
			continue
		}
		x := &c.f.DFrame
		num := c.side[dir].seq.Peek(uint32(x.Seq))
		c.sending(num, session.Unmarked)
		c.mark(dir, num, x)
		c.numberedFrame(dir, num, x, x.KeepAlive || c.params.Version < dp8.Version15 && x.IsEmptyKeepAlive())
		fr.Words |= c.fr.Words & dissect.Gap
	}
	c.c.Resume(fr)
	c.fr, c.f, c.sent = fr, f, sent
	c.judgeRefuted(dir)
}

// judgeRefuted judges frames whose numbers turned out to be out of place: the side went
// on before them (MC-DPL8R 3.1.5.2.1).
func (c *conn) judgeRefuted(dir int) {
	for _, p := range c.c.Dir[dir].Refuted() {
		doubtful := c.trusted != 0 && p.Time-c.trusted < firstAckTime || p.HasAcked && p.Acked > p.Expected // many numbers went by unseen
		x := session.Case{Rule: r31521Inc, Dir: dir, Frame: p.Frame, Time: p.Time, HasTime: p.HasTime, Proof: []uint64{p.By},
			Message: fmt.Sprintf("bSeq is %d, the numbers before and after it go on at %d", uint8(p.Num), uint8(p.Expected))}
		switch {
		case p.By == 0, doubtful:
			x.Blocked = session.GuardUnwrap
		case p.HasAcked && p.Num >= p.Acked+dp8.WindowSize, p.Num < 0 && c.c.Complete && c.trusted == 0:
			x.Rule = r31521Range
			x.Message = fmt.Sprintf("bSeq is %d, beyond the 64 numbers from %d, the lowest not acknowledged; the side goes on at %d", uint8(p.Num), uint8(p.Acked), uint8(p.Expected))
		case p.Num < p.Expected: // it may come from long ago
			x.Blocked = session.GuardUnwrap
		}
		c.c.Rules.Judge(x)
	}
}
