package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// blindTo notes a frame of a side that could not be read: what it acknowledged is
// not known.
func (j sequenceJudge) blindTo(dir dissect.Dir) { j.side[dir].sequence.bare = true }

// judgeNumber judges the number of a data frame that is no copy, before it is
// remembered (MC-DPL8R 3.1.5.2.1).
func (j sequenceJudge) judgeNumber(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	l, rules, p := &j.side[dir].sequence, &j.c.Rules, &j.Placing
	l.idle = false
	switch p.Order {
	case track.NextNumber:
		j.judgeNext(dir, num, d)
	case track.Ahead:
		j.judgeRange(dir, num)
		j.retries().reactTo(dir, num, true)
	case track.Overtaken:
		rules.Pass(r31521Inc)
	case track.OutOfOrder:
		x := rules.Here(r31521Inc, fmt.Sprintf("bSeq %d is first sent now (RETRY clear), but %d was sent %s earlier", uint8(num), p.Higher.Seq(), ms(j.Frame.Time-p.Higher.Time())), p.Higher.Frame())
		switch {
		case !j.side[dir.Other()].Numbers.Started:
			x.Blocked = conform.GuardBidir // what it acknowledges does not tell whether it was sent before
		case !j.Unwrapped(dir, p.Higher.Time()):
			x.Blocked = conform.GuardUnwrap
		case j.c.Dir[dir].Quality().Repeats(&j.Sent): // a copy of one that could not be read when it came
			x.Blocked = conform.GuardDup
		}
		rules.Judge(x)
	case track.OutOfPlace:
		j.judgeOutlier(dir, num)
		if !p.Fresh {
			return
		}
	}
	if !p.First || !p.Fresh {
		j.retries().judgeAgain(dir, num, d, p.First)
	}
	if p.First && p.Fresh {
		j.retries().judgeFresh(dir, num, d)
	}
	if !l.begun {
		j.judgeStart(dir, num, p.First)
	}
}

// judgeNext judges the number that comes next.
func (j sequenceJudge) judgeNext(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	if cum, ok := j.Cumulative(dir); ok && num < cum+dp8.WindowSize && j.side[dir].sequence.over.n == 0 {
		j.c.Rules.PassSet(setNext)
	} else {
		j.c.Rules.Pass(r31521Inc)
		j.judgeRange(dir, num)
	}
	j.retries().expect(dir, num, d.Command&dp8.Poll != 0)
}

// judgeOutlier judges a frame that was out of place: the numbers go on before it.
func (j sequenceJudge) judgeOutlier(dir dissect.Dir, num seq.Num) {
	o, out := &j.side[dir].sequence.over, &j.Placing.Outlier
	x := conform.Case{Rule: r31521Inc, Dir: dir, Frame: out.Frame, Time: out.Time, HasTime: true, Proof: []uint64{j.Frame.Frame},
		Message: fmt.Sprintf("bSeq is %d, but the numbers before and after it continue at %d", uint8(out.Num), uint8(num))}
	if out.Known && out.Num > out.Cum+dp8.WindowSize-1 {
		x.Rule = r31521Range
		x.Message = fmt.Sprintf("bSeq is %d, outside the 64 numbers from %d, the lowest unacknowledged; the side continues at %d", uint8(out.Num), uint8(out.Cum), uint8(num))
		if o.n > 0 && o.list[o.n-1].frame == out.Frame {
			o.n--
		}
	}
	if !j.Unwrapped(dir, out.Time) {
		x.Blocked = conform.GuardUnwrap
	}
	j.c.Rules.Judge(x)
}

// forget ends what is open of the numbers of a side, which are in doubt.
func (j sequenceJudge) forget(dir dissect.Dir) {
	j.endOverrun(dir)
	l := &j.side[dir].sequence
	*l = sequenceState{begun: true, plain: l.plain, odd: l.odd, bases: l.bases, bare: l.bare, stale: l.stale}
}

// settleSequence ends what is open at the end of the connection.
func (j sequenceJudge) settleSequence() {
	for dir := range dissect.Dirs {
		j.bases().close(dir)
		j.acks().endStale(dir, conform.GuardReord)
		j.closeOverrun(dir)
		j.side[dir].sequence = sequenceState{}
	}
}
