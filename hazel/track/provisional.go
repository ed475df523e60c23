package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
)

// believe tracks the provisional datagrams of a side that the one at hand confirms.
func (c *conn) believe(dir int) {
	fr, f, sent := c.fr, c.f, c.sent
	for _, d := range c.c.Dir[dir].TakeConfirmed() {
		c.fr, c.f = c.c.Replay(d), new(hazel.Frame)
		if c.f.Decode(d.Payload, c.reads(dir), nil) != nil || !c.f.HasID {
			continue
		}
		if n, ok := c.side[dir].ids.number(c.f.ID); ok {
			c.sent.Of(d, n.engine, session.Unmarked)
			c.believed(dir, n, c.keepsAlive(dir, n.wire))
			fr.Words |= c.fr.Words & dissect.Gap
		}
	}
	c.c.Resume(fr)
	c.fr, c.f, c.sent = fr, f, sent
	c.judgeRefuted(dir)
}

// judgeRefuted judges datagrams whose ids turned out to be out of place: the side went on
// before them (Hazel page, Reliable Delivery).
func (c *conn) judgeRefuted(dir int) {
	for _, p := range c.c.Dir[dir].Refuted() {
		x := session.Case{Rule: rRelIdSeq, Dir: dir, Frame: p.Frame, Time: p.Time, HasTime: p.HasTime, Proof: []uint64{p.By},
			Message: fmt.Sprintf("ID %d is out of place: the IDs before and after it go on at %d", uint16(p.Num), uint16(p.Expected))}
		switch {
		case p.By == 0:
			x.Blocked = session.GuardUnwrap
		case p.Num < p.Expected && (p.Num >= 0 || !c.c.Complete):
			x.Blocked = session.GuardClean // it may have been sent before, unseen
		}
		c.c.Rules.Judge(x)
	}
}
