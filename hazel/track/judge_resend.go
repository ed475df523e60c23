package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeSending judges a datagram with a number of its own.
func (c deliveryJudge) judgeSending(dir int, n number, v seq.Verdict) {
	if v.Words.Has(dissect.Duplicate) || !c.fr.HasTime {
		return
	}
	s, fr := &c.side[dir], c.fr
	switch x := s.packets.at(n.engine); {
	case v.Novelty == seq.First:
		if x := s.packets.put(n.engine, fr.Time); x != nil {
			x.fill(fr, c.f)
		}
		s.sendings++
		c.judgeNew(dir, n, v)
	case v.Novelty == seq.Again && x != nil:
		c.judgeAgain(dir, n.engine, x)
	}
}

// judgeNew judges the first captured sending of a number.
func (c deliveryJudge) judgeNew(dir int, n number, v seq.Verdict) {
	s, rules := &c.side[dir], &c.c.Rules
	if s.top.known && n.engine > s.top.num {
		if s.odd != nil && n.engine-s.top.num < limits.AckExcess {
			s.odd.confirmed = true // the numbers go on as before
			s.odd = nil
		}
		if len(s.strays) > 0 {
			c.witness(dir, n.engine)
		}
		switch next := n.engine == s.top.num+1; {
		case next && c.f.ID == s.top.id+1:
			s.swapped = 0
			rules.PassSet(passesNext)
		case next:
			rules.Pass(rRelIdSeq)
			rules.Pass(rRelIdUnique)
			c.judgeEndian(dir)
		default:
			s.jump = max(s.jump, n.engine-s.top.num)
			c.judgeEndian(dir)
		}
	}
	if c.c.Complete && s.top.known && n.wire < 0 {
		rules.Broken(rRelIdSeq, fmt.Sprintf("ID %d is before the first one", c.f.ID))
	}
	c.sessions().judgeIdle(dir, n.engine)
	if !s.top.known || n.engine > s.top.num {
		s.top.pause = max(s.top.pause, c.fr.Time-s.top.at)
		if !s.top.known {
			s.top.pause, s.low, s.lowFrame, s.lowAt = 0, n, c.fr.Frame, c.fr.Time
		}
		s.top.num, s.top.at, s.top.known, s.top.id, s.top.frame = n.engine, c.fr.Time, true, c.f.ID, c.fr.Frame
	}
	if g := &s.forgotten; c.fr.Time >= g.until || s.top.num-g.next >= packetLimit {
		c.sessions().judgeForgotten(dir)
	}
	if len(s.asm.open) > 0 {
		c.headers().judgeParts(dir)
	}
	if s.tries.n > 0 {
		c.sessions().judgeGiveUp(dir)
	}
}

// endianRun ids in a row that step by 256 prove that a side sends the bytes of an id in
// the wrong order.
const endianRun = 8

// judgeEndian judges whether ids are big-endian (Hazel page, Header Data).
func (c deliveryJudge) judgeEndian(dir int) {
	s, rules := &c.side[dir], &c.c.Rules
	switch step := c.f.ID - s.top.id; step {
	case 1:
		s.swapped = 0
		rules.Pass(rHdrBigendian)
	case 0x0100:
		if s.swapped++; s.swapped == endianRun {
			rules.Broken(rHdrBigendian, fmt.Sprintf("%d new IDs in a row grow by 256, up to %04X: they are little-endian", endianRun, c.f.ID))
		}
	default:
		s.swapped = 0
	}
}

// judgeAgain judges a further sending of a number.
func (c deliveryJudge) judgeAgain(dir int, n int64, x *sentPacket) {
	s, rules, fr := &c.side[dir], &c.c.Rules, c.fr
	first, ok := c.c.Dir[dir].Look(n)
	differs, sure := x.differs(fr, c.f, &c.sent, &first)
	if !ok || !sure {
		return
	}
	if differs {
		c.judgeOther(dir, n, x, &first)
		return
	}
	gap := fr.Time - x.last
	if gap <= 0 || fr.IPID == 0 && gap <= max(rules.Horizon(), lateCopy) {
		return // it may be a copy
	}
	rules.Pass(rRelResendSame)
	s.sendings++
	s.resendings++
	if x.times == 1 {
		s.again++
	}
	c.pairSending(x, &first)
	c.judgeGap(dir, x, gap, &first)
	c.judgeNeeded(dir, n, x, &first)
	c.judgeUnanswered(dir, n, x, &first)
	r := x.resent()
	r.before, r.gap = r.gap, gap
	x.times, x.last = min(x.times, 254)+1, fr.Time
}

// Times between sendings of one packet, in ns.
const (
	longestGap = 6e9   // that a release leaves
	lateCopy   = 90e6  // up to which one without identification may be a copy, overtaken
	gapJitter  = 15e6  // by which the path may change one
	gapSpan    = 250e6 // Ack3 looks at its timers every 100 ms: below, two gaps may be equal
	gapCap     = 900e6 // from here on those of Ack3 need not grow
	quickest   = 180e6 // below this no release resends before a round trip
	earlyTimes = 20
)

// judgeGap judges the time since the sending before (Hazel page, Reliable
// Delivery: the time before the next resend is doubled). Sendings that were lost
// before the capture point join gaps: one such leaves a ratio of 1.33, two of
// 1.14, so that only less is proof, or several low ones in a row. Of the release that
// lets them grow by half, one leaves 0.9: there several in a row alone are.
func (c deliveryJudge) judgeGap(dir int, x *sentPacket, gap int64, first *seq.Look) {
	rules, s, may := &c.c.Rules, &c.side[dir], c.headers().possible(dir)
	concluded := c.c.Dialect == hazel.DialectNames[hazel.Spec] && may != hazel.SetOf(hazel.Spec)
	if concluded {
		may = hazel.SetOf(hazel.Spec) // as the other side does
	}
	latest, before := x.gaps()
	if latest > longestGap || gap%1e9 == 0 && latest%1e9 == 0 {
		return // no sender waits so long, or the clock is a coarse one
	}
	if x.times == 1 {
		c.judgeEarly(dir, gap)
		return
	}
	if !may.Within(mays|hazel.ShortAcks) || may.Within(hazel.WithPing) || c.f.Type == hazel.Hello && !s.top.moved(first.Time) || x.marks&toldGap != 0 {
		return
	}
	modern := may.Has(hazel.Ack3)
	least := 1.6
	if may.Has(hazel.V01) || modern {
		least = 1.3
	}
	ratio := float64(gap) / float64(latest)
	flat := float64(gap+gapJitter) <= 1.12*float64(latest)
	low := float64(gap+gapJitter) <= least*float64(latest)
	steady := x.marks&wasLow != 0 && below(gap, before, 3.2)
	if least < 1.6 {
		steady = x.marks&wasLow != 0 && below(gap, before, 1.9)
	}
	flat = flat && below(gap, latest, 1.9)
	broken := flat && !modern && !may.Has(hazel.V01) || low && steady
	if modern {
		broken = gap < gapCap && (flat && latest >= gapSpan || low && steady)
	}
	if x.marks &^= wasLow; low {
		x.marks |= wasLow
	}
	switch {
	case broken:
		x.marks |= toldGap
		b := rules.Here(rRelBackoff, fmt.Sprintf("ID %d is resent after %d ms, and the interval before was %d ms: it does not double", c.f.ID, gap/1e6, latest/1e6), first.Frame)
		b.Since, b.Milder = first.Time, concluded
		rules.Judge(b)
	case ratio >= least && ratio <= 2.5:
		rules.Pass(rRelBackoff)
	case !modern:
		rules.Unclear(rRelBackoff, conform.GuardClean, fmt.Sprintf("ID %d is resent after %d ms, and the interval before was %d ms", c.f.ID, gap/1e6, latest/1e6), first.Frame)
	}
}

// below reports a gap that was less than so many times an earlier one, however
// much the path moved their ends.
func below(gap, earlier int64, times float64) bool {
	return float64(gap+2*seq.CopyHorizon) < times*float64(earlier-2*seq.CopyHorizon)
}

// judgeEarly judges a first resend that comes before any answer could.
func (c deliveryJudge) judgeEarly(dir int, gap int64) {
	s, rules, rtt := &c.side[dir], &c.c.Rules, c.c.Dir[dir].MinRTT()
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
func (c deliveryJudge) judgeNeeded(dir int, n int64, x *sentPacket, first *seq.Look) {
	rules := &c.c.Rules
	if !first.Acked {
		rules.Pass(rRelNoresend)
		return
	}
	c.side[dir].copies.await(n, c.fr)
	c.judgeIgnored(dir, x, first)
	c.judgeRepeated(dir, n, x, first)
	slack, ok := rules.Slack(dir)
	if x.acks < knownAcks || !ok || x.marks&toldKnown != 0 || c.fr.Time-x.again.known <= slack {
		return
	}
	heard, since := 0, 0 // numbers whose acknowledgements arrive
	for i := int64(1); i <= 16; i++ {
		if l, ok := c.c.Dir[dir].Look(n + i); ok && l.Acked && !l.Retried {
			if heard++; l.Time > first.AckTime {
				since++
			}
		}
	}
	told := knownAcks
	if c.fr.Time-x.ackAt > slack {
		told = max(told, min(int(x.acks), since+1)) // those apart
	}
	if heard < 8 && (since < goesOn || !c.incredible(int(x.times)+1, told)) {
		return
	}
	x.marks |= toldKnown
	rules.Broken(rRelNoresend, fmt.Sprintf("ID %d is resent after %d acknowledgements, the last %d ms ago", c.f.ID, x.acks, (c.fr.Time-x.again.known)/1e6), first.Frame)
}
