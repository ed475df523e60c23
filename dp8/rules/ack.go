package rules

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeAcknowledgement judges bNRcv and SACK mask of a frame that is no copy,
// before they are applied (MC-DPL8R 3.1.5.2.2, 3.1.5.2.3).
func (j ackJudge) judgeAcknowledgement(dir dissect.Dir) {
	rules, r := &j.c.Rules, &j.Reading
	if r.Masked {
		j.judgeBit63()
		j.side[dir].sequence.bases.bit0 = j.side[dir].sequence.bases.bit0 || r.Bit0
	}
	if !r.Heard {
		return
	}
	if r.Opening && j.c.Complete && !r.Ahead {
		rules.Pass(r31522Start)
	}
	if !r.Ahead {
		j.judgeProgress(dir, j.Said.Next)
	}
	if r.Mask != 0 {
		j.judgeMask(dir, j.Said.Next, r.Mask)
	}
	if j.side[dir.Other()].sequence.over.n > 0 {
		j.sequence().explainOverrun(dir.Other(), j.Said.Next)
	}
}

// judgeBit63 judges the last bit of a SACK mask: bNRcv + 64 is outside the window
// (MC-DPL8R 3.1.5.2.1).
func (j ackJudge) judgeBit63() {
	if rules := &j.c.Rules; !rules.Check(r31523Bit63, !j.Reading.Bit63) {
		rules.Broken(r31523Bit63, "bit 63 of the SACK mask is set: it names bNRcv + 64, a number outside the window")
	}
}

// judgeProgress judges that bNRcv does not go back in the order of sending, nor
// stays behind in a retry (MC-DPL8R 3.1.5.2.2, 3.1.6.5).
func (j ackJudge) judgeProgress(dir dissect.Dir, next seq.Num) {
	rules, r := &j.c.Rules, &j.Reading
	rule := r31522Mono
	if j.Stamp.Retry {
		rule = r3165Hdrlatest
		j.seeHeader(dir)
	} else if r.Progress == track.Onward {
		rules.PassSet(setAck)
		return
	}
	rules.Pass(r31522Max)
	switch {
	case r.Progress == track.Cycle:
		rules.Unclear(rule, conform.GuardUnwrap, "bNRcv may have advanced by half a cycle or more without being captured")
	case r.Progress == track.WentBack:
		rules.Broken(rule, j.goesBack(&r.Back, next), r.Back.Frame)
		if rule == r3165Hdrlatest && j.sameHeader(dir) {
			j.weighStale(dir, staleRetries-1)
		}
	case r.Progress == track.Late && j.Stamp.Retry && j.keepStale(dir, next):
	default:
		rules.Pass(rule) // … or it was overtaken
	}
}

func (j ackJudge) goesBack(x *track.Told, next seq.Num) string {
	if j.Stamp.Retry {
		return fmt.Sprintf("bNRcv of the retry is %d, %s after the side had sent %d: the header is not the latest", uint8(next), ms(j.Frame.Time-x.Time), uint8(x.Next))
	}
	return fmt.Sprintf("bNRcv is %d, but an earlier frame carried %d", uint8(next), uint8(x.Next))
}

// judgeMask judges a SACK mask (MC-DPL8R 3.1.5.2.3).
func (j ackJudge) judgeMask(dir dissect.Dir, next seq.Num, mask uint64) {
	rules, r := &j.c.Rules, &j.Reading
	top := next + seq.Num(bits.Len64(mask))
	j.bases().count(dir, next, mask, top)
	if r.Ahead {
		return
	}
	if top <= r.Highest {
		rules.Pass(r31523Unsent)
	}
	known := mask
	if over := top - r.Highest; over > 0 {
		known &= ^uint64(0) >> uint(min(63, 64-bits.Len64(mask)+int(over)))
	}
	if known != 0 {
		j.judgeRenege(dir, next, known)
		j.sequence().judgeAdvance(dir, next, known)
	}
}

// judgeRenege judges that a number once selectively acknowledged is not reported
// missing later.
func (j ackJudge) judgeRenege(dir dissect.Dir, next seq.Num, mask uint64) {
	l, rules := &j.side[dir].sequence, &j.c.Rules
	x := &l.mask
	if !x.known {
		x.take(j.judge, next, mask)
		return
	}
	shift := next - x.next
	if shift < 0 || !j.After(&x.Stamp) {
		return
	}
	if first := takenBack(x.bits, mask, shift); first >= 0 {
		j.reportRenege(dir, next+seq.Num(first), takenBack(x.bits>>1, mask>>1, shift) < 0)
	} else if shift < 64 {
		rules.Pass(r31523Renege)
	}
	x.take(j.judge, next, mask)
}

// takenBack gives the first number, counted from the later bNRcv, that a SACK mask
// reports missing although an earlier one, with a bNRcv so much lower, names it; or -1.
func takenBack(earlier, later uint64, shift seq.Num) int {
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
func (j ackJudge) reportRenege(dir dissect.Dir, n seq.Num, shifted bool) {
	b, rules := &j.side[dir].sequence.bases, &j.c.Rules
	x := rules.Here(r31523Renege, fmt.Sprintf("the SACK mask reports %d missing, although an earlier mask acknowledged it", uint8(n)), j.side[dir].sequence.mask.Frame)
	if shifted && !b.bit0 {
		b.against += decisive
		x.Blocked = conform.GuardDial
	}
	rules.Judge(x)
}

func (x *latestMask) take(j *judge, next seq.Num, mask uint64) {
	x.Set(&j.Stamp)
	x.known, x.next, x.bits = true, next, mask
}
