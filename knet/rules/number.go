package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// setNumber are the rules that a PacketID passes that is new and in its place.

// judgeNumber judges a PacketID by those before it; old is what was captured under it.
func (c numberJudge) judgeNumber(dir dissect.Dir, sent *seq.Sending, old sentDatagram) {
	s := &c.side[dir]
	r, o := &s.datagrams, &s.order
	switch {
	case !r.has:
	case old.isKnown() && !old.suspect && !old.tainted && old.Digest() != sent.Digest() && !c.WasCut(dir, sent.Num) && !c.Frame.Cut():
		c.odd(dir, rDgIdUnique, fmt.Sprintf("PacketID %d was sent earlier with different content", c.Datagram.PacketID), old.Time(), old.Frame())
		return
	case !old.isKnown() && sent.Num < r.top && c.back(dir, sent):
		c.odd(dir, rDgIdBack, fmt.Sprintf("PacketID %d comes long after %d was sent", c.Datagram.PacketID, r.top&knet.PacketIDMask), r.topAt, 0)
		return
	case !old.isKnown() && sent.Num < r.top && sent.Time-r.topAt >= track.ReconnectGap:
		c.peerOfAnother(dir)
	case sent.Num > r.top:
		if c.settleOdd(o, sent.Num-r.top <= track.FarIDs && sent.Num > o.odd.top) {
			c.Forget(dir)
			return
		}
		c.judgeStep(dir, sent.Num-r.top)
	}
	c.c.Rules.PassSet(setNumber)
}

// odd keeps a suspicion until the side goes on. Where it goes on from there, it has
// begun again. What it is compared with was captured at a time.
func (c numberJudge) odd(dir dissect.Dir, rule int, message string, at int64, proof uint64) {
	s := &c.side[dir]
	o := &s.order.odd
	c.frames().quarantine()
	if c.Over() && c.Datagram.Dialect == knet.Spec || s.ending.disc.set {
		s.ending.moot = true
		return // another connection, of which the start was not captured
	}
	if o.runs++; o.runs == 1 {
		o.from, o.last = c.mark(dir.Other()), s.datagrams.topAt
		o.soon = c.Frame.Time-o.last < track.ReconnectGap
	}
	if o.same = o.same || rule == rDgIdUnique && o.runs > 1 && c.goesOnAcross(dir, o); o.same {
		c.retrace(o, c.c.Rules.Here(rule, message, proof))
		return
	}
	if o.runs > 2 {
		if o.runs > mostRetraced || c.side[dir.Other()].datagrams.top > o.from.top {
			c.Forget(dir)
		}
		return
	}
	if o.set {
		if o.Blocked == conform.GuardLife {
			c.Forget(dir) // twice in a row, after a silence: another connection
		}
		return // a series of its own, for all that shows
	}
	if o.runs == 1 {
		o.set, o.top, o.Case = true, s.datagrams.top, c.c.Rules.Here(rule, message, proof)
		if c.Frame.Time-s.datagrams.topAt >= track.ReconnectGap || c.resumedAt > at {
			o.Blocked = conform.GuardLife // longer than a connected side is silent
		}
	}
}

// mostRetraced is how many PacketIDs in a row may be used again before it must show that
// the connection is the same.
const mostRetraced = 16

// goesOnAcross reports that a side that comes to PacketIDs it had before is that of the
// same connection: with another, its peer would have begun again as well, and its
// PacketIDs go on without a gap. With Reference a server may begin again alone.
func (c numberJudge) goesOnAcross(dir dissect.Dir, o *oddNumber) bool {
	r := &c.side[dir.Other()].datagrams
	if c.Datagram.Dialect != knet.Spec && dir != c.Client() {
		return false
	}
	return o.soon && r.top > o.from.top && c.intact(dir.Other(), o.last)
}

// retrace judges a PacketID that a side uses a second time, among others.
func (c numberJudge) retrace(o *oddNumber, x conform.Case) {
	if o.set {
		o.set = false
		c.c.Rules.Judge(o.Case)
	}
	c.c.Rules.Judge(x)
}

// settleOdd ends a suspicion: the side goes on as if it had not been, or not. It reports
// whether the side may have begun again before, after a silence: then it goes on from there.
func (c numberJudge) settleOdd(o *order, goesOn bool) (again bool) {
	if !o.odd.set && o.odd.runs == 0 {
		return false
	}
	if o.odd.set && o.odd.runs == 1 {
		again = o.odd.Blocked == conform.GuardLife
		if !goesOn {
			o.odd.Blocked = conform.GuardLife
		}
		c.c.Rules.Judge(o.odd.Case)
	}
	o.odd = oddNumber{}
	return again
}

// back reports a PacketID that was never captured and lies too far back to be late.
// A reliable datagram of Spec may have been sent before, without being captured.
func (c numberJudge) back(dir dissect.Dir, sent *seq.Sending) bool {
	if c.Datagram.Dialect == knet.Spec && c.Datagram.Reliable {
		return false
	}
	r := &c.side[dir].datagrams
	if sent.Num < r.low {
		return c.known() && (sent.Num < r.low-track.FarIDs/4 || c.fromStart(dir) && sent.Time-r.startAt > c.longLate())
	}
	if r.forgot(sent.Num) {
		return false
	}
	for n := sent.Num + 1; n <= r.top && n < sent.Num+mostLooked; n++ {
		if x := r.at(n); x.isKnown() && !x.suspect {
			return sent.Time-x.Time() > c.longLate()
		}
	}
	return false
}

// longLate is longer than any datagram is late, in ns.
func (c numberJudge) longLate() int64 { return max(2e9, 4*c.horizon()) }

const (
	stepsLooked = 50 // steps that are looked at together
	stepsAcked  = 12 // acknowledgements that must come meanwhile
)

// judgeStep judges the steps between PacketIDs. Skipped ones are lost ones, unless
// all steps are equal and none of the skipped is ever acknowledged.
func (c numberJudge) judgeStep(dir dissect.Dir, step seq.Num) {
	o := &c.side[dir].order
	if o.divisor != 1 {
		c.judgeDivisor(dir, step)
	}
	switch {
	case step == 1:
		o.steps[0]++
	case step == o.step:
		o.steps[1]++
	default:
		o.steps[2]++
		o.step, o.frame = step, c.Frame.Frame
	}
	n := o.steps[0] + o.steps[1] + o.steps[2]
	if n < stepsLooked {
		return
	}
	rules := &c.c.Rules
	if rules.Check(rDgIdInc, o.steps[1] <= n*9/10) {
	} else if !o.told {
		c.reportStep(rules.Here(rDgIdInc, ""), o.step, o.acks)
	}
	o.steps, o.acks = [3]int{}, 0
}

// stepsAllAlong is the number of steps that must have been multiples of one number for a side to be
// said to count by it all along.
const stepsAllAlong = 24

// judgeDivisor judges the steps of a side that has never counted by one: whatever was lost,
// none of those that it passes over was captured.
func (c numberJudge) judgeDivisor(dir dissect.Dir, step seq.Num) {
	o := &c.side[dir].order
	if o.all == 0 {
		o.frame = c.Frame.Frame
	}
	if o.divisor = gcd(o.divisor, step); o.divisor == 1 || o.told {
		return
	}
	if o.all++; o.all >= stepsAllAlong && o.known >= stepsAcked {
		c.reportStep(c.c.Rules.Here(rDgIdInc, ""), o.divisor, o.known)
	}
}

// reportStep reports a side for counting its PacketIDs by more than one: those it passes
// over are never acknowledged, while so many others are.
func (c numberJudge) reportStep(x conform.Case, step seq.Num, acks int) {
	o := &c.side[x.Dir].order
	o.told = true
	x.Rule, x.Frame, x.Message = rDgIdInc, o.frame, fmt.Sprintf("PacketIDs grow by %d, and none of those in between is ever acknowledged", step)
	if out := &c.c.Dir[x.Dir]; acks < stepsAcked || out.Offloaded() || out.Lost().NotCaptured > 0 || out.Quality().UncapturedAcked() {
		x.Blocked = conform.GuardReord
	}
	c.c.Rules.Judge(x)
}

func gcd(a, b seq.Num) seq.Num {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
