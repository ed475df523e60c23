package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
)

// judgeAcknowledgement judges an ACK or NACK against what was captured of the
// other side, before the engine applies it. Its number is num.
func (c ackJudge) judgeAcknowledgement(dir int, num int64) {
	other := 1 - dir
	h := &c.side[other].facts
	top, _ := c.c.Dir[other].Window().Highest()
	steady := c.fr.HasTime && h.pace.steady(c.fr.Time) && num == near(top, c.f.Sequence) && !(h.topSet && h.top < top)
	if c.side[other].shunned.set {
		captured, _ := c.c.Dir[other].Captured(num)
		c.packets().judgeShunned(dir, captured)
	}
	odd := c.side[other].isOdd(c.f.Sequence, c.fr.Time)
	c.hearAck(dir, num, steady && num <= top && !odd)
	if !steady || odd {
		return // its number may be another one (guard UNWRAP)
	}
	c.side[other].named(num, c.f.Type)
	c.side[dir].nacks = c.side[dir].nacks || c.f.Type == dp4.TypeNACK
	highest := num
	if m := c.f.Mask; m != 0 {
		highest = num + int64(maskTop(m))
	}
	switch u := h.fact(num); {
	case num > top:
		c.claim(dir, num, top, namedRule(c.f.Type), num)
	case c.beforeFirst(other, num):
		c.packets().broken(namedRule(c.f.Type), fmt.Sprintf("sequence %d was never sent: sequences began with 0 or 1, and the highest so far was %d", c.f.Sequence, uint8(top)))
	case u != nil:
		c.judgeNamed(dir, u)
	}
	if num <= top && highest > top {
		c.claim(dir, highest, top, r223MaskBeyond, num)
	} else if c.f.Mask != 0 {
		c.c.Rules.Pass(r223MaskBeyond)
	}
}

func namedRule(t dp4.Type) int {
	if t == dp4.TypeNACK {
		return r223Known
	}
	return r224Sent
}

// beforeFirst reports a number below the first one of a side that is known to have
// begun with 0 or 1. Where another connection of the same players was before, what is
// named may be of that.
func (c ackJudge) beforeFirst(dir int, num int64) bool {
	s := &c.side[dir]
	return c.c.Complete && !c.again && s.hasSure && s.sure <= 1 && num < 0 && num > -nearPackets && c.fr.Time-c.c.FirstTime < startTime
}

// judgeNamed judges an acknowledgement of a packet that was captured.
func (c ackJudge) judgeNamed(dir int, u *fact) {
	rules, f := &c.c.Rules, c.f
	rule := r224Pair
	rules.Pass(namedRule(f.Type))
	if f.Type == dp4.TypeNACK {
		rule = r223Pair
	}
	if !rules.Check(rule, uint8(u.msg) == f.MessageID) {
		x := rules.Here(rule, fmt.Sprintf("sequence %d belongs to message %d, not to message %d", f.Sequence, uint8(u.msg), f.MessageID), u.frame)
		if x.Since = noWindow; u.low != u.high || f.Type == dp4.TypeACK && f.Serial != u.low {
			x.Blocked = conform.GuardClean // it may answer a sending that was not captured and named that message
		}
		rules.Judge(x)
		return
	}
	rules.Pass(r221Pair)
	if o := &c.side[1-dir]; u.flags&dp4.SAK != 0 && u.low == u.high && u.num >= o.answered {
		o.answered = u.num + 1 // what is named again tells no other round trip
		o.answers++
	}
	if f.Type == dp4.TypeACK {
		if u.flags&dp4.RLY == 0 && u.flags&dp4.WholeMessage != dp4.WholeMessage {
			c.side[dir].hearing.part = heardPart{true, u.msg, f.Tick, u.epoch}
		}
		c.judgeAckSerial(dir, u)
		c.judgePrompt(dir, u)
		return
	}
	if !rules.Check(r223Reliable, u.flags&dp4.RLY != 0) {
		x := rules.Here(r223Reliable, fmt.Sprintf("sequence %d is reported missing, but it is not reliable", f.Sequence), u.frame)
		x.Since, x.Milder = noWindow, !c.knewUnreliable(dir, u)
		rules.Judge(x)
		return
	}
	c.judgeNeglect(dir, u)
}

// knewUnreliable reports whether the side that sent the NACK at hand had received another
// part of the message of a packet, which tells that it is not reliable.
func (c ackJudge) knewUnreliable(dir int, u *fact) bool {
	if p := &c.side[dir].hearing.part; p.set && p.msg == u.msg && p.epoch == u.epoch && int32(c.f.Tick-p.tick) >= 0 {
		return true
	}
	for i := range maskTop(c.f.Mask) {
		p := c.side[1-dir].facts.fact(u.num + 1 + int64(i))
		if c.f.Mask>>i&1 == 0 && p != nil && p.msg == u.msg {
			return true // what the mask does not name arrived
		}
	}
	return false
}

// judgeAckSerial: an ACK has the serial of a sending of its packet (MC-DPL4R
// 2.2.4, AMB-DP4-14). Sendings the capture missed take at least a round trip each.
func (c ackJudge) judgeAckSerial(dir int, u *fact) {
	rules, f := &c.c.Rules, c.f
	high := u.high
	if m := c.side[1-dir].facts.message(u.msg); m != nil {
		high = max(high, m.high)
	}
	excess := int64(int8(f.Serial - high))
	if excess <= 0 && f.Serial >= u.low {
		rules.Pass(r224Serial)
		return
	}
	message := fmt.Sprintf("the ACK has serial %d, but sequence %d was sent with serials %d to %d", f.Serial, f.Sequence, u.low, u.high)
	// Each NACK may cause a sending, however soon.
	if excess >= 2 && !c.side[dir].nacks && u.flags&dp4.WholeMessage == dp4.WholeMessage && c.fr.Time-u.last < excess*max(c.packets().roundTrip(), 5e6) {
		x := rules.Here(r224Serial, message, u.frame)
		x.Since = u.time
		rules.Judge(x)
		return
	}
	rules.Unclear(r224Serial, conform.GuardClean, message, u.frame)
}

// claim opens a case that packets of the other side will settle.
func (c ackJudge) claim(dir int, num, top int64, rule int, named int64) {
	s := &c.side[1-dir]
	x := c.c.Rules.Here(rule, "")
	x.Since = noWindow
	x.Message = fmt.Sprintf("sequence %d was not sent yet; the highest so far was %d", uint8(num), uint8(top))
	if rule == r223MaskBeyond {
		x.Message = fmt.Sprintf("the mask after sequence %d reports sequence %d missing, which was not sent yet", uint8(named), uint8(num))
	}
	s.claims.Enter(claim{x, num, top, c.fr.Time + 2*c.c.Rules.Horizon(), s.facts.epoch, 0, s.aheadThen}, maxClaims, c.unproven)
}

const maxClaims = 4

// fewPackets bounds the packets that the capture may lack behind a first sending that seems
// to disprove a claim. Where it lacks more, the side may have sent later ones before.
const fewPackets = 8

// closeClaims ends what was shown wrong and is not contradicted until the end.
func (c ackJudge) closeClaims(dir int) {
	s := &c.side[dir]
	if s.initial != nil {
		c.packets().settleInitial(dir, false)
	}
	s.claims.End(func(x *claim) {
		if x.shown != 0 && x.epoch == s.facts.epoch {
			c.shownWrong(s, x)
		}
	})
}

// shownWrong ends a claim that a later first sending shows wrong. Where more bytes
// arrived since the highest number than were captured, the capture missed some of the
// side, and that sending may be none of the first.
func (c ackJudge) shownWrong(s *side, x *claim) {
	if s.bytes.ahead > x.ahead {
		c.unproven(x)
		return
	}
	c.c.Rules.HoldOrder(x.Case)
}

func (c ackJudge) unproven(x *claim) {
	x.Blocked = conform.GuardClean
	c.c.Rules.Judge(x.Case)
}

// settleClaims looks at a packet captured for the first time: as a first sending,
// long after an acknowledgement claimed it or one behind it, it proves that to be
// wrong. Numbers are sent in their order.
func (c ackJudge) settleClaims(dir int, num int64) {
	s := &c.side[dir]
	s.claims.Settle(func(x *claim) bool {
		switch {
		case x.epoch != s.facts.epoch:
			c.unproven(x)
		case x.shown != 0 && num > max(x.num, x.shown+fewPackets):
			c.unproven(x) // the side had come further: what seemed a first sending was none
		case x.shown != 0:
			c.shownWrong(s, x)
		case num > x.top && num <= x.num && c.f.Serial == 0 && c.fr.Time > x.ripe && c.packets().fine():
			x.Proof, x.shown = []uint64{c.fr.Frame}, num
			return true
		case num >= x.num:
			c.unproven(x)
		default:
			return true
		}
		return false
	})
}

func (s *side) oddly(seq uint8, now int64) {
	s.odd[s.odds%len(s.odd)] = oddity{seq: seq, set: true, time: now}
	s.odds++
}

func (s *side) isOdd(seq uint8, now int64) bool {
	for i := range s.odd[:min(s.odds, len(s.odd))] {
		if x := &s.odd[i]; x.seq == seq && now-x.time < forget {
			return true
		}
	}
	return false
}

// named keeps the highest number that was acknowledged: the sender may believe it.
func (s *side) named(num int64, t dp4.Type) {
	if t == dp4.TypeNACK {
		num--
	}
	if s.heardIn != s.facts.epoch || num > s.heardTo {
		s.heardTo, s.heardIn = num, s.facts.epoch
	}
}
