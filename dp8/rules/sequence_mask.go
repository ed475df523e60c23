package rules

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeSendMask judges a send mask relative to a number (MC-DPL8R 3.1.5.2.4): bit i
// gives up before-1-i. mask is what is believed of it.
func (j sequenceJudge) judgeSendMask(dir dissect.Dir, before seq.Num) {
	if j.side[dir].sequence.alone.waiting {
		j.judgeSilence(dir, before, j.Giving.Told)
	}
	rules, g := &j.c.Rules, &j.Giving
	if !g.Heard {
		return
	}
	if g.Whole && !rules.Check(r31524Unsent, g.Beyond == 0) {
		rules.Broken(r31524Unsent, fmt.Sprintf("bit %d of the send mask names a number before the first; the mask counts down from %d", 63-bits.LeadingZeros64(g.Beyond), before))
	}
	switch {
	case g.Reliable == 0 && g.Known > 0:
		rules.Pass(r31524Reliable)
		rules.Pass(r31524Base)
	case g.Reliable == 0:
	case g.FromNext:
		x := rules.Here(r31524Base, fmt.Sprintf("the send mask in the retry of %d makes sense only relative to the next number, %d", uint8(before), uint8(j.side[dir].Numbers.TopSeen+1)))
		if !j.Unwrapped(dir, j.side[dir].History.SureSince) {
			x.Blocked = conform.GuardUnwrap
		}
		rules.Judge(x)
	default:
		n := before - 1 - seq.Num(bits.TrailingZeros64(g.Reliable))
		rules.Broken(r31524Reliable, fmt.Sprintf("the send mask names %d, which is reliable", uint8(n)), j.Remembered(dir, n).Frame())
	}
	j.judgeGivenUp(dir, before, j.Said.Drops)
}

// judgeGivenUp judges that a send mask names what the side does not know to be
// acknowledged. Masks repeat themselves: only bits that the one before did not
// have count.
func (j sequenceJudge) judgeGivenUp(dir dissect.Dir, before seq.Num, mask uint64) {
	l, rules := &j.side[dir].sequence, &j.c.Rules
	fresh := mask
	switch shift := before - l.dropsAt; {
	case shift >= 0 && shift < 64:
		fresh &^= l.drops << uint(shift)
	case shift < 0 && shift > -64: // of a retry
		fresh &^= l.drops >> uint(-shift)
	}
	l.drops, l.dropsAt = mask, before
	received, ok := j.Received(dir, j.nrcv())
	for ; fresh != 0 && ok; fresh &= fresh - 1 {
		n := before - 1 - seq.Num(bits.TrailingZeros64(fresh))
		look, _ := j.c.Dir[dir].Look(n)
		switch by, at, _ := j.acks().knew(dir, received, n); {
		case look.GivenUp: // by an earlier mask
			rules.Pass(r31524Acked)
		case by.IsKnown() && !j.ToldBefore(dir, j.Frame.Frame, at):
			rules.Unclear(r31524Acked, conform.GuardClean, "the send mask names an acknowledged number, which an earlier mask may have named in time")
		case by.IsKnown():
			rules.Broken(r31524Acked, fmt.Sprintf("the send mask names %d, although the side had received its acknowledgement with bSeq %d", uint8(n), by.Seq()), by.Frame())
			return
		case look.Acked:
			rules.Unclear(r31524Acked, conform.GuardKnew, "the send mask names an acknowledged number")
		default:
			rules.Pass(r31524Acked)
		}
	}
}

// judgeAdvance judges that a side does not wait for a number it was told was given
// up: it acknowledges, selectively, a frame that said so. Masks repeat themselves: what a
// frame does not give up, its retries do not either, and it is looked at once.
func (j sequenceJudge) judgeAdvance(dir dissect.Dir, next seq.Num, mask uint64) {
	l := &j.side[dir].sequence
	gave := j.side[dir.Other()].History.Dropped - next // of the numbers the mask can name, this many may have given up next
	if gave <= 0 || mask == 0 || l.odd || l.isStuck && l.stuck == next || !j.c.Dir[dir.Other()].GaveUp(next) {
		return
	}
	if gave < 64 {
		mask &= 1<<uint(gave) - 1
	}
	if l.spared.next != next {
		l.spared = spared{next: next}
	}
	for mask &^= l.spared.bits; mask != 0; mask &= mask - 1 {
		q := next + 1 + seq.Num(bits.TrailingZeros64(mask))
		k := j.Carried(dir.Other(), q)
		if !k.IsKnown() {
			continue
		}
		l.spared.bits |= mask & -mask
		if j.side[dir.Other()].History.Drops(k)>>uint(q-1-next)&1 != 0 {
			l.isStuck, l.stuck = true, next
			j.c.Rules.Broken(r31524Advance, fmt.Sprintf("bNRcv stays at %d, although the SACK mask says that bSeq %d arrived, whose send mask gave up %d", uint8(next), uint8(q), uint8(next)), k.Frame())
			return
		}
	}
}

// maskDue is how long after the other side began to wait for an unreliable number, and for no
// lower one, a send mask must have announced its loss, in ns: several periods of the retry timer.
const maskDue = 3e9

// reportMissing notes a number that the other side waits for while later ones
// arrived.
func (j sequenceJudge) reportMissing(dir dissect.Dir, next seq.Num, mask uint64) {
	u := &j.side[dir].sequence.alone
	if u.waiting && u.num != next {
		if !u.judged && u.num < next {
			j.c.Rules.Pass(r3165UnrelMask)
		}
		u.waiting = false
	}
	if mask == 0 {
		return
	}
	if u.waiting {
		u.told = j.Frame.Time
		return
	}
	if s := &j.side[dir].sequence.stall; s.set && s.num == next {
		return // it is reliable
	}
	if f := j.Remembered(dir, next); f.IsKnown() && f.Command&dp8.Reliable == 0 {
		*u = unmasked{num: next, frame: f.Frame(), sent: f.Time(), since: j.Frame.Time, told: j.Frame.Time, waiting: true}
	}
}

// judgeSilence judges that the loss of an unreliable number is announced: its side
// goes on sending, and no frame names it (MC-DPL8R 3.1.6.5).
func (j sequenceJudge) judgeSilence(dir dissect.Dir, before seq.Num, mask uint64) {
	u, rules := &j.side[dir].sequence.alone, &j.c.Rules
	if i := before - 1 - u.num; i >= 0 && i < 64 && mask>>uint(i)&1 != 0 {
		rules.Pass(r3165UnrelMask)
		u.waiting = false
		return
	}
	if u.judged || j.Frame.Time-u.since < maskDue || u.told-u.since < maskDue || before-1-u.num >= 64 {
		return
	}
	if u.frames++; u.frames > j.neededOf(dir) {
		u.judged = true
		x := rules.Here(r3165UnrelMask, fmt.Sprintf("no send mask names %d, which is unreliable and lost, and for which the other side has waited %s", uint8(u.num), ms(j.Frame.Time-u.since)), u.frame)
		if !rules.Clean(u.sent) {
			x.Blocked = conform.GuardClean
		}
		rules.Judge(x)
	}
}
