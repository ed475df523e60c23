package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// From how many datagrams on it is worth saying that what they look like is not proven.
const (
	unheardLeast = 8 // that are not acknowledged
	slowLeast    = 8 // that are acknowledged late
)

// leaveUnproven ends, with the connection, what looks as if a side did not do what it must
// and other causes explain as well.
func (c numberJudge) leaveUnproven(dir dissect.Dir) {
	d := &c.side[dir].delays
	if n, first := c.unheard(dir); n >= unheardLeast {
		c.leave(rRdAcked, dir, conform.GuardVant, fmt.Sprintf("none of %d reliable datagrams is acknowledged; nothing shows that they arrived", n), first)
	}
	if d.pong < fewPongs && d.n >= slowLeast && d.least > maxAckDelay+ackLate {
		c.leave(rCvAckdelay, dir, conform.GuardVant, fmt.Sprintf("acknowledgements take %d ms or more; nothing shows how long the path takes", d.least/1e6), 0)
	}
	if bad := d.acks.Bad; bad >= fewPongs && 4*bad >= 3*d.acks.N && !d.told[0] {
		c.leave(rCvAckdelay, dir, conform.GuardSample, fmt.Sprintf("%d of %d datagrams were acknowledged late", bad, d.acks.N), 0)
	}
	if d.late.Bad > 0 && !d.told[1] {
		c.leave(rRtPong, dir, conform.GuardSample, fmt.Sprintf("%d of %d PingRequests were answered long after datagrams sent later were acknowledged", d.late.Bad, d.late.N), 0)
	}
}

func (c numberJudge) leave(rule int, dir dissect.Dir, g conform.Guard, what string, proof uint64) {
	c.c.Rules.Judge(conform.Case{Rule: rule, Dir: dir, Frame: c.c.LastFrame, Time: c.c.LastTime, HasTime: c.c.HasTime, Blocked: g, Proof: []uint64{proof}, Message: what})
}

// unheard counts the reliable datagrams of the peer of a side that speaks and has never
// acknowledged any; first is the frame of the first.
func (c numberJudge) unheard(dir dissect.Dir) (n int, first uint64) {
	r, s := &c.side[dir.Other()].datagrams, &c.side[dir]
	if c.side[dir.Other()].order.known > 0 || s.acking.noAcks.told || !s.datagrams.has {
		return 0, 0
	}
	for num, x := range r.latest {
		if x.suspect || !x.isReliable() || s.datagrams.topAt-x.Time() < noAcksLate || c.mayBeAcked(dir.Other(), num) {
			continue
		}
		if n++; n == 1 {
			first = x.Frame()
		}
	}
	return n, first
}
