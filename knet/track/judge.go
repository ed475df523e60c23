package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// pronounce ends the opportunities that the datagram at hand is by itself.
func (c frameJudge) pronounce() {
	if !c.pair.sure() || c.fr.Cut() || c.fr.Words.Has(dissect.Duplicate) {
		return
	}
	rules := &c.c.Rules
	for i := range c.faults {
		c.judgeCharge(c.chargeOf(&c.faults[i]))
	}
	if len(c.faults) == 0 {
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
	spec := c.d.Dialect == knet.Spec
	rules.PassSet(setDatagram)
	if c.d.Plain {
		if spec {
			rules.PassSet(setPage)
		}
		rules.PassSetTimes(setMessage, len(c.d.Messages))
		return
	}
	kinds := setKind - setKindOverhead
	if spec {
		rules.PassSet(setPage)
		if c.d.InOrder {
			rules.PassSet(setDepends)
		}
		kinds = setKindPage - setKindOverhead
	}
	for i := range c.d.Messages {
		m := &c.d.Messages[i]
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

// isCopied reports a copy, made by the network or the capture, of a datagram that was
// kept out of the numbers.
func (c frameJudge) isCopied(dir int) bool {
	c.fr.Words |= c.c.Dir[dir].Unnumbered(&c.sent, true)
	return c.fr.Words.Has(dissect.Duplicate)
}

// judgeApart judges a datagram with a fault that is tracked no further.
func (c frameJudge) judgeApart(dir int) {
	c.c.Dir[dir].Provisionals().Disregard(c.sent.Num)
	if len(c.d.Messages) == 0 && c.sent.Num != 0 {
		// nobody sends a datagram without messages
	} else {
		c.count(dir)
	}
	switch {
	case c.isCopied(dir):
	case c.mayConnect(dir):
		c.side[dir].datagrams.markFaulty(c.d.PacketID)
	default:
		c.pronounce()
		c.contents().noteAsked(dir)
	}
}

// judge judges a datagram that is no copy by what was captured before it, and
// notes it. What was found to have a fault is only kept where it stands in the row.
func (c frameJudge) judge(dir int, sent *seq.Sending) {
	if !c.pair.sure() {
		c.side[dir].datagrams.enter(sent, c.d, c.fr.Cut(), false)
		c.contents().noteRequests(dir)
		return
	}
	if c.suspect {
		c.side[dir].datagrams.enter(sent, c.d, c.fr.Cut(), true)
		c.contents().noteAsked(dir)
		return
	}
	if c.judgePlain(dir, sent) {
		return
	}
	r := &c.side[dir].datagrams
	if c.d.Dialect == knet.Spec && c.side[dir].ending.passed(sent.Num, sent.Time) {
		c.side[dir].forget()
		if o := &c.side[1-dir]; o.ending.begun() {
			o.forget() // it has ended as well
		}
	}
	before := r.stand()
	old := r.at(sent.Num)
	first := old == nil || old.suspect
	c.numbers().judgeNumber(dir, sent, old)
	if c.suspect {
		c.contents().noteAsked(dir)
		return
	}
	c.broken = false
	c.jump = before.has && sent.Num > before.top+1
	c.ends().judgeEnded(dir, sent, first)
	if c.d.Dialect == knet.Spec {
		c.ends().judgePending(dir, first)
		c.numbers().judgeNeeds(dir, sent.Num)
	}
	for i := range c.d.Messages {
		if m := &c.d.Messages[i]; m.Whole && c.suspicions < maxSuspicions && !c.c.Rules.Enough() {
			c.judgeMessage(dir, sent, m, first)
		}
	}
	if r.has && (sent.Num > r.top+farAway || sent.Num < r.top-farAway) {
		return // it must be confirmed
	}
	x, _ := r.enter(sent, c.d, c.fr.Cut(), c.suspect)
	if x != nil && first {
		x.tainted = len(c.faults) > 0
	}
	if c.suspect {
		r.markFaulty(c.d.PacketID)
		if c.broken {
			c.contents().scrap(dir, sent.Num)
		}
	}
	if x == nil || c.suspect {
		return
	}
	c.numbers().judgeSending(dir, sent, x, before, first)
	if c.d.Dialect == knet.Spec {
		c.numbers().judgePace(dir)
	}
}

// judgeMessage judges a message by what was captured before it.
func (c frameJudge) judgeMessage(dir int, sent *seq.Sending, m *knet.Message, first bool) {
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
		c.ends().judgeShake(dir, sent, m.Kind)
	default:
		if m.IsFragment() && first {
			c.contents().judgeFragment(dir, sent, m)
		}
	}
}

// mayConnect reports a datagram that may be the connect datagram of Reference, which
// is judged by no rule: its side has hardly sent anything yet, or may have gone.
func (c frameJudge) mayConnect(dir int) bool {
	r := &c.side[dir].datagrams
	if c.d.Dialect == knet.Spec {
		return false
	}
	return !r.has || r.top == r.low || c.numbers().ended() || c.fr.Time-c.life.heardAt[dir] >= silentGap || len(c.d.Messages) == 0 && c.fr.Err == nil
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
