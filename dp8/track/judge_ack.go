package track

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// after reports whether the frame at hand was certainly sent after x, which was
// captured before: by numbers and ticks, else by the reorder horizon (guard
// REORD).
func (c ackJudge) after(x *stamp) bool {
	y := &c.stamp
	apart := y.time-x.time > c.sequence().apart()
	switch {
	case x.retry || y.retry:
		return apart
	case y.data && x.data:
		return y.num > x.num
	case y.data:
		return y.num >= x.num
	case x.data:
		return y.num > x.num
	}
	return y.num >= x.num && (int32(y.tick-x.tick) > 0 || y.tick == x.tick && apart)
}

// judgeAcknowledgement judges bNRcv and SACK mask of a frame that is no copy,
// before they are applied (MC-DPL8R 3.1.5.2.2, 3.1.5.2.3). It gives back the mask
// without what is proven impossible.
func (c ackJudge) judgeAcknowledgement(dir int, nrcv uint8, mask uint64) uint64 {
	l, o, rules := &c.side[dir].sequence, &c.side[1-dir].sequence, &c.c.Rules
	next := near(o.seen, nrcv)
	c.said = saying{next: next}
	if mask = c.judgeBit63(mask); c.fr.Err != nil {
		mask = 0 // cut within
	}
	if !o.started || !c.fr.HasTime || c.sequence().silent(1-dir) {
		c.said.ahead = true // nothing can be said of it
		l.answered = true
		return mask
	}
	ahead := next > o.seen+1
	wrapped := l.claims.Len() > 0 && next <= o.seen-dp8.WindowSize // it counted on beyond half a cycle
	if wrapped || next > o.seen+1+seq.MaxAckExcess {
		if l.outran++; wrapped || l.outran > 1 {
			c.numbered[1-dir], c.vouched[1-dir] = 1, 0 // it is the other side that is not seen
			return mask
		}
	}
	if l.claims.Len() > 0 {
		c.contradict(dir, next)
	}
	if !l.answered {
		l.answered = true
		if c.c.Complete && !ahead {
			rules.Pass(r31522Start)
		}
		if c.c.Complete && ahead {
			c.claim(dir, claim{from: o.seen + 1, next: next, high: o.seen, opening: true})
		}
	} else if ahead {
		c.claim(dir, claim{from: o.seen + 1, next: next, high: o.seen})
	}
	l.beyond = l.beyond || ahead
	if c.said.ahead = ahead; !ahead {
		if !l.beyond && (l.queued == 0 || next >= l.queue[l.queued-1].next) {
			c.vouched[1-dir] = max(c.vouched[1-dir], c.fr.Time)
		}
		c.judgeProgress(dir, next)
	}
	if mask != 0 {
		mask = c.judgeMask(dir, next, mask, ahead)
	}
	c.said.mask = mask
	if o.over.n > 0 {
		c.sequence().explainOverrun(1-dir, next)
	}
	return mask
}

// judgeBit63 judges the last bit of a SACK mask: bNRcv + 64 is outside the window
// (MC-DPL8R 3.1.5.2.1).
func (c ackJudge) judgeBit63(mask uint64) uint64 {
	if mask == 0 {
		return 0
	}
	if rules := &c.c.Rules; !rules.Check(r31523Bit63, mask>>63 == 0) {
		rules.Broken(r31523Bit63, "bit 63 of the SACK mask is set: it names bNRcv + 64, a number outside the window")
		return 0
	}
	return mask
}

// judgeProgress judges that bNRcv does not go back in the order of sending, nor
// stays behind in a retry (MC-DPL8R 3.1.5.2.2, 3.1.6.5).
func (c ackJudge) judgeProgress(dir int, next int64) {
	l, rules := &c.side[dir].sequence, &c.c.Rules
	rule := r31522Mono
	if c.stamp.retry {
		rule = r3165Hdrlatest
		c.seeHeader(dir)
	} else if l.queued > 0 && next >= l.queue[l.queued-1].next {
		rules.PassSet(setAck)
		if next > l.queue[l.queued-1].next {
			l.push(c.conn, next)
		}
		return
	}
	rules.Pass(r31522Max)
	if l.queued == 0 || next >= l.queue[l.queued-1].next {
		rules.Pass(rule)
		if l.queued == 0 || next > l.queue[l.queued-1].next {
			l.push(c.conn, next)
		}
		return
	}
	if back := l.queue[l.queued-1].next - next; back > dp8.WindowSize/4 && !rules.ClockSure() || back > dp8.WindowSize {
		rules.Unclear(rule, conform.GuardUnwrap, "bNRcv may have advanced by half a cycle or more without being captured")
		return
	}
	for i := l.queued - 1; i >= 0 && l.queue[i].next > next; i-- {
		if x := &l.queue[i]; x.frame < c.fr.Frame && c.after(&x.stamp) { // what is believed late comes behind later ones
			rules.Broken(rule, c.goesBack(x, next), x.frame)
			if rule == r31522Mono {
				l.queued = 0
				l.push(c.conn, next)
			} else if c.sameHeader(dir) {
				c.weighStale(dir, staleRetries-1)
			}
			return
		}
	}
	if c.stamp.retry && c.keepStale(dir, next) {
		return
	}
	rules.Pass(rule) // it was overtaken
}

func (c ackJudge) goesBack(x *told, next int64) string {
	if c.stamp.retry {
		return fmt.Sprintf("bNRcv of the retry is %d, %s after the side had sent %d: the header is not the latest", uint8(next), ms(c.fr.Time-x.time), uint8(x.next))
	}
	return fmt.Sprintf("bNRcv is %d, but an earlier frame carried %d", uint8(next), uint8(x.next))
}

func (l *sequenceState) push(c *conn, next int64) {
	if l.queued == len(l.queue) {
		copy(l.queue[:], l.queue[1:])
		l.queued--
	}
	t := &l.queue[l.queued]
	t.set(&c.stamp)
	t.next = next
	l.queued++
}

// judgeMask judges a SACK mask (MC-DPL8R 3.1.5.2.3).
func (c ackJudge) judgeMask(dir int, next int64, mask uint64, ahead bool) uint64 {
	o, rules := &c.side[1-dir].sequence, &c.c.Rules
	top := next + int64(bits.Len64(mask))
	c.bases().count(dir, next, mask, top)
	switch {
	case ahead:
		return mask
	case top > o.seen+1:
		c.claim(dir, claim{from: next + 1, next: next, mask: mask, high: o.seen})
		if top > o.seen+seq.MaxAckExcess {
			return 0
		}
	case top <= o.seen:
		rules.Pass(r31523Unsent)
	}
	known := mask
	if over := top - o.seen; over > 0 {
		known &= ^uint64(0) >> uint(min(63, 64-bits.Len64(mask)+int(over)))
	}
	if known != 0 {
		c.judgeRenege(dir, next, known)
		c.sequence().judgeAdvance(dir, next, known)
	}
	return mask
}

// judgeRenege judges that a number once selectively acknowledged is not reported
// missing later.
func (c ackJudge) judgeRenege(dir int, next int64, mask uint64) {
	l, rules := &c.side[dir].sequence, &c.c.Rules
	x := &l.mask
	if !x.known {
		x.take(c.conn, next, mask)
		return
	}
	shift := next - x.next
	if shift < 0 || !c.after(&x.stamp) {
		return
	}
	if first := takenBack(x.bits, mask, shift); first >= 0 {
		c.reportRenege(dir, next+int64(first), takenBack(x.bits>>1, mask>>1, shift) < 0)
	} else if shift < 64 {
		rules.Pass(r31523Renege)
	}
	x.take(c.conn, next, mask)
}

// takenBack gives the first number, counted from the later bNRcv, that a SACK mask
// reports missing although an earlier one, with a bNRcv so much lower, names it; or -1.
func takenBack(earlier, later uint64, shift int64) int {
	switch {
	case shift >= 64:
		return -1
	case shift > 0 && earlier>>uint(shift-1)&1 != 0:
		return 0
	}
	if gone := earlier >> uint(shift) &^ later; gone != 0 {
		return 1 + bits.TrailingZeros64(gone)
	}
	return -1
}

// reportRenege reports that a number is missing which an earlier mask names. Where bit 0
// may mean bNRcv, and no number is taken back by that reading, it is the reading that is
// wrong (MC-DPL8R 3.1.5.2.3).
func (c ackJudge) reportRenege(dir int, n int64, shifted bool) {
	b, rules := &c.side[dir].sequence.bases, &c.c.Rules
	x := rules.Here(r31523Renege, fmt.Sprintf("the SACK mask reports %d missing, although an earlier mask acknowledged it", uint8(n)), c.side[dir].sequence.mask.frame)
	if shifted && !b.bit0 {
		b.against += decisive
		x.Blocked = conform.GuardDial
	}
	rules.Judge(x)
}

func (x *latestMask) take(c *conn, next int64, mask uint64) {
	x.set(&c.stamp)
	x.known, x.next, x.bits = true, next, mask
}

// passedHole notes an acknowledgement that passes numbers which were not captured:
// if they are sent for the first time later, they were not there to be acknowledged.
func (c ackJudge) passedHole(dir int, cum int64, known bool, words dissect.Words) {
	o := &c.side[1-dir].sequence
	if c.said.ahead || !known || !o.started || !c.fr.HasTime {
		return
	}
	if !words.Has(dissect.AckOfUncaptured) {
		c.c.Rules.Pass(r31522Gapack)
		return
	}
	from := max(cum, o.seen-dp8.WindowSize)
	for ; from < c.said.next; from++ {
		if yes, ok := c.c.Dir[1-dir].Captured(from); ok && !yes {
			c.claim(dir, claim{from: from, next: c.said.next, high: o.seen, hole: true})
			return
		}
	}
}
