package track

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/session/conform"
)

// judgeAcknowledgement judges bNRcv and SACK mask of a frame that is no copy,
// before they are applied (MC-DPL8R 3.1.5.2.2, 3.1.5.2.3).
func (c ackJudge) judgeAcknowledgement(dir int, mask uint64) {
	rules, r := &c.c.Rules, &c.reading
	if mask != 0 {
		c.judgeBit63()
	}
	if !r.heard {
		return
	}
	if r.opening && c.c.Complete && !r.ahead {
		rules.Pass(r31522Start)
	}
	if !r.ahead {
		c.judgeProgress(dir, c.said.next)
	}
	if r.mask != 0 {
		c.judgeMask(dir, c.said.next, r.mask)
	}
	if c.side[1-dir].sequence.over.n > 0 {
		c.sequence().explainOverrun(1-dir, c.said.next)
	}
}

// judgeBit63 judges the last bit of a SACK mask: bNRcv + 64 is outside the window
// (MC-DPL8R 3.1.5.2.1).
func (c ackJudge) judgeBit63() {
	if rules := &c.c.Rules; !rules.Check(r31523Bit63, !c.reading.bit63) {
		rules.Broken(r31523Bit63, "bit 63 of the SACK mask is set: it names bNRcv + 64, a number outside the window")
	}
}

// judgeProgress judges that bNRcv does not go back in the order of sending, nor
// stays behind in a retry (MC-DPL8R 3.1.5.2.2, 3.1.6.5).
func (c ackJudge) judgeProgress(dir int, next int64) {
	rules, r := &c.c.Rules, &c.reading
	rule := r31522Mono
	if c.stamp.retry {
		rule = r3165Hdrlatest
		c.seeHeader(dir)
	} else if r.progress == onward {
		rules.PassSet(setAck)
		return
	}
	rules.Pass(r31522Max)
	switch {
	case r.progress == cycle:
		rules.Unclear(rule, conform.GuardUnwrap, "bNRcv may have advanced by half a cycle or more without being captured")
	case r.progress == wentBack:
		rules.Broken(rule, c.goesBack(&r.back, next), r.back.frame)
		if rule == r3165Hdrlatest && c.sameHeader(dir) {
			c.weighStale(dir, staleRetries-1)
		}
	case r.progress == late && c.stamp.retry && c.keepStale(dir, next):
	default:
		rules.Pass(rule) // … or it was overtaken
	}
}

func (c ackJudge) goesBack(x *told, next int64) string {
	if c.stamp.retry {
		return fmt.Sprintf("bNRcv of the retry is %d, %s after the side had sent %d: the header is not the latest", uint8(next), ms(c.fr.Time-x.time), uint8(x.next))
	}
	return fmt.Sprintf("bNRcv is %d, but an earlier frame carried %d", uint8(next), uint8(x.next))
}

// judgeMask judges a SACK mask (MC-DPL8R 3.1.5.2.3).
func (c ackJudge) judgeMask(dir int, next int64, mask uint64) {
	rules, r := &c.c.Rules, &c.reading
	top := next + int64(bits.Len64(mask))
	c.bases().count(dir, next, mask, top)
	if r.ahead || r.far {
		return
	}
	if top <= r.highest {
		rules.Pass(r31523Unsent)
	}
	known := mask
	if over := top - r.highest; over > 0 {
		known &= ^uint64(0) >> uint(min(63, 64-bits.Len64(mask)+int(over)))
	}
	if known != 0 {
		c.judgeRenege(dir, next, known)
		c.sequence().judgeAdvance(dir, next, known)
	}
}

// judgeRenege judges that a number once selectively acknowledged is not reported
// missing later.
func (c ackJudge) judgeRenege(dir int, next int64, mask uint64) {
	l, rules := &c.side[dir].sequence, &c.c.Rules
	x := &l.mask
	if !x.known {
		x.take(c.judge, next, mask)
		return
	}
	shift := next - x.next
	if shift < 0 || !c.After(&x.stamp) {
		return
	}
	if first := takenBack(x.bits, mask, shift); first >= 0 {
		c.reportRenege(dir, next+int64(first), takenBack(x.bits>>1, mask>>1, shift) < 0)
	} else if shift < 64 {
		rules.Pass(r31523Renege)
	}
	x.take(c.judge, next, mask)
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

func (x *latestMask) take(c *judge, next int64, mask uint64) {
	x.set(&c.stamp)
	x.known, x.next, x.bits = true, next, mask
}
