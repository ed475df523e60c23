package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// keepAhead keeps the acknowledgement at hand, which names an id that side dir's peer has
// not reached: the capture may have missed that, or it was never sent.
func (j *judge) keepAhead(dir dissect.Dir, n seq.Num) {
	old := j.side[dir].ahead.add(claim{num: n, at: j.Frame.Time, frame: j.Frame.Frame, gaps: j.Known})
	if old.frame != 0 {
		j.leaveAhead(dir, &old)
	}
}

// leaveAhead ends what was kept of an id that was never captured.
func (j *judge) leaveAhead(dir dissect.Dir, x *claim) {
	j.c.Rules.Judge(j.aheadCase(dir, x, conform.GuardClean))
}

func (j *judge) aheadCase(dir dissect.Dir, x *claim, g conform.Guard) conform.Case {
	return conform.Case{Rule: rRelAckKnown, Dir: dir, Frame: x.frame, Time: x.at, HasTime: true, Blocked: g,
		Message: fmt.Sprintf("ID %d is acknowledged, which the other side has not sent", uint16(x.num))}
}

// judgeAhead judges the acknowledgement of a number of side dir that is captured now for the
// first time. Its first transmission may have been missed, so that it takes several, of different
// accidents, none of them acknowledged again as what comes again is; and the way to the side and back takes longer than the acknowledgement came
// early, unless the clocks that the sides were captured with differ.
func (j *judge) judgeAhead(dir dissect.Dir, n seq.Num) {
	acker, rules := &j.side[dir.Other()], &j.c.Rules
	x, kept := acker.ahead.take(n)
	if !kept {
		return
	}
	early := j.Frame.Time - x.at
	if early <= j.swapTime() {
		rules.Pass(rRelAckKnown) // it was overtaken
		return
	}
	y := j.aheadCase(dir.Other(), &x, conform.GuardNone)
	y.Message = fmt.Sprintf("ID %d is acknowledged, which is first sent %d ms later", uint16(n), early/1e6)
	if back, ok := rules.SideDelay(dir); !ok || early <= back || !rules.ClockFine() && (early <= back+twoTicks || early%1e9 == 0) {
		y.Blocked = conform.GuardClock
	} else {
		acker.aheads++
		j.weighClaim(dir, n, &acker.ahead, &x, &y, rules.NeededTwice(dir, acker.aheads))
	}
	rules.JudgeWithout(y, dir, x.at, x.gaps)
}

// twoTicks are two steps of the coarsest clock but those that show seconds, in ns: what is so
// far apart may have been swapped.
const twoTicks = 2 * 15625e3

// finishAhead ends what is kept of a side.
func (j *judge) finishAhead(dir dissect.Dir) {
	for i := range j.side[dir].ahead.list {
		if x := &j.side[dir].ahead.list[i]; x.frame != 0 {
			j.leaveAhead(dir, x)
		}
	}
}
