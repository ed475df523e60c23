package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/session/conform"
)

// judgeStart judges the first number captured of a side: they start at 0
// (MC-DPL8R 3.1.5.2.1).
func (c sequenceJudge) judgeStart(dir int, num int64, first bool) {
	l, rules := &c.side[dir].sequence, &c.c.Rules
	b := &l.start
	switch {
	case !c.c.Complete || !c.fr.HasTime:
		l.begun = true
	case num == 0:
		l.begun = true
		rules.Pass(r31521Start)
	case b.frame == 0 && first:
		*b = beginning{num: num, frame: c.fr.Frame, time: c.fr.Time}
	case b.frame == 0 || num < b.num:
		l.begun = true // what was before is only not captured
		rules.Unclear(r31521Start, conform.GuardClean, "the first number captured is not 0")
	}
}

// startSettles is for how long a side must have been told that its first numbers
// are missing, in ns.
const startSettles = 1e9

// reportStart looks at what the other side acknowledges while number 0 is missing:
// many reports that it never came, and no retry of it, mean that it was not sent.
func (c sequenceJudge) reportStart(dir int, next int64, pure bool) {
	l := &c.side[dir].sequence
	b := &l.start
	x := conform.Case{Rule: r31521Start, Dir: dir, Frame: b.frame, Time: b.time, HasTime: true, Proof: []uint64{c.fr.Frame},
		Message: fmt.Sprintf("the first bSeq is %d, not 0, and the other side still expects 0", uint8(b.num))}
	switch {
	case next > 0:
		l.begun = true
		x.Blocked = conform.GuardClean
		c.c.Rules.Judge(x)
	case !pure && c.said.mask == 0, c.fr.Time-b.last < 30e6:
	default:
		b.reports, b.last = b.reports+1, c.fr.Time
		if b.reports > c.needed(1-dir) && c.fr.Time-b.time > startSettles {
			l.begun = true
			c.c.Rules.Judge(x)
		}
	}
}
