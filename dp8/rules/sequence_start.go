package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeStart judges the first number captured of a side: they start at 0
// (MC-DPL8R 3.1.5.2.1).
func (j sequenceJudge) judgeStart(dir dissect.Dir, num seq.Num, first bool) {
	l, rules := &j.side[dir].sequence, &j.c.Rules
	b := &l.start
	switch {
	case !j.c.Complete || !j.Frame.HasTime:
		l.begun = true
	case num == 0:
		l.begun = true
		rules.Pass(r31521Start)
	case b.frame == 0 && first:
		*b = beginning{num: num, frame: j.Frame.Frame, time: j.Frame.Time}
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
func (j sequenceJudge) reportStart(dir dissect.Dir, next seq.Num) {
	l := &j.side[dir].sequence
	b := &l.start
	x := conform.Case{Rule: r31521Start, Dir: dir, Frame: b.frame, Time: b.time, HasTime: true, Proof: []uint64{j.Frame.Frame},
		Message: fmt.Sprintf("the first bSeq is %d, not 0, and the other side still expects 0", uint8(b.num))}
	switch {
	case next != 0:
		l.begun = true
		if x.Blocked = conform.GuardClean; next < 0 {
			x.Blocked = conform.GuardUnwrap // it says that numbers went on unseen, by half a cycle
		}
		j.c.Rules.Judge(x)
	case j.Packet.Type == dp8.TypeDFrame && j.Said.Mask == 0, j.Frame.Time-b.last < 30e6:
	default:
		b.reports, b.last = b.reports+1, j.Frame.Time
		if b.reports > j.needed(dir.Other()) && j.Frame.Time-b.time > startSettles {
			l.begun = true
			j.c.Rules.Judge(x)
		}
	}
}
