package rules

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// pronounce ends the opportunities that the datagram at hand is by itself.
func (c frameJudge) pronounce() {
	if !c.Sure() || c.Frame.Cut() || c.Frame.Words.Has(dissect.Duplicate) {
		return
	}
	rules := &c.c.Rules
	for i := range c.Faults {
		c.judgeCharge(c.chargeOf(&c.Faults[i]))
	}
	if len(c.Faults) == 0 {
		c.passes(rules)
	}
}

// judgeCharge judges what the datagram at hand breaks by itself.
func (c frameJudge) judgeCharge(f charge) {
	x := c.c.Rules.Here(f.rule, f.message)
	x.Milder = f.grade == milder
	if f.grade == remark {
		x.AtMost = conform.Note
	}
	c.c.Rules.Judge(x)
}

// passes counts what a datagram without fault passes.
func (c frameJudge) passes(rules *session.Evaluation) {
	spec := c.Datagram.Dialect == knet.Spec
	rules.PassSet(setDatagram)
	if c.Datagram.Plain {
		if spec {
			rules.PassSet(setPage)
		}
		rules.PassSetTimes(setMessage, len(c.Datagram.Messages))
		return
	}
	kinds := setKind - setKindOverhead
	if spec {
		rules.PassSet(setPage)
		if c.Datagram.InOrder {
			rules.PassSet(setDepends)
		}
		kinds = setKindPage - setKindOverhead
	}
	for i := range c.Datagram.Messages {
		m := &c.Datagram.Messages[i]
		rules.PassSet(setMessage)
		if m.Kind != knet.Application {
			rules.PassSet(kinds + int(m.Kind))
		}
		if m.Bits&(knet.FragmentStart|knet.Fragment) != 0 {
			passFragment(m, rules, spec)
		}
		if spec && m.Code() != 0 {
			rules.PassSet(setCode + max(int(m.Code())-5, 0))
		}
	}
}

// judgeApart judges a datagram with a fault that is tracked no further.
func (c frameJudge) judgeApart(dir dissect.Dir) {
	if c.mayConnect(dir) {
		c.side[dir].datagrams.markFaulty(c.Datagram.PacketID)
		return
	}
	c.pronounce()
	c.contents().noteAsked(dir)
}

// judgeAside judges what a provisional datagram shows wherever it stands, and notes
// what it asks for: its answer may come all the same.
func (c frameJudge) judgeAside(dir dissect.Dir) {
	c.pronounce()
	c.jump = true // what its side sent before it may not have been captured
	for i := range c.Datagram.Messages {
		if m := &c.Datagram.Messages[i]; m.Whole && m.IsFragment() && c.Sure() && !c.Frame.Words.Has(dissect.Duplicate) {
			c.contents().judgeFragment(dir, &c.Sent, m)
		}
	}
	c.contents().noteAsked(dir)
}

// judgeDatagram judges a datagram that is no copy by what was captured before it, and
// notes it. What was found to have a fault is only kept where it stands in the row.
func (c frameJudge) judgeDatagram(dir dissect.Dir, sent *seq.Sending) {
	if sent.Time-max(c.side[0].datagrams.topAt, c.side[1].datagrams.topAt) >= track.ReconnectGap {
		c.resumedAt = sent.Time
	}
	if !c.Sure() {
		c.noted = c.side[dir].datagrams.enter(sent, c.Frame.Cut(), false)
		c.contents().noteRequests(dir)
		return
	}
	if c.suspect {
		c.noted = c.side[dir].datagrams.enter(sent, c.Frame.Cut(), true)
		c.contents().noteAsked(dir)
		return
	}
	if c.takesPlain(dir, sent) {
		return
	}
	r := &c.side[dir].datagrams
	if c.Datagram.Dialect == knet.Spec && c.side[dir].ending.passed(sent.Num, sent.Time) {
		c.Forget(dir)
		if c.side[dir.Other()].ending.begun() {
			c.Forget(dir.Other()) // it has ended as well
		}
	}
	old := r.at(sent.Num)
	first := !old.isKnown() || old.suspect
	c.numbers().judgeNumber(dir, sent, old)
	before := r.stand() // of this connection: the side may have begun again
	if c.suspect {
		c.contents().noteAsked(dir)
		return
	}
	c.broken = false
	c.jump = before.has && sent.Num > before.top+1
	c.ends().judgeEnded(dir, sent, first)
	if c.Datagram.Dialect == knet.Spec {
		c.ends().judgePending(dir, first)
		c.numbers().judgeNeeds(dir, sent.Num)
	}
	for i := range c.Datagram.Messages {
		if m := &c.Datagram.Messages[i]; m.Whole && c.suspicions < maxSuspicions && !c.c.Rules.Enough() {
			c.judgeMessage(dir, sent, m, first)
		}
	}
	if r.has && (sent.Num > r.top+track.FarAway || sent.Num < r.top-track.FarAway) {
		return // it must be confirmed
	}
	c.noted = r.enter(sent, c.Frame.Cut(), c.suspect)
	if c.suspect {
		r.markFaulty(c.Datagram.PacketID)
		if c.broken {
			c.contents().scrap(dir, sent.Num)
		}
	}
	if c.suspect {
		return
	}
	c.numbers().judgeTransmission(dir, sent, old, before, first)
	if c.Datagram.Dialect == knet.Spec {
		c.numbers().judgePace(dir)
	}
}

// note notes the datagram at hand, which was counted.
func (c frameJudge) note(dir dissect.Dir) {
	n := note{messages: uint8(min(len(c.Datagram.Messages), 255)), suspect: c.suspect, tainted: len(c.Faults) > 0}
	c.side[dir].datagrams.note(&c.Sent, n)
}

// judgeMessage judges a message by what was captured before it.
func (c frameJudge) judgeMessage(dir dissect.Dir, sent *seq.Sending, m *knet.Message, first bool) {
	switch m.Kind {
	case knet.PingRequest:
		c.contents().judgeRequest(dir, sent.Num, m, first)
	case knet.PingReply:
		c.contents().judgeReply(dir, m, first)
	case knet.FlowControlRequest:
		c.numbers().judgeFlow(dir, sent, m, first)
	case knet.PacketAck:
		if c.named += 1 + bits.OnesCount64(m.Ack.Bits); c.named <= maxNamed {
			c.numbers().judgeAck(dir, m)
		}
	case knet.Disconnect, knet.DisconnectAck:
		c.ends().judgeEnd(dir, sent, m.Kind)
	case knet.ConnectSyn, knet.ConnectSynAck, knet.ConnectAck:
		c.ends().judgeHandshake(dir, sent, m.Kind)
	default:
		if m.IsFragment() && first {
			c.contents().judgeFragment(dir, sent, m)
		}
	}
}

// mayConnect reports a datagram that may be the connect datagram of Reference, which
// is judged by no rule: its side has hardly sent anything yet, or may have gone.
func (c frameJudge) mayConnect(dir dissect.Dir) bool {
	r := &c.side[dir].datagrams
	if c.Datagram.Dialect == knet.Spec {
		return false
	}
	return !r.has || r.top == r.low || c.numbers().ended() || c.Frame.Time-c.HeardAt(dir) >= silentGap || len(c.Datagram.Messages) == 0 && c.Frame.Err == nil
}

// silentGap is longer than a side of Reference is silent while it is connected, in ns:
// it pings every 3.5 s.
const silentGap = 3.4e9

// passFragment passes what is asked of the head of every fragment.
func passFragment(m *knet.Message, rules *session.Evaluation, spec bool) {
	rules.PassSet(setFragment)
	switch {
	case m.IsStart():
		rules.PassSet(setStart)
	case spec:
		rules.PassSet(setLater)
	}
}
