package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// silence is for how long, in ns, nothing numbered may be captured before numbers
// are in doubt, where nothing is known of path and speed (guard UNWRAP).
const silence = 200e6

// heed looks at the time since the side's frame before: when so much may have been
// sent unseen that a number may have wrapped, nothing before counts any more (guard
// UNWRAP). What the stamp says besides number and time was set before.
func (c sequenceJudge) heed(dir int, num int64) {
	t := c.fr.Time
	c.said = saying{}
	c.stamp.num, c.stamp.frame, c.stamp.time = num, c.fr.Frame, t
	if !c.fr.HasTime {
		return
	}
	c.coarsen(t)
	c.timers.note(c.conn)
	if c.silent(dir) || c.stamp.data && c.displaced(dir, num) {
		c.doubt(t)
	}
	c.numbered[dir] = max(c.numbered[dir], t)
	c.side[1-dir].sequence.outran, c.side[1-dir].sequence.beyond = 0, false
}

// displaced reports a number so far below the highest that no side has it in flight
// any more: it stands for another one, unless the highest was out of place.
func (c sequenceJudge) displaced(dir int, num int64) bool {
	l := &c.side[dir].sequence
	j := &l.jump
	return l.started && num <= l.high-dp8.WindowSize && !(j.set && j.after == 0 && num == j.next) || num < 0 && c.c.Complete
}

// silent reports whether a side was not seen for so long that its numbers are in
// doubt. What its peer acknowledges confirms them: they are not far ahead.
func (c sequenceJudge) silent(dir int) bool {
	gap := c.fr.Time - max(c.numbered[dir], c.vouched[dir])
	return gap > 10e6 && c.numbered[dir] != 0 && gap > c.bearable(dir)
}

// bearable is for how long nothing of a side may be captured: as long as it takes to
// send a window of numbers, as fast as it was seen to.
func (c sequenceJudge) bearable(dir int) int64 {
	if m := &c.side[dir].history; m.hasSpeed {
		return min(m.fastest, longest)
	}
	out := &c.c.Dir[dir]
	n, took := int64(out.DataFrames+out.KeepAlives), c.numbered[dir]-c.c.FirstTime
	if n == 0 || n >= 2*dp8.WindowSize {
		return silence
	}
	return min(max(silence, took*dp8.WindowSize/n/4), longest)
}

// longest is for how long any side may be silent, in ns: another connection may have
// begun since, unseen.
const longest = 10e9

// doubt forgets everything that numbers before t would be compared with.
func (c sequenceJudge) doubt(t int64) {
	c.trusted = max(c.trusted, t) // frames that are believed late come from before
	for i := range c.side {
		l := &c.side[i].sequence
		c.acks().dropClaims(i, conform.GuardUnwrap)
		c.endOverrun(i)
		c.acks().endStale(i, conform.GuardUnwrap)
		*l = sequenceState{begun: true, plain: l.plain, claims: l.claims, odd: l.odd, bases: l.bases, answered: l.answered, unseen: l.unseen, bare: l.bare}
	}
}

// blindTo notes a frame of a side that could not be read: what it acknowledged is
// not known.
func (c sequenceJudge) blindTo(dir int) { c.side[dir].sequence.bare = true }

// recall takes down what is known of the number of the frame at hand.
func (c sequenceJudge) recall(dir int, num int64) {
	p, l := &c.prior, &c.side[dir].sequence
	p.known = false
	if num == l.high+1 && c.side[1-dir].sequence.claims.Len() == 0 {
		return
	}
	p.look, p.known = c.c.Dir[dir].Look(num)
	p.horizon = c.apart()
}

// judgeNumber judges the number of a data frame that is no copy, before it is
// remembered (MC-DPL8R 3.1.5.2.1).
func (c sequenceJudge) judgeNumber(dir int, num int64, d *dp8.DFrame, v seq.Verdict) {
	l, rules := &c.side[dir].sequence, &c.c.Rules
	first := d.Control&dp8.CtlRetry == 0
	l.idle = false
	if c.fr.HasTime && c.side[1-dir].sequence.claims.Len() > 0 {
		c.acks().settleClaims(dir, num, first && v.Novelty == seq.First)
	}
	if j := &l.jump; first && v.Novelty == seq.Again && j.set && num == j.num && num == j.next && j.after == 0 && c.replaced(dir, num, d) {
		c.judgeOutlier(dir, num)
		l.hasOutlier = false
		return
	}
	fresh := v.Novelty == seq.First || first && l.hasOutlier && num == l.outlier
	switch {
	case !fresh || v.Novelty == seq.Forgotten:
	case first && l.started && num == l.high+1:
		l.high, l.seen = num, max(l.seen, num)
		l.hasOutlier = l.hasOutlier && num != l.outlier
		l.jump.after++
		if cum, ok := c.cumulative(dir); ok && num < cum+dp8.WindowSize && l.over.n == 0 {
			rules.PassSet(setNext)
		} else {
			rules.Pass(r31521Inc)
			c.judgeRange(dir, num)
		}
		c.retries().expect(dir, num, d.Command&dp8.Poll != 0)
	case first:
		c.judgePlace(dir, num)
	}
	if !l.started {
		l.started, l.high, l.seen = true, num, num
	}
	if !(l.hasOutlier && num == l.outlier) {
		l.seen = max(l.seen, num)
	}
	if !first || !fresh {
		c.retries().judgeAgain(dir, num, d, first)
	}
	if first && fresh {
		c.retries().judgeFresh(dir, num, d)
	}
	if !l.begun {
		c.judgeStart(dir, num, first)
	}
}

// judgePlace judges a first sending that is not the next one.
func (c sequenceJudge) judgePlace(dir int, num int64) {
	l := &c.side[dir].sequence
	switch {
	case !l.started:
	case num > l.high:
		cum, ok := c.cumulative(dir)
		l.jump = jump{true, num, l.high + 1, cum, ok, c.fr.Frame, c.fr.Time, 0}
		l.high = num
		c.judgeRange(dir, num)
		c.retries().reactTo(dir, num, true)
	case l.hasOutlier && num == l.outlier:
		l.hasOutlier = false
	default:
		c.judgeLower(dir, num)
	}
}

// judgeLower judges a number that is sent for the first time below the highest:
// when that was sent well before, numbers were not taken in order.
func (c sequenceJudge) judgeLower(dir int, num int64) {
	l, rules := &c.side[dir].sequence, &c.c.Rules
	goesOn := l.jump.set && num == l.jump.next && l.jump.after == 0
	if l.jump.set && num == l.jump.next {
		l.jump.next++
	}
	if p := &c.prior; p.known && p.look.Acked {
		return // acknowledged before it was captured: it was overtaken, or the other side is at fault
	}
	higher, at := c.sentBefore(dir, num)
	if higher == nil {
		rules.Pass(r31521Inc) // it was overtaken
		return
	}
	if whole := dp8.NewMsg | dp8.EndMsg; c.f.DFrame.Command&whole != whole && !goesOn {
		return // parts of a message have a rule of their own: 3.1.4.4
	}
	if !goesOn || at != l.jump.num {
		rules.Broken(r31521Inc, fmt.Sprintf("bSeq %d is first sent now (RETRY clear), but %d was sent %s earlier", uint8(num), higher.seq, ms(c.fr.Time-higher.time)), higher.frame)
		return
	}
	c.judgeOutlier(dir, num)
}

// sentBefore gives the lowest number above num that was sent for the first time
// more than the reorder horizon ago, and that number.
func (c sequenceJudge) sentBefore(dir int, num int64) (f *sentFrame, at int64) {
	l := &c.side[dir].sequence
	for n := num + 1; n <= min(l.high, num+2*dp8.WindowSize); n++ {
		if f := c.remembered(dir, n); f != nil && f.first && c.fr.Time-f.time > c.prior.horizon {
			return f, n
		}
	}
	return nil, 0
}

// judgeOutlier judges a frame that was out of place: the numbers go on before it.
func (c sequenceJudge) judgeOutlier(dir int, num int64) {
	l := &c.side[dir].sequence
	j := &l.jump
	x := conform.Case{Rule: r31521Inc, Dir: dir, Frame: j.frame, Time: j.time, HasTime: true, Proof: []uint64{c.fr.Frame},
		Message: fmt.Sprintf("bSeq is %d, but the numbers before and after it continue at %d", uint8(j.num), uint8(num))}
	if j.known && j.num > j.cum+dp8.WindowSize-1 {
		x.Rule = r31521Range
		x.Message = fmt.Sprintf("bSeq is %d, outside the 64 numbers from %d, the lowest unacknowledged; the side continues at %d", uint8(j.num), uint8(j.cum), uint8(num))
		if l.over.n > 0 && l.over.list[l.over.n-1].frame == j.frame {
			l.over.n--
		}
	}
	c.c.Rules.Judge(x)
	l.outlier, l.hasOutlier, l.high, l.seen = j.num, true, num, num
	c.side[dir].history.frames.Drop(j.num)
	j.set = false
}

// replaced reports that the numbers went on up to one that was captured ahead of
// them, and that it now has other content: the frame ahead was out of place.
func (c sequenceJudge) replaced(dir int, num int64, d *dp8.DFrame) bool {
	f := c.remembered(dir, num)
	return f != nil && !f.cut && !c.fr.Cut() && c.params.Signing != dp8.SigningUnknown && !c.retries().unchanged(d, f)
}

// settleSequence ends what is open at the end of the connection.
func (c sequenceJudge) settleSequence() {
	for dir := range c.side {
		c.acks().closeClaims(dir)
		c.bases().close(dir)
		c.acks().endStale(dir, conform.GuardReord)
		c.closeOverrun(dir)
		c.side[dir].sequence = sequenceState{}
	}
}
