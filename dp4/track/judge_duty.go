package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
)

// What is reported missing is neglected when it was so this often, for so long,
// while its sender sent so many other frames (MC-DPL4R 3.1.5.3).
const (
	neglectTimes  = 4
	neglectTime   = 2e9 // ns
	neglectFrames = 32
	neglectTold   = 255
)

// judgeUnreported: a packet is sent again that others followed, though nobody
// reported it missing. That its receiver had a gap, and for long enough, nobody can
// tell (MC-DPL4R 3.1.5.2).
func (c ackJudge) judgeUnreported(dir int, u *fact) {
	if c.f.Flags&dp4.RLY == 0 || u.num >= c.side[dir].facts.top {
		return
	}
	if look, ok := c.c.Dir[dir].Look(u.num); ok && !look.Acked {
		c.c.Rules.Unclear(r3152NackOoo, conform.GuardClean, "a packet followed by others is sent again, although no NACK reported it missing", u.frame)
	}
}

// judgeNeglect: what a NACK reports missing is sent again. The NACK may be lost
// behind the capture point, and the retry before it.
func (c ackJudge) judgeNeglect(dir int, u *fact) {
	rules := &c.c.Rules
	if look, ok := c.c.Dir[1-dir].Look(u.num); !ok || look.Acked {
		return
	}
	if u.nacks == neglectTold || u.nacks > 0 && int32(c.f.Tick-u.nackTick) <= 0 {
		return
	}
	if u.nacks == 0 {
		rules.Pass(r3152NackOoo)
		u.nackAt, u.nackSent = c.fr.Time, rules.Frames(1-dir)
	}
	u.nackTick = c.f.Tick
	u.nacks = min(u.nacks+1, neglectTold-1)
	if u.nacks < neglectTimes || c.fr.Time-u.nackAt < neglectTime || rules.Frames(1-dir)-u.nackSent < neglectFrames {
		return
	}
	u.nacks = neglectTold
	rules.Judge(conform.Case{Rule: r3153Retx, Dir: 1 - dir, Frame: u.frame, Time: u.time, HasTime: true, Proof: []uint64{c.fr.Frame}, Since: noWindow,
		Message: fmt.Sprintf("sequence %d was reported missing repeatedly for %d ms but is not sent again", uint8(u.num), (c.fr.Time-u.nackAt)/1e6)})
}
