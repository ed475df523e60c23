package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// blindTo notes a frame of a side that could not be read: what it acknowledged is
// not known.
func (c sequenceJudge) blindTo(dir int) { c.side[dir].sequence.bare = true }

// judgeNumber judges the number of a data frame that is no copy, before it is
// remembered (MC-DPL8R 3.1.5.2.1).
func (c sequenceJudge) judgeNumber(dir int, num int64, d *dp8.DFrame) {
	l, rules, p := &c.side[dir].sequence, &c.c.Rules, &c.placed
	l.idle = false
	switch p.order {
	case nextNumber:
		if cum, ok := c.Cumulative(dir); ok && num < cum+dp8.WindowSize && l.over.n == 0 {
			rules.PassSet(setNext)
		} else {
			rules.Pass(r31521Inc)
			c.judgeRange(dir, num)
		}
		c.retries().expect(dir, num, d.Command&dp8.Poll != 0)
	case ahead:
		c.judgeRange(dir, num)
		c.retries().reactTo(dir, num, true)
	case overtaken:
		rules.Pass(r31521Inc)
	case outOfOrder:
		rules.Broken(r31521Inc, fmt.Sprintf("bSeq %d is first sent now (RETRY clear), but %d was sent %s earlier", uint8(num), p.higher.seq, ms(c.fr.Time-p.higher.time)), p.higher.frame)
	case outOfPlace:
		c.judgeOutlier(dir, num)
		if !p.fresh {
			return
		}
	}
	if !p.first || !p.fresh {
		c.retries().judgeAgain(dir, num, d, p.first)
	}
	if p.first && p.fresh {
		c.retries().judgeFresh(dir, num, d)
	}
	if !l.begun {
		c.judgeStart(dir, num, p.first)
	}
}

// judgeOutlier judges a frame that was out of place: the numbers go on before it.
func (c sequenceJudge) judgeOutlier(dir int, num int64) {
	o, j := &c.side[dir].sequence.over, &c.placed.outlier
	x := conform.Case{Rule: r31521Inc, Dir: dir, Frame: j.frame, Time: j.time, HasTime: true, Proof: []uint64{c.fr.Frame},
		Message: fmt.Sprintf("bSeq is %d, but the numbers before and after it continue at %d", uint8(j.num), uint8(num))}
	if j.known && j.num > j.cum+dp8.WindowSize-1 {
		x.Rule = r31521Range
		x.Message = fmt.Sprintf("bSeq is %d, outside the 64 numbers from %d, the lowest unacknowledged; the side continues at %d", uint8(j.num), uint8(j.cum), uint8(num))
		if o.n > 0 && o.list[o.n-1].frame == j.frame {
			o.n--
		}
	}
	c.c.Rules.Judge(x)
}

// forget ends what is open of the numbers of a side, which are in doubt.
func (c sequenceJudge) forget(dir int) {
	c.endOverrun(dir)
	c.acks().endStale(dir, conform.GuardUnwrap)
	l := &c.side[dir].sequence
	*l = sequenceState{begun: true, plain: l.plain, odd: l.odd, bases: l.bases, bare: l.bare}
}

// settleSequence ends what is open at the end of the connection.
func (c sequenceJudge) settleSequence() {
	for dir := range c.side {
		c.bases().close(dir)
		c.acks().endStale(dir, conform.GuardReord)
		c.closeOverrun(dir)
		c.side[dir].sequence = sequenceState{}
	}
}
