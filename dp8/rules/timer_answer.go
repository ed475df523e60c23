package rules

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// lateAfter is how much later than the quickest acknowledgement one may come, in ns,
// besides the clock's slack: the delay for normal acknowledgements.
const lateAfter = ackNormal

// expect opens a duty for a new number, one at a time.
func (j retryJudge) expect(dir dissect.Dir, num seq.Num, poll bool) {
	u := &j.side[dir].sequence.duty
	if u.open && (u.poll || !poll) || !j.Frame.HasTime {
		return
	}
	if cum, ok := j.Cumulative(dir); !ok || !poll && cum != num {
		return
	}
	u.open, u.poll, u.num, u.at, u.frame = true, poll, num, j.Frame.Time, j.Frame.Frame
}

// acknowledged looks at what else a frame that is no copy says by acknowledging up to
// what it does, when that was applied.
func (j retryJudge) acknowledged(dir dissect.Dir, a *track.Applied) {
	if !j.Frame.HasTime {
		return
	}
	peer := &j.side[dir.Other()]
	l, o := &j.side[dir].sequence, &peer.sequence
	next, mask := j.Said.Next, j.Said.Mask
	if !j.Said.Ahead && a.Known && peer.Numbers.Started && !a.Words.Has(dissect.AckOfUncaptured) {
		j.c.Rules.Pass(r31522Gapack)
	}
	if l.plain++; mask != 0 {
		l.maskedAt, l.plain = j.Frame.Time, 0
	}
	if o.duty.open {
		j.answerDuty(dir, next, mask)
	}
	j.judgeReactions(dir, next, mask)
	if j.timers.opening[dir.Other()].frame != 0 {
		j.settleOpening(dir.Other(), next)
	}
	if o.start.frame != 0 && !o.begun {
		j.sequence().reportStart(dir.Other(), next)
	}
	if j.Said.Ahead || !peer.Numbers.Started {
		return
	}
	seen := peer.Numbers.TopSeen
	o.idle = next == seen+1
	if a.Known && next > a.Cum && o.drops != 0 && a.Cum < peer.GaveUp {
		j.passedGivenUp(dir, a.Cum, next)
	}
	if next <= seen || o.stall.set {
		j.reportStall(dir.Other(), next)
	}
	if mask != 0 || o.alone.waiting {
		j.sequence().reportMissing(dir.Other(), next, mask)
	}
}

// passedGivenUp counts numbers that were passed because a send mask gave them up.
func (j retryJudge) passedGivenUp(dir dissect.Dir, cum, next seq.Num) {
	for n := max(cum, next-dp8.WindowSize); n < next; n++ {
		if look, ok := j.c.Dir[dir.Other()].Look(n); ok && look.GivenUp {
			j.c.Rules.Pass(r31524Advance)
		}
	}
}

// answerDuty judges how long an acknowledgement took. One that came late may only be
// the next one, the first being lost: a single one proves nothing (guard ODDS).
func (j retryJudge) answerDuty(dir dissect.Dir, next seq.Num, mask uint64) {
	u, rules := &j.side[dir.Other()].sequence.duty, &j.c.Rules
	if i := u.num - next - 1; u.num >= next && (i < 0 || i >= seq.Num(bits.Len64(mask)) || mask>>uint(i)&1 == 0) {
		return
	}
	u.open = false
	slack, ok := rules.Slack(dir)
	if !ok {
		return
	}
	took := j.Frame.Time - u.at
	late := took > slack+lateAfter+rules.Horizon() // what the slack was learnt from may have been captured as late
	if u.poll {
		num := lastAcknowledged(next, mask)
		newest := j.Remembered(dir.Other(), num)
		j.answerPoll(dir, took, late, newest.IsKnown() && num > u.num && j.Frame.Time-newest.Time() <= slack+lateAfter)
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
func lastAcknowledged(next seq.Num, mask uint64) seq.Num {
	if mask == 0 {
		return next - 1
	}
	return next + seq.Num(bits.Len64(mask))
}

// pollsLate is how many POLLs in a row must at least be answered late.
const pollsLate = 6

// answerPoll judges the answer to a POLL. One that is late for it and in time for a later
// frame may be the answer to that, the one before being missed: only of a side that is
// mostly late it counts. SACKs have no numbers that tell how many were missed.
func (j retryJudge) answerPoll(dir dissect.Dir, took int64, late, other bool) {
	u, rules := &j.side[dir.Other()].sequence.duty, &j.c.Rules
	u.polls.Enter(late)
	if rules.Check(r2215Pollack, !late) {
		u.run = 0
		return
	}
	if !other || u.polls.Mostly() {
		u.run++
	}
	if u.run < max(pollsLate, j.sequence().needed(dir)) {
		rules.Unclear(r2215Pollack, conform.GuardOdds, "POLL was answered late; an earlier answer may have been lost", u.frame)
		return
	}
	rules.Broken(r2215Pollack, fmt.Sprintf("bSeq %d asked for an immediate acknowledgement (POLL), which came only after %s; the previous %d were as late", uint8(u.num), ms(took), u.run-1), u.frame)
}
