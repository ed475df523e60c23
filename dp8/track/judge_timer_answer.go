package track

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// lateAfter is how much later than the quickest acknowledgement one may come, in ns,
// besides the clock's slack: the delay for normal acknowledgements.
const lateAfter = ackNormal

// expect opens a duty for a new number, one at a time.
func (c retryJudge) expect(dir int, num int64, poll bool) {
	u := &c.side[dir].sequence.duty
	if u.open && (u.poll || !poll) || !c.fr.HasTime {
		return
	}
	if cum, ok := c.Cumulative(dir); !ok || !poll && cum != num {
		return
	}
	u.open, u.poll, u.num, u.at, u.frame = true, poll, num, c.fr.Time, c.fr.Frame
}

// acknowledged looks at what else a frame that is no copy says by acknowledging up to
// what it does, when that was applied.
func (c retryJudge) acknowledged(dir int, cum int64, known bool, words dissect.Words, pure bool) {
	if !c.fr.HasTime {
		return
	}
	l, o := &c.side[dir].sequence, &c.side[1-dir].sequence
	next, mask := c.said.next, c.said.mask
	if !c.said.ahead && known && c.side[1-dir].numbers.started && !words.Has(dissect.AckOfUncaptured) {
		c.c.Rules.Pass(r31522Gapack)
	}
	if l.plain++; mask != 0 {
		l.maskedAt, l.plain = c.fr.Time, 0
	}
	if o.duty.open {
		c.answerDuty(dir, next, mask)
	}
	c.judgeReactions(dir, next, mask)
	if c.timers.opening[1-dir].frame != 0 {
		c.settleOpening(1-dir, next)
	}
	if o.start.frame != 0 && !o.begun {
		c.sequence().reportStart(1-dir, next, pure)
	}
	if c.said.ahead || !c.side[1-dir].numbers.started {
		return
	}
	seen := c.side[1-dir].numbers.seen
	o.idle = next == seen+1
	if known && next > cum && o.drops != 0 && cum < c.side[1-dir].gaveUp {
		c.passedGivenUp(dir, cum, next)
	}
	if next <= seen || o.stall.set {
		c.reportStall(1-dir, next)
	}
	if mask != 0 || o.alone.waiting {
		c.sequence().reportMissing(1-dir, next, mask)
	}
}

// passedGivenUp counts numbers that were passed because a send mask gave them up.
func (c retryJudge) passedGivenUp(dir int, cum, next int64) {
	for n := max(cum, next-dp8.WindowSize); n < next; n++ {
		if look, ok := c.c.Dir[1-dir].Look(n); ok && look.GivenUp {
			c.c.Rules.Pass(r31524Advance)
		}
	}
}

// answerDuty judges how long an acknowledgement took. One that came late may only be
// the next one, the first being lost: a single one proves nothing (guard ODDS).
func (c retryJudge) answerDuty(dir int, next int64, mask uint64) {
	u, rules := &c.side[1-dir].sequence.duty, &c.c.Rules
	if i := u.num - next - 1; u.num >= next && (i < 0 || i >= int64(bits.Len64(mask)) || mask>>uint(i)&1 == 0) {
		return
	}
	u.open = false
	slack, ok := rules.Slack(dir)
	if !ok {
		return
	}
	took := c.fr.Time - u.at
	late := took > slack+lateAfter
	if u.poll {
		num := lastAcknowledged(next, mask)
		newest := c.Remembered(1-dir, num)
		c.answerPoll(dir, took, late, newest != nil && num > u.num && c.fr.Time-newest.time <= slack+lateAfter)
		return
	}
	u.others.Enter(late)
	if rules.Check(r3122Ackdelay, !late) {
		return
	}
	if !u.others.Mostly() {
		rules.Unclear(r3122Ackdelay, conform.GuardSample, "acknowledged late", u.frame)
		return
	}
	rules.Broken(r3122Ackdelay, fmt.Sprintf("%d of %d acknowledgements came late, this one after %s; 100 ms is recommended", u.others.Bad, u.others.N, ms(took)), u.frame)
	u.others = conform.Sample{}
}

// lastAcknowledged is the highest number that bNRcv or the SACK mask acknowledges.
func lastAcknowledged(next int64, mask uint64) int64 {
	if mask == 0 {
		return next - 1
	}
	return next + int64(bits.Len64(mask))
}

// pollsLate is how many POLLs in a row must at least be answered late.
const pollsLate = 6

// answerPoll judges the answer to a POLL. One that is late for it and in time for a later
// frame may be the answer to that, the one before being missed: only of a side that is
// mostly late it counts. SACKs have no numbers that tell how many were missed.
func (c retryJudge) answerPoll(dir int, took int64, late, other bool) {
	u, rules := &c.side[1-dir].sequence.duty, &c.c.Rules
	u.polls.Enter(late)
	if rules.Check(r2215Pollack, !late) {
		u.run = 0
		return
	}
	if !other || u.polls.Mostly() {
		u.run++
	}
	if u.run < max(pollsLate, c.sequence().needed(dir)) {
		rules.Unclear(r2215Pollack, conform.GuardOdds, "POLL was answered late; an earlier answer may have been lost", u.frame)
		return
	}
	rules.Broken(r2215Pollack, fmt.Sprintf("bSeq %d asked for an immediate acknowledgement (POLL), which came only after %s; the previous %d were as late", uint8(u.num), ms(took), u.run-1), u.frame)
}
