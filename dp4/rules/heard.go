package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// hear enters an acknowledgement whose counters were captured. known says that num
// is beyond doubt.
func (j *judge) hearAck(dir dissect.Dir, num seq.Num, known bool) {
	f, s := j.Packet, &j.side[dir].hearing
	if o := &j.side[dir.Other()]; o.early != nil && o.early.Rule == r312RtoInit {
		j.settleEarly(dir.Other(), int64(f.BytesReceived) <= j.Sent(dir.Other())) // no other arrived
	}
	y := heard{set: true, typ: f.Type, num: num, hasNum: known, msg: f.MessageID, serial: f.Serial, tick: f.Tick, bytes: f.BytesReceived,
		frame: j.Frame.Frame, time: j.Frame.Time, epoch: j.Epoch(dir.Other())}
	if f.Type == dp4.TypeNACK {
		y.num--
	}
	if !s.base.set && j.c.Complete {
		// It names a packet that arrived (MC-DPL4R 3.1.5.4).
		if !j.c.Rules.Check(r3154BytesZero, y.bytes > 0) {
			j.broken(r3154BytesZero, "bytes received is 0 in an acknowledgement of data")
		}
	}
	if !j.Frame.HasTime || !s.base.set || y.time-s.base.time > forget {
		*s = hearing{base: y}
		s.clock.start(&y)
		return
	}
	if y.typ == dp4.TypeACK && y.before(&s.base) && int32(y.tick-s.base.tick) > 0 && j.repeatsNumber(dir, &s.base, &y) {
		y.num, y.again = s.base.num, true // what arrived before stays so
		j.c.Rules.Pass(r224Cum)
	}
	if s.doubt.set && j.settleDoubt(dir, &y) {
		return
	}
	switch {
	case s.base.goesOn(&y):
		j.judgeBytes(dir, &y)
		j.judgeCount(dir, &s.base, &y)
		if y.time-s.base.time > answerTime {
			j.judgeSkipped(dir, &s.base, &y)
		}
		j.c.Rules.PassSet(setHeard)
		if known && f.Type == dp4.TypeNACK && y.tick != s.base.tick {
			j.judgeMasks(dir, &y)
		}
		s.past.keep(&s.base)
		if j.judgeClock(dir, &y); y.tick != s.base.tick || y.bytes != s.base.bytes || y.num != s.base.num {
			s.prior = s.base
		}
		s.base = y
	case j.overtaken(&s.base, &y):
		if z, ok := j.refutes(dir, &y); ok {
			s.doubt, s.later = y, z
		}
	default:
		s.doubt, s.later = y, heard{}
	}
}

// overtaken reports that y may have been sent before x, or with it: that is no
// fault. What counted more bytes was sent later, whatever its tick.
func (j *judge) overtaken(x, y *heard) bool {
	switch step := int32(y.tick - x.tick); {
	case step > 0:
		return false
	case step == 0:
		return true
	}
	more := int32(y.bytes - x.bytes)
	return more < 0 || more == 0 && (!j.Fine() || y.time-x.time <= 2*j.c.Rules.Horizon())
}

// repeatsNumber reports whether the ACK y, of a packet before that of x, may be the answer
// to a copy of its packet: it may name what came again (MC-DPL4R 2.2.4, 3.1.5.2). No copy
// came when the only one that was captured is the one it names, its bytes are not counted
// again, and it is longer ago than a network takes to double it: not all count copies.
func (j *judge) repeatsNumber(dir dissect.Dir, x, y *heard) bool {
	out, u := &j.c.Dir[dir.Other()], j.RecordOf(dir.Other(), y.num)
	look, ok := out.Look(y.num)
	return !u.IsKnown() || !ok || look.Copies > 1 || y.serial != u.Low || u.Low != u.High() || int64(y.bytes-x.bytes) >= int64(u.Size) ||
		y.time-u.Last() <= out.MinRTT()+j.c.Rules.Horizon()+seq.CopyDoubt
}

// settleDoubt decides with a third acknowledgement. It reports whether that is done
// with.
func (j *judge) settleDoubt(dir dissect.Dir, z *heard) bool {
	s := &j.side[dir].hearing
	p, x, y := s.prior, s.base, s.doubt
	switch {
	case x.goesOn(z):
		s.doubt = heard{}
		if s.later.set { // the place of y is unknown, so nothing else of it went back
			x = s.later
		}
		j.reportGoingBack(dir, &x, &y, &y, conform.GuardNone)
		return false
	case s.later.set && y.goesOn(z):
		s.doubt = heard{}
		return false
	case y.goesOn(z) && p.set && p.goesOn(&y):
		s.base, s.doubt = y, heard{}
		s.clock.start(&y)
		j.reportGoingBack(dir, &x, &y, &x, conform.GuardNone)
		return false
	case y.goesOn(z):
		g := conform.GuardNone
		if !x.hasNum || !y.hasNum || x.epoch != y.epoch || y.num < x.num {
			g = conform.GuardLife
		}
		j.reportGoingBack(dir, &x, &y, &y, g)
		*s = hearing{base: y}
		s.clock.start(z)
		return false
	}
	if j.overtaken(&x, z) || j.overtaken(&y, z) {
		return true
	}
	j.closeHearing(dir)
	return false
}

// reportGoingBack reports what went back from x to y, at the frame of either.
func (j *judge) reportGoingBack(dir dissect.Dir, x, y, at *heard, g conform.Guard) {
	since := int64(noWindow)
	say := func(rule int, message string) {
		proof := x.frame
		if at == x {
			proof = y.frame
		}
		j.c.Rules.Judge(conform.Case{Rule: rule, Dir: dir, Frame: at.frame, Time: at.time, HasTime: true, Proof: []uint64{proof}, Message: message, Since: since, Blocked: g})
	}
	if int32(y.tick-x.tick) < 0 {
		say(r313TickMono, fmt.Sprintf("tick goes back from %d to %d", x.tick, y.tick))
	}
	switch {
	case int32(y.bytes-x.bytes) >= 0:
	case at == x && x.ahead:
		say(r3154BytesMax, x.excess())
	case at == x: // those before and after agree
		say(r3154BytesMax, fmt.Sprintf("bytes received is %d here, but %d in a later acknowledgement", x.bytes, y.bytes))
	default:
		say(r3154BytesMono, fmt.Sprintf("bytes received goes back from %d to %d", x.bytes, y.bytes))
	}
	if !y.before(x) {
		return
	}
	if u := j.RecordOf(dir.Other(), y.num); u.IsKnown() && y.typ == dp4.TypeACK {
		since = u.Time() // a copy that came again may have been missed
	}
	switch {
	case y.typ == dp4.TypeACK && x.typ == dp4.TypeACK:
		say(r224Cum, fmt.Sprintf("the ACK of sequence %d was followed by one of sequence %d", uint8(x.num), uint8(y.num)))
	case y.typ == dp4.TypeACK:
		say(r224Cum, fmt.Sprintf("everything before sequence %d was reported received, but a later ACK names sequence %d", uint8(x.num+1), uint8(y.num)))
	case x.typ == dp4.TypeACK:
		say(r223MaskLie, fmt.Sprintf("sequence %d is reported missing after the ACK of sequence %d, which covers it", uint8(y.num+1), uint8(x.num)))
	default:
		say(r223First, fmt.Sprintf("the first missing sequence was reported as %d, then as %d", uint8(x.num+1), uint8(y.num+1)))
		if int8(y.msg-x.msg) < 0 {
			say(r3153AckPrior, fmt.Sprintf("a NACK for message %d, which means that all earlier messages arrived, is followed by one for message %d", x.msg, y.msg))
		}
	}
}

// closeHearing ends what no further acknowledgement decides.
func (j *judge) closeHearing(dir dissect.Dir) {
	s := &j.side[dir].hearing
	if s.doubt.set {
		x, y := s.base, s.doubt
		if s.later.set {
			x = s.later
		}
		s.doubt = heard{}
		j.reportGoingBack(dir, &x, &y, &y, conform.GuardHold)
	}
}

// judgeMasks compares a NACK with the one before: what its mask said was received
// is not missing later (MC-DPL4R 2.2.3, AMB-DP4-15).
func (j *judge) judgeMasks(dir dissect.Dir, y *heard) {
	rules, f, s := &j.c.Rules, j.Packet, &j.side[dir].hearing
	rules.Pass(r223First)
	rules.Pass(r3153AckPrior)
	last, first := s.mask, y.num+1
	s.mask = lastMask{true, first, f.Mask, j.Frame.Frame, y.epoch}
	if !last.set || last.epoch != y.epoch {
		rules.Pass(r223MaskLie)
		return
	}
	lie := func(n seq.Num) bool {
		i := n - last.first - 1
		return i >= 0 && i < seq.Num(maskTop(last.mask)) && last.mask>>i&1 == 0
	}
	n, lied := first, lie(first)
	for i := range maskTop(f.Mask) {
		if !lied && f.Mask>>i&1 != 0 {
			n = first + 1 + seq.Num(i)
			lied = lie(n)
		}
	}
	if !rules.Check(r223MaskLie, !lied) {
		x := rules.Here(r223MaskLie, fmt.Sprintf("sequence %d is reported missing after a mask reported that it arrived", uint8(n)), last.frame)
		x.Since, x.Milder = noWindow, true // AMB-DP4-04
		rules.Judge(x)
	}
}
