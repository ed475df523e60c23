package rules

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

const (
	maxAhead  = 8
	noNumber  = -1 << 62
	longAfter = 500e6 // ns: later than anything is late
	fewLater  = 3
	fewAheads = 2   // where more come, the clocks of the capture may differ
	tooLow    = 256 // below the first PacketID captured of a connection whose start was
	manyAcks  = 4   // of unreliable datagrams: a habit; of one datagram: more than its copies
)

// unwrapped is a PacketID of a side as near as can be to those it sent.
func (r *datagrams) unwrapped(id uint32) seq.Num {
	s := seq.Serial{Bits: knet.PacketIDBits}
	s.Advance(r.top)
	return s.Peek(id)
}

// judgeAck judges a PacketAck by what the other side has sent.
func (c numberJudge) judgeAck(dir dissect.Dir, m *knet.Message) {
	r := &c.side[dir.Other()].datagrams
	if !r.has {
		return
	}
	if c.takesUsualAck(dir, &m.Ack, r) {
		return
	}
	var ids [knet.MaxAcked]int64
	list := m.Ack.AppendIDs(ids[:0])
	high, low := r.low, r.top
	for i, id := range list {
		if list[i] = int64(r.unwrapped(uint32(id))); r.isFaulty(uint32(id)) || c.MayOpen(uint32(id)) {
			list[i] = noNumber
			continue
		}
		high, low = max(high, seq.Num(list[i])), min(low, seq.Num(list[i]))
	}
	switch {
	case high > r.top:
		c.holdAhead(dir, high, r)
		if high > r.top+track.FarAhead {
			return
		}
	case low < r.low-tooLow && c.known():
		c.frames().quarantine()
		x := c.c.Rules.Here(rRdAckKnown, fmt.Sprintf("PacketID %d is acknowledged, but the peer began with %d", low&knet.PacketIDMask, r.low&knet.PacketIDMask))
		x.Since = c.Frame.Time
		c.c.Rules.Judge(x)
		return
	}
	if high <= r.top {
		c.c.Rules.Pass(rRdAckKnown)
	}
	for i, num := range list {
		if x := r.at(seq.Num(num)); x.isKnown() && !x.suspect {
			c.judgeAcked(dir, seq.Num(num), x, i > 0)
		}
	}
}

// takesUsualAck is judgeAck for one that names only what lies within what was
// captured, and reports whether it is such.
func (c numberJudge) takesUsualAck(dir dissect.Dir, a *knet.Ack, r *datagrams) bool {
	first := r.unwrapped(a.PacketID & knet.PacketIDMask)
	if a.PacketID > knet.PacketIDMask || r.faults > 0 || first < r.low || first+seq.Num(bits.Len64(a.Bits)) > r.top {
		return false
	}
	c.c.Rules.Pass(rRdAckKnown)
	fresh := 0
	for m := a.Bits<<1 | 1; m != 0; m &= m - 1 {
		num := first + seq.Num(bits.TrailingZeros64(m))
		switch x := r.at(num); {
		case !x.isKnown() || x.suspect:
		case x.acks == 0 && x.isReliable():
			c.judgeFirst(dir, x)
			fresh++
		default:
			c.judgeAcked(dir, num, x, num != first)
		}
	}
	c.passFirst(dir, fresh)
	return true
}

// judgeFirst judges the first acknowledgement of a reliable datagram.
func (c numberJudge) judgeFirst(dir dissect.Dir, x sentDatagram) {
	x.acks, x.carrier = 1, uint32(c.Sent.Num)
	c.judgeAckDelay(dir, x)
}

// passFirst passes what so many first acknowledgements pass, by one datagram.
func (c numberJudge) passFirst(dir dissect.Dir, n int) {
	s := &c.side[dir.Other()]
	s.order.acks += n
	s.order.known += n
	s.ask.acks += n
	c.c.Rules.PassSetTimes(setAcked, n)
}

// judgeAcked judges the acknowledgement of a datagram that was captured, by a bit or by the
// PacketID itself.
func (c numberJudge) judgeAcked(dir dissect.Dir, num seq.Num, x sentDatagram, byBit bool) {
	rules := &c.c.Rules
	if byBit && !x.isReliable() && c.BitsOpen(dir) {
		rules.Unclear(rRdAckUnrel, conform.GuardDial, fmt.Sprintf("PacketID %d may be acknowledged, but was sent unreliably", num&knet.PacketIDMask), x.Frame())
		return
	}
	if !x.isReliable() && (x.tainted || c.Frame.Time-x.Time() > staleTime || c.beforeAnother(dir.Other(), x)) {
		return // of another series, it may be
	}
	if !x.isReliable() {
		c.holdUnreliable(dir, num, x)
		return
	}
	if x.acks == 0 {
		c.judgeFirst(dir, x)
		c.passFirst(dir, 1)
		return
	}
	rules.Pass(rRdAckUnrel)
	if x.acks += min(1, 255-x.acks); int(x.acks) != x.Sends()+manyAcks {
		rules.Pass(rRdAckDup)
		return
	}
	y := rules.Here(rRdAckDup, fmt.Sprintf("PacketID %d is acknowledged %d times, but was sent %d times", num&knet.PacketIDMask, x.acks, x.Sends()), x.Frame())
	y.Since = x.Time()
	rules.Judge(y)
}

// holdAhead keeps an acknowledgement of what was not captured.
func (c numberJudge) holdAhead(dir dissect.Dir, num seq.Num, r *datagrams) {
	s := &c.side[dir.Other()]
	c.frames().quarantine()
	if len(s.acking.ahead) >= maxAhead {
		c.c.Rules.Unclear(rRdAckKnown, conform.GuardHold, fmt.Sprintf("PacketID %d is acknowledged, as many others that the peer has not reached", num&knet.PacketIDMask))
		return
	}
	if !c.c.Complete && c.c.Dir[dir.Other()].MinRTT() == 0 { // of a session before, which went on at another address or restarted
		c.c.Rules.Unclear(rRdAckKnown, conform.GuardLife, fmt.Sprintf("PacketID %d is acknowledged, but no other of its series was before", num&knet.PacketIDMask))
		return
	}
	s.acking.aheads++
	a := &aheadAck{num: num, top: r.top, at: c.Frame.Time}
	s.acking.ahead = append(s.acking.ahead, a)
	x := c.c.Rules.Here(rRdAckKnown, fmt.Sprintf("PacketID %d is acknowledged, but the peer has only reached %d", num&knet.PacketIDMask, r.top&knet.PacketIDMask))
	x.Since = c.Frame.Time + 1
	x.Proof = append(x.Proof, 0)
	c.c.Rules.Hold(x, ahead{c, &s.acking, r, a, x})
}

// An ahead is a case of an aheadAck. Its proof is that of the case that is held.
type ahead struct {
	c      numberJudge
	acking *acking
	sent   *datagrams
	a      *aheadAck
	x      conform.Case
}

// Settle implements session.Settler.
func (h ahead) Settle() (conform.Ruling, conform.Guard) {
	a, x := h.a, &h.x
	h.acking.ahead = slices.DeleteFunc(h.acking.ahead, func(o *aheadAck) bool { return o == a })
	x.Proof[0] = a.proof
	switch {
	case a.moot:
		return conform.Doubtful, conform.GuardLife
	case a.far:
		x.Since = math.MaxInt64 // whatever else was missed
		h.c.c.Rules.Judge(*x)
		return conform.Dropped, 0
	case a.proven, a.near && h.acking.aheads <= fewAheads:
		return conform.Failed, 0
	case h.sent.top >= a.num:
		return conform.Dropped, 0
	}
	return conform.Doubtful, conform.GuardClean
}

// disprove looks whether a datagram that was never sent before proves
// acknowledgements wrong. One that is sent once can't have been sent before; of others
// the earlier transmission may have been missed.
func (c numberJudge) disprove(s *side, num seq.Num, once bool, before stand) {
	if c.mayBeAnother(before) {
		s.acking.doubt()
	}
	for _, a := range s.acking.ahead {
		after := c.Frame.Time - a.at
		if after > 2*c.horizon() {
			a.single = a.single || num > a.top && num < a.num && once
			a.near = a.near || num == a.num && a.single
		}
		if num <= a.top || num >= a.num || after < c.horizon() || !once {
			continue
		}
		if a.later++; a.later == 1 {
			a.proof = c.Frame.Frame
		}
		a.far = a.far || a.num-num >= track.FarAhead
		a.proven = a.proven || a.num-num >= track.FarAhead || after >= longAfter || a.later >= fewLater
	}
}

// mayBeAnother reports that the datagram at hand may be of another connection, whose
// start was not captured: this one is over, or its side was silent for longer than a
// connected one is (guard LIFE).
func (c numberJudge) mayBeAnother(before stand) bool {
	return c.Over() || c.Frame.Time-before.topAt >= track.ReconnectGap
}

// beforeAnother reports that the connection of a datagram may have ended since, and another
// begun with PacketIDs that it had (guard LIFE).
func (c numberJudge) beforeAnother(dir dissect.Dir, x sentDatagram) bool {
	return c.side[dir].ending.moot || c.resumedAt > x.Time() || c.Over() && c.Frame.Time-x.Time() >= track.ReconnectGap
}

// doubt says that acknowledgements of what was not captured yet were of a series of
// PacketIDs that may have ended: what is sent from now on proves nothing of them.
func (a *acking) doubt() {
	for _, x := range a.ahead {
		x.moot = x.moot || !x.proven && !x.far && !x.near
	}
}

// holdUnreliable keeps the acknowledgement of an unreliable datagram: some receivers
// acknowledge whatever comes, which is reported once.
func (c numberJudge) holdUnreliable(dir dissect.Dir, num seq.Num, x sentDatagram) {
	a := &c.side[dir].acking
	if a.plain++; a.plain > manyAcks {
		return
	}
	rules := &c.c.Rules
	y := rules.Here(rRdAckUnrel, fmt.Sprintf("PacketID %d is acknowledged, but was sent unreliably", num&knet.PacketIDMask), x.Frame())
	rules.Hold(y, ackedPlain{c, dir, c.mark(dir.Other()), y})
}

// An ackedPlain is an unreliable datagram that a side acknowledged.
type ackedPlain struct {
	c    numberJudge
	dir  dissect.Dir
	mark mark
	x    conform.Case
}

// Settle implements session.Settler.
func (h ackedPlain) Settle() (conform.Ruling, conform.Guard) {
	a := &h.c.side[h.dir].acking
	if !h.c.went(h.dir.Other(), h.mark, h.mark.at) {
		return conform.Doubtful, conform.GuardLife
	}
	if a.plain <= manyAcks {
		return conform.Failed, 0
	}
	if !a.told {
		a.told = true
		h.x.AtMost = conform.Note
		h.x.Message += ", as others are"
		h.c.c.Rules.Judge(h.x)
	}
	return conform.Dropped, 0
}

// judgeAgain judges a datagram of Spec that is sent again after a gap, in ns.
func (c numberJudge) judgeAgain(dir dissect.Dir, num seq.Num, x sentDatagram, gap int64) {
	rules := &c.c.Rules
	c.contents().judgeReuse(dir, num, x)
	if !rules.Check(rCvMaxsend, x.Sends() <= 50) && x.Sends() == 51 {
		rules.Broken(rCvMaxsend, "the datagram is sent for the 51st time", x.Frame())
	}
	// Of those that are not reliable a copy came.
	if x.isReliable() && x.IPID() != 0 && c.Frame.IPID != 0 && !rules.Check(rCvResend, gap >= resendLeast) {
		rules.Broken(rCvResend, fmt.Sprintf("the datagram is sent again after %d ms", gap/1e6), x.Frame())
	}
	if x.acks == 0 {
		rules.Pass(rRdNoresend)
		return
	}
	c.judgeReacks(dir, num, x)
	c.judgeHeard(dir, x, fmt.Sprintf("PacketID %d is sent again, although it was acknowledged %d ms ago", c.Datagram.PacketID, (c.Frame.Time-x.ackedAt())/1e6))
}

// resendLeast is DatagramTimeOut with some play, in ns.
const resendLeast = 1700e6

// unansweredTime is how long a reliable datagram may stay without acknowledgement
// and without being sent again, in ns: five times DatagramTimeOut, and more.
const unansweredTime = 12e9

// judgeForgotten looks at reliable datagrams of Spec that have become old: each was
// acknowledged, or sent again.
func (c numberJudge) judgeForgotten(dir dissect.Dir) {
	s := &c.side[dir]
	a, r := &s.acking, &s.datagrams
	for a.cursor = max(a.cursor, r.low, r.top-mostLooked); a.cursor < r.top; a.cursor++ {
		x := r.at(a.cursor)
		if !x.isKnown() || x.suspect || !x.isReliable() || c.WasCut(dir, a.cursor) {
			continue
		}
		if c.Frame.Time-x.Time() < unansweredTime {
			return
		}
		c.judgeOld(dir, a.cursor, x)
	}
}

func (c numberJudge) judgeOld(dir dissect.Dir, num seq.Num, x sentDatagram) {
	rules := &c.c.Rules
	s, o := &c.side[dir], &c.side[dir.Other()]
	switch {
	case x.acks > 0:
		rules.Pass(rRdAcked)
		rules.Pass(rRdResend)
		return
	case x.Sends() > 1:
		rules.Pass(rRdResend)
		return
	case c.mayBeAcked(dir, num):
		return
	case c.Renames(dir) || c.Renames(dir.Other()) || c.ended():
		return
	}
	later := 0
	for n := num + 1; n <= s.datagrams.top && later < 3; n++ {
		if y := s.datagrams.at(n); y.isKnown() && y.acks > 0 && y.ackedAt()-x.Time() > c.horizon() {
			later++
		}
	}
	if later < 3 || !s.datagrams.whole(x.Time()) || !c.intact(dir.Other(), x.Time()) || o.datagrams.topAt-x.Time() < unansweredTime/2 {
		return
	}
	y := conform.Case{Rule: rRdResend, Dir: dir, Frame: x.Frame(), Time: x.Time(), HasTime: true, Since: x.Time(),
		Message: fmt.Sprintf("reliable PacketID %d was neither acknowledged nor sent again in %d s, although later ones were acknowledged", num&knet.PacketIDMask, (c.Frame.Time-x.Time())/1e9)}
	rules.Judge(y)
	y.Rule, y.Dir = rRdAcked, dir.Other()
	rules.Judge(y)
}

// mayBeAcked reports a datagram of which an acknowledgement was captured, be it
// before the datagram itself, or that is forgotten.
func (c numberJudge) mayBeAcked(dir dissect.Dir, num seq.Num) bool {
	look, ok := c.c.Dir[dir].Look(num)
	return !ok || look.Acked || c.MayHave(dir.Other(), num)
}

// ended reports that a side has said that it ends.
func (c numberJudge) ended() bool {
	a, b := &c.side[0].ending, &c.side[1].ending
	return a.disc.set || b.disc.set || a.ack.set || b.ack.set
}

// judgeTransmission judges a datagram as one more of its side; before is what was known
// without it.
func (c numberJudge) judgeTransmission(dir dissect.Dir, sent *seq.Sending, x sentDatagram, before stand, first bool) {
	s := &c.side[dir]
	spec := c.Datagram.Dialect == knet.Spec
	if !first {
		if spec {
			before := s.datagrams.sendAgain(x, sent.Num, sent.Time)
			if c.Frame.Words.Has(dissect.Retry) && x.Digest() == sent.Digest() {
				c.judgeAgain(dir, sent.Num, x, sent.Time-before)
			}
		}
		return
	}
	if before.has && sent.Num > before.top {
		c.disprove(s, sent.Num, !spec || !c.Datagram.Reliable, before)
		if sent.Num == before.top+1 {
			c.contents().judgeSilence(dir, before)
		}
	}
	if spec {
		c.judgeForgotten(dir)
	}
}
