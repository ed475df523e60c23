package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// maxOver bounds the frames beyond the window that wait for a verdict.
const maxOver = 24

// judgeRange judges a new number by the window (MC-DPL8R 3.1.4.4: at most 64
// packets on the network). An acknowledgement that the capture missed explains an
// excess, and so does one captured within the reorder horizon behind it.
func (j sequenceJudge) judgeRange(dir dissect.Dir, num seq.Num) {
	cum, ok := j.Cumulative(dir)
	if !ok {
		return
	}
	rules, o := &j.c.Rules, &j.side[dir].sequence.over
	if num < cum+dp8.WindowSize {
		rules.Pass(r31521Range)
		if o.n > 0 && o.list[o.n-1].cum != cum {
			j.endOverrun(dir)
		}
		return
	}
	j.judgeFast(dir, num, cum)
	if o.n > 0 && o.list[o.n-1].cum == cum {
		return // the same acknowledgement may have been missed
	}
	if o.n == maxOver {
		copy(o.list[:], o.list[1:])
		o.n--
		o.judged = max(0, o.judged-1)
	}
	if need := j.needed(dir); o.n >= need {
		for ; o.judged < o.n; o.judged++ {
			j.reportOver(dir, &o.list[o.judged], conform.GuardNone)
		}
	}
	o.list = append(o.list[:o.n], over{num: num, cum: cum, frame: j.Frame.Frame, time: j.Frame.Time})
	o.n++
}

const (
	fastFrames  = 8 // so many frames prove it: copies that come late may look like first sendings
	fastSamples = 8 // so many numbers must have been acknowledged, to know the round trip
)

// judgeFast judges frames beyond the window by time alone: a number is sent when the one 64
// before it was acknowledged, which takes it once around the path from wherever it was
// captured. What is sent in a fraction of that did not wait for it, whatever was missed.
func (j sequenceJudge) judgeFast(dir dissect.Dir, num, cum seq.Num) {
	o := &j.side[dir].sequence.over
	if o.fastCum != cum {
		o.fast, o.fastCum = 0, cum
	}
	m := &j.side[dir].History
	before, loop := m.At(num-dp8.WindowSize), min(j.hs.Loop, j.c.Dir[dir].MinRTT())
	if !before.IsKnown() || !before.First() || before.Sendings() != 1 || !before.Timed() || before.Time() < j.Trusted() ||
		j.AtMost(before.Time()) >= loop/4 || cum-m.Bottom < fastSamples || !j.c.Rules.ClockSure() {
		return
	}
	if o.fast++; o.fast == fastFrames && o.n > 0 && o.list[o.n-1].cum == cum {
		j.reportOver(dir, &o.list[o.n-1], conform.GuardNone)
	}
}

// neededMost is what is enough when nothing shows that frames of a side were missed,
// and too few are numbered to tell how many may have been.
const neededMost = 12

// needed is in how many intervals in a row something must be seen that missed
// frames of either side would explain.
func (j sequenceJudge) needed(dir dissect.Dir) int {
	if j.side[dir.Other()].sequence.bare {
		return 1 << 30
	}
	return max(j.neededOf(0), j.neededOf(1))
}

// neededOf is needed where only missed frames of one side would explain it.
func (j sequenceJudge) neededOf(dir dissect.Dir) int {
	rules := &j.c.Rules
	if n := rules.NeededOdds(dir); n <= neededMost || !rules.CleanOf(dir, 0) {
		return n
	}
	return neededMost
}

func (j sequenceJudge) rangeCase(dir dissect.Dir, o *over) conform.Case {
	return conform.Case{Rule: r31521Range, Dir: dir, Frame: o.frame, Time: o.time, HasTime: true,
		Message: fmt.Sprintf("bSeq is %d and the lowest unacknowledged number %d: more than 64 in flight", uint8(o.num), uint8(o.cum))}
}

// reportOver judges a frame beyond the window, once.
func (j sequenceJudge) reportOver(dir dissect.Dir, o *over, blocked conform.Guard) {
	if o.done {
		return
	}
	o.done = true
	x := j.rangeCase(dir, o)
	x.Blocked = blocked
	j.c.Rules.Judge(x)
}

// confirmOverrun counts an acknowledgement that comes so long behind the frames beyond
// the window that it was sent later than any the side knew of then. What a receiver
// expects never falls: when this one does not allow them, none before did. Single ones
// may have been held up on the way, and so may some that come together.
func (j sequenceJudge) confirmOverrun(dir dissect.Dir, next seq.Num) {
	o, apart := &j.side[dir].sequence.over, j.Apart()
	for i := range o.list[:o.n] {
		x := &o.list[i]
		if x.done || x.num < next+dp8.WindowSize || j.Frame.Time-max(x.time, x.laterAt) <= apart {
			continue
		}
		x.laterAt = j.Frame.Time
		if x.later++; x.later >= j.needed(dir) {
			j.reportOver(dir, x, conform.GuardNone)
		}
	}
}

// endOverrun leaves frames beyond the window without a verdict: too few in a row.
func (j sequenceJudge) endOverrun(dir dissect.Dir) {
	o := &j.side[dir].sequence.over
	for ; o.judged < o.n; o.judged++ {
		j.reportOver(dir, &o.list[o.judged], conform.GuardOdds)
	}
	o.n, o.judged = 0, 0
}

// closeOverrun judges what is left at the end of the connection.
func (j sequenceJudge) closeOverrun(dir dissect.Dir) {
	o := &j.side[dir].sequence.over
	if o.n >= j.needed(dir) {
		for ; o.judged < o.n; o.judged++ {
			j.reportOver(dir, &o.list[o.judged], conform.GuardNone)
		}
	}
	j.endOverrun(dir)
}

// explainOverrun takes back the latest excess when an acknowledgement that allows
// it was overtaken by the frame.
func (j sequenceJudge) explainOverrun(dir dissect.Dir, next seq.Num) {
	o := &j.side[dir].sequence.over
	if o.n == 0 || o.judged == o.n {
		return
	}
	if j.Frame.HasTime {
		j.confirmOverrun(dir, next)
	}
	if x := &o.list[o.n-1]; !x.done && x.num < next+dp8.WindowSize && j.Frame.Time-x.time <= j.Apart() {
		o.n--
		j.c.Rules.Pass(r31521Range)
	}
}
