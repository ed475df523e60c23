package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// What decides that a side means bNRcv + i by bit i of its SACK masks: then bit 0 is never
// set, since bNRcv is what it waits for.
const (
	baseMasks = 20 // so many masks, none with bit 0, and besides
	fewMasks  = 3  // so many look like it and prove nothing
	decisive  = 3  // so many signs that bNRcv + 1 had arrived, or baseMasks different bNRcv, half of them with bit 1

	// resentBefore is how often bNRcv + 1 must have been sent to be such a sign, while bNRcv
	// itself, which its sender takes for acknowledged, was sent resentLeast times at most.
	resentBefore, resentLeast = 6, 2
)

// count enters a SACK mask of side dir that names numbers up to top.
func (j baseJudge) count(dir dissect.Dir, next seq.Num, mask uint64, top seq.Num) {
	b, rules := &j.side[dir].sequence.bases, &j.c.Rules
	b.masks++
	if b.bit0 {
		rules.Pass(r31523Base)
	} else if !b.told {
		j.weigh(dir, next, mask)
	}
	if b.n == 0 || top > b.top {
		b.n, b.top = b.n+1, top
		if top == j.side[dir.Other()].Numbers.TopSeen+1 {
			b.beyond++
			j.side[dir].sequence.odd = true
			if o := &j.side[dir.Other()].sequence; !b.bit0 && !o.isNamed && !rules.Doubted() {
				o.isNamed, o.named = true, named{top, j.Frame.Frame, j.Frame.Time}
			}
		}
	}
	if b.bit0 || b.told || b.masks < baseMasks {
		return
	}
	switch {
	case b.n >= baseMasks && b.beyond*2 >= b.n:
		j.tell(dir, fmt.Sprintf("%d of %d SACK masks name a number not sent yet if bit 0 is bNRcv + 1, none if it is bNRcv", b.beyond, b.n))
	case b.waits >= baseMasks && 2*b.next1 >= b.waits, b.against >= decisive && b.against*2 >= b.waits:
		j.tell(dir, fmt.Sprintf("bit 0 is set in none of %d SACK masks, as if it were bNRcv and not bNRcv + 1", b.masks))
	}
}

// settle judges the mask that named the number of a frame of side dir which is sent for the first time
// now. Sent so much later, it was not what the mask meant.
func (j baseJudge) settle(dir dissect.Dir, num seq.Num) {
	o, l := &j.side[dir].sequence, &j.side[dir.Other()].sequence
	o.isNamed = false
	x, b := &o.named, &l.bases
	later := j.AtLeast(x.at)
	if num != x.num || b.bit0 || b.told || later <= j.c.Rules.Horizon() || j.MayHaveBegun(x.at) || j.c.Rules.Doubted() || j.OutOfTurn(dir, num) {
		return
	}
	if b.unsent++; b.unsent < 2 && later <= j.Apart() {
		return
	}
	b.told, l.odd = true, true
	j.c.Rules.HoldOrder(conform.Case{Rule: r31523Base, Dir: dir.Other(), Frame: x.frame, Time: x.at, HasTime: true, Proof: []uint64{j.Frame.Frame},
		Message: fmt.Sprintf("no SACK mask has bit 0, and this one names %d if bit 0 is bNRcv + 1: that is first sent %s later", uint8(num), ms(later))})
}

func (j baseJudge) tell(dir dissect.Dir, what string) {
	l := &j.side[dir].sequence
	l.bases.told, l.odd = true, true
	j.c.Rules.Broken(r31523Base, what)
}

// weigh looks for signs that bNRcv + 1 had arrived when a mask without bit 0 was sent.
func (j baseJudge) weigh(dir dissect.Dir, next seq.Num, mask uint64) {
	b := &j.side[dir].sequence.bases
	if b.waits == 0 || next != b.next {
		if b.waits > 0 && next > b.next+1 && j.cameOnce(dir.Other(), b.next+1, b.since) {
			b.against++
		}
		b.waits, b.next, b.since, b.resent = b.waits+1, next, j.Frame.Time, false
		if mask&2 != 0 {
			b.next1++ // as the one behind it is mostly there
		}
		return
	}
	m := &j.side[dir.Other()].History
	if waited, after := m.At(next), m.At(next+1); !b.resent && waited.IsKnown() && after.IsKnown() && waited.Transmissions() <= resentLeast && after.Transmissions() >= resentBefore {
		b.resent = true
		b.against += decisive
	}
}

// cameOnce reports that a number, which the other side expects no longer, was sent before a
// time and neither again nor given up: so long before that it was there, though others overtook it.
func (j baseJudge) cameOnce(dir dissect.Dir, num seq.Num, before int64) bool {
	look, ok := j.c.Dir[dir].Look(num)
	return ok && look.First && look.Copies == 1 && !look.Retried && !look.GivenUp && before-look.Time > j.c.Dir[dir].MinRTT()+j.c.Rules.Horizon()
}

// close ends the question at the end of the connection.
func (j baseJudge) close(dir dissect.Dir) {
	b := &j.side[dir].sequence.bases
	if b.bit0 || b.told || b.masks < fewMasks {
		return
	}
	j.c.Rules.Judge(conform.Case{Rule: r31523Base, Dir: dir, Frame: j.c.LastFrame, Time: j.c.LastTime, HasTime: j.c.HasTime, Blocked: conform.GuardSample,
		Message: fmt.Sprintf("bit 0 is set in none of %d SACK masks, which losses of two in a row would also explain", b.masks)})
}
