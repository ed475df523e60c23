package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeTransmission judges a datagram with a number of its own.
func (j *judge) judgeTransmission(dir dissect.Dir) {
	n, v := j.Number, j.Verdict
	if v.Words.Has(dissect.Duplicate) || !j.Frame.HasTime {
		return
	}
	switch {
	case v.Novelty == seq.First:
		if j.side[dir.Other()].ahead.open > 0 {
			j.judgeAhead(dir, n.Engine)
		}
		j.judgeNew(dir, n)
	case j.Record.IsKnown():
		j.judgeAgain(dir, n.Engine)
	}
	if j.Late {
		j.judgeClaimed(dir, n.Engine)
	}
}

// judgeNew judges the first captured transmission of a number.
func (j *judge) judgeNew(dir dissect.Dir, n track.Number) {
	s, rules, top := &j.side[dir], &j.c.Rules, &j.Before
	if top.Sent && n.Engine > top.Top {
		if s.odd != nil && n.Engine-top.Top < track.AckExcess {
			s.odd.confirmed = true // the numbers go on as before
			s.odd = nil
		}
		switch next := n.Engine == top.Top+1; {
		case next && j.Packet.ID == top.TopID+1:
			s.swapped = 0
			rules.PassSet(passesNext)
		case next:
			rules.Pass(rRelIdSeq)
			rules.Pass(rRelIdUnique)
			j.judgeEndian(dir)
		default:
			s.jump = max(s.jump, n.Engine-top.Top)
			j.judgeEndian(dir)
		}
	}
	if j.c.Complete && top.Sent && n.Wire < 0 {
		rules.Broken(rRelIdSeq, fmt.Sprintf("ID %d is before the first one", j.Packet.ID))
	}
	j.judgeIdle(dir, n.Engine)
	if g := &s.forgotten; j.Frame.Time >= g.until || s.Top-g.next >= track.RecordLimit {
		j.judgeForgotten(dir)
	}
	if len(j.Partial(dir)) > 0 {
		j.judgeParts(dir)
	}
	if len(j.Tries(dir)) > 0 {
		j.judgeGiveUp(dir)
	}
}

// endianRun ids in a row that step by 256 prove that a side sends the bytes of an id in
// the wrong order.
const endianRun = 8

// judgeEndian judges whether ids are big-endian (Hazel page, Header Data).
func (j *judge) judgeEndian(dir dissect.Dir) {
	s, rules := &j.side[dir], &j.c.Rules
	switch step := j.Packet.ID - j.Before.TopID; step {
	case 1:
		s.swapped = 0
		rules.Pass(rHdrBigendian)
	case 0x0100:
		if s.swapped++; s.swapped == endianRun {
			rules.Broken(rHdrBigendian, fmt.Sprintf("%d new IDs in a row grow by 256, up to %04X: they are little-endian", endianRun, j.Packet.ID))
		}
	default:
		s.swapped = 0
	}
}

// judgeAgain judges a further transmission of a number.
func (j *judge) judgeAgain(dir dissect.Dir, n seq.Num) {
	switch {
	case j.Differs:
		j.judgeOther(dir, n, &j.First)
		return
	case !j.Counted:
		return // it may be a copy
	}
	j.c.Rules.Pass(rRelResendSame)
	x := j.resent(dir, n)
	j.judgeGap(dir, x, &j.First)
	j.judgeNeeded(dir, n, x, &j.First)
	j.judgeUnanswered(dir, n, x, &j.First)
}

// Times between transmissions of one packet, in ns.
const (
	longestGap = 6e9   // that a release leaves
	gapJitter  = 15e6  // by which the path may change one
	gapSpan    = 250e6 // Ack3 looks at its timers every 100 ms: below, two gaps may be equal
	gapCap     = 900e6 // from here on those of Ack3 need not grow
	quickest   = 180e6 // below this no release resends before a round trip
	earlyTimes = 20
)

// judgeGap judges the time since the transmission before (Hazel page, Reliable
// Delivery: the time before the next resend is doubled). Transmissions that were lost
// before the capture point join gaps: one such leaves a ratio of 1.33, two of 1.14,
// three of 1.07, so that only two low ones in a row are proof. Those of Ack3 below
// gapCap are two, of 300 and 600 ms.
func (j *judge) judgeGap(dir dissect.Dir, x *resent, first *seq.Look) {
	rules, s, may, gap := &j.c.Rules, &j.side[dir], j.Possible(dir), j.Gap
	concluded := j.c.Dialect == hazel.DialectNames[hazel.Spec] && may != hazel.SetOf(hazel.Spec)
	if concluded {
		may = hazel.SetOf(hazel.Spec) // as the other side does
	}
	latest, before := j.Gaps[0], j.Gaps[1]
	if latest > longestGap || gap%1e9 == 0 && latest%1e9 == 0 {
		return // no sender waits so long, or the clock is a coarse one
	}
	if j.Was.Times == 1 {
		j.judgeEarly(dir, gap)
		return
	}
	if !may.Within(mays|hazel.ShortAcks) || may.Within(hazel.WithPing) || j.Packet.Type == hazel.Hello && s.TopAt <= first.Time || x.marks&toldGap != 0 {
		return
	}
	modern := may.Has(hazel.Ack3)
	least := 1.6
	if may.Has(hazel.V01) || modern {
		least = 1.3
	}
	ratio := float64(gap) / float64(latest)
	low := float64(gap+gapJitter) <= least*float64(latest)
	steady := x.marks&wasLow != 0 && below(gap, before, 3.2)
	if least < 1.6 {
		steady = x.marks&wasLow != 0 && below(gap, before, 1.9)
	}
	broken := low && steady
	if modern {
		flat := float64(gap+gapJitter) <= 1.12*float64(latest) && below(gap, latest, 1.9)
		broken = gap < gapCap && (flat && latest >= gapSpan || broken)
	}
	if x.marks &^= wasLow; low {
		x.marks |= wasLow
	}
	switch {
	case broken:
		x.marks |= toldGap
		b := rules.Here(rRelBackoff, fmt.Sprintf("ID %d is resent after %d ms, and the interval before was %d ms: it does not double", j.Packet.ID, gap/1e6, latest/1e6), first.Frame)
		b.Since, b.Milder = first.Time, concluded
		rules.Judge(b)
	case ratio >= least && ratio <= 2.5:
		rules.Pass(rRelBackoff)
	case !modern:
		rules.Unclear(rRelBackoff, conform.GuardClean, fmt.Sprintf("ID %d is resent after %d ms, and the interval before was %d ms", j.Packet.ID, gap/1e6, latest/1e6), first.Frame)
	}
}

// below reports a gap that was less than so many times an earlier one, however
// much the path moved their ends.
func below(gap, earlier int64, times float64) bool {
	return float64(gap+2*seq.CopyHorizon) < times*float64(earlier-2*seq.CopyHorizon)
}

// judgeEarly judges a first resend that comes before any answer could.
func (j *judge) judgeEarly(dir dissect.Dir, gap int64) {
	s, rules, rtt := &j.side[dir], &j.c.Rules, j.c.Dir[dir].MinRTT()
	if rtt == 0 {
		return
	}
	if rules.Check(rRelEarly, gap+gapJitter >= min(rtt, quickest)) {
		return
	}
	if s.early++; s.early == earlyTimes {
		rules.Broken(rRelEarly, fmt.Sprintf("%d packets were resent sooner than the shortest round trip, %d ms; this one after %d ms", s.early, rtt/1e6, gap/1e6))
	}
}

// judgeNeeded judges a resend of what was acknowledged (Hazel page: it should not
// resend the data again). That the sender knows is certain only by numbers.
func (j *judge) judgeNeeded(dir dissect.Dir, n seq.Num, x *resent, first *seq.Look) {
	rules := &j.c.Rules
	if !first.Acked {
		rules.Pass(rRelNoresend)
		return
	}
	j.side[dir].copies.await(n, j.Frame)
	j.judgeIgnored(dir, x, first)
	j.judgeRepeated(dir, n, x, first)
	slack, ok := rules.Slack(dir)
	if j.Was.Acks < track.KnownAcks || !ok || x.marks&toldKnown != 0 || j.Frame.Time-j.Record.KnownAt() <= slack {
		return
	}
	heard, since := 0, 0 // numbers whose acknowledgements arrive
	for i := seq.Num(1); i <= 16; i++ {
		if l, ok := j.c.Dir[dir].Look(n + i); ok && l.Acked && !l.Retried {
			if heard++; l.Time > first.AckTime {
				since++
			}
		}
	}
	told := track.KnownAcks
	if j.Frame.Time-j.Was.AckAt > slack {
		told = max(told, min(int(j.Was.Acks), since+1)) // those apart
	}
	if heard < 8 && since < track.GoesOn || !j.beyondChance(int(j.Was.Times)+1, told, 0) {
		return
	}
	x.marks |= toldKnown
	y := rules.Here(rRelNoresend, fmt.Sprintf("ID %d is resent after %d acknowledgements, the last %d ms ago", j.Packet.ID, j.Was.Acks, (j.Frame.Time-j.Record.KnownAt())/1e6), first.Frame)
	if !rules.ClockFine() {
		y.Blocked = conform.GuardClock
	}
	rules.Judge(y)
}
