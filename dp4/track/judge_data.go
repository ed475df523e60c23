package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeData judges a data frame before the engine sees it. It reports false for a
// frame whose numbers are impossible, which is not to be tracked.
func (c packetJudge) judgeData(dir int, num, msg int64) bool {
	h := &c.side[dir].facts
	u := h.fact(num)
	if !c.fr.HasTime || !h.pace.steady(c.fr.Time) {
		if u == nil || u.msg != msg || u.data != dataPrint(c.f, c.fr) {
			h.doubt(c.fr.Time) // too long ago to compare with
			u = nil
		}
	}
	if u != nil {
		return c.judgeAgain(dir, u, msg)
	}
	if c.f.Serial != 0 {
		c.clean = c.c.Rules.Clean(0)
	}
	return c.judgeNew(dir, num, msg)
}

// blame breaks a rule at a packet captured before.
func (c packetJudge) blame(rule, dir int, u *fact, message string, proof ...uint64) {
	c.c.Rules.Judge(conform.Case{Rule: rule, Dir: dir, Frame: u.frame, Time: u.time, HasTime: true, Proof: proof, Message: message, Since: noWindow})
}

// broken breaks a rule at the frame at hand.
func (c packetJudge) broken(rule int, message string, proof ...uint64) {
	x := c.c.Rules.Here(rule, message, proof...)
	x.Since = noWindow
	c.c.Rules.Judge(x)
}

// judgeNew judges a packet captured for the first time by its neighbours. Of two
// packets, one behind the other, the second belongs to the same message or to a
// later one, and no more messages begin than there are packets (MC-DPL4R 2.2.2).
func (c packetJudge) judgeNew(dir int, num, msg int64) bool {
	h, f := &c.side[dir].facts, c.f
	if !h.topSet || num > h.top+nearPackets {
		return true
	}
	if num == h.top+1 && f.Flags&dp4.STA != 0 && !h.isOpen { // the next one, most of the time
		if p := h.fact(h.top); p != nil && msg == p.msg+1 && p.flags&dp4.EOM != 0 && h.message(msg) == nil {
			c.c.Rules.PassSet(setOrder)
			return true
		}
	}
	p := h.before(num)
	if p != nil {
		if !c.judgeBehind(dir, p, num, msg) {
			return false
		}
	}
	if u := h.behind(num); u != nil {
		if d, dm := u.num-num, u.msg-msg; dm < 0 || dm > d {
			if u.num == h.top && p != nil && p.num == num-1 {
				c.blameAhead(dir, r222MsgidSeq, u, fmt.Sprintf("sequence %d belongs to message %d, but sequence %d before it to message %d", uint8(u.num), uint8(u.msg), f.Sequence, f.MessageID), num)
				return c.judgePart(num, h.message(msg))
			}
			c.broken(r222MsgidSeq, fmt.Sprintf("sequence %d belongs to message %d, but sequence %d after it to message %d", f.Sequence, f.MessageID, uint8(u.num), uint8(u.msg)), u.frame)
			return false
		}
		if !c.judgeOvertaken(dir, num, u) {
			return false
		}
	}
	if !c.judgePart(num, h.message(msg)) {
		return false
	}
	if p != nil {
		c.c.Rules.PassSet(setOrder)
	}
	return true
}

// judgeBehind compares with the nearest packet before.
func (c packetJudge) judgeBehind(dir int, p *fact, num, msg int64) bool {
	h, f := &c.side[dir].facts, c.f
	d, dm := num-p.num, msg-p.msg
	switch {
	case (dm < 0 || dm > d) && h.jumped(num, msg):
		return true
	case dm < 0:
		return c.judgeBack(dir, p, num, msg)
	case dm > d:
		h.jumpNum, h.jumpMsg, h.jump = num, msg, true
		c.broken(r222MsgidSeq, fmt.Sprintf("sequence %d begins message %d, but sequence %d belonged to message %d: there is no room for the skipped messages",
			f.Sequence, f.MessageID, uint8(p.num), uint8(p.msg)), p.frame)
		return false
	case p.flags&dp4.EOM == 0:
		return c.judgeUnended(dir, p, d, dm)
	case d == 1 && dm == 0:
		return c.judgeEnded(p)
	case d > 1 && dm == 1 && f.Flags&dp4.STA != 0 && h.isPast && h.past == num-1:
	case d > 1 && dm == 1 && f.Flags&dp4.STA != 0:
		c.broken(r222SeqInc, fmt.Sprintf("message %d begins at sequence %d, but message %d ended at %d: sequences were skipped",
			f.MessageID, f.Sequence, uint8(p.msg), uint8(p.num)), p.frame)
		return false
	case d == 1 && f.Flags&dp4.STA == 0:
		c.broken(r222StaFirst, fmt.Sprintf("sequence %d is the first of message %d and has no STA", f.Sequence, f.MessageID), p.frame)
	}
	if h.isOpen && num == h.open+1 {
		c.settleOpen(dir)
	}
	return true
}

// judgeEnded: a packet of the message that ended right before.
func (c packetJudge) judgeEnded(p *fact) bool {
	f := c.f
	rule, what := r222EomLast, "belongs to message %d, which ended at sequence %d"
	h := &c.side[c.c.DirOf(c.fr.Datagram)].facts
	switch {
	case f.Flags&dp4.WholeMessage == dp4.WholeMessage && p.flags&dp4.WholeMessage == dp4.WholeMessage:
		rule, what = r222MsgidSeq, "is a new message, but has messageid %d like sequence %d"
	case f.Flags&dp4.STA != 0:
		rule, what = r222StaOnce, "begins message %d again, which ended at sequence %d"
	}
	if rule == r222EomLast && h.goesPast(p.num+1, p.msg) {
		return true
	}
	c.broken(rule, fmt.Sprintf("sequence %d "+what, f.Sequence, f.MessageID, uint8(p.num)), p.frame)
	return false
}

// goesPast notes a packet behind the end of its message. A message that goes on had
// no end there: that is one fault, not many.
func (h *facts) goesPast(num, msg int64) (again bool) {
	again = h.isPast && h.pastMsg == msg && num > h.past
	h.past, h.pastMsg, h.isPast = num, msg, true
	if m := h.message(msg); again && m != nil {
		m.hasEOM = false
	}
	return again
}

// judgeUnended: behind a packet that did not end its message. When another message
// follows, the next packet tells which of both is out of place.
func (c packetJudge) judgeUnended(dir int, p *fact, d, dm int64) bool {
	h, f := &c.side[dir].facts, c.f
	if d != 1 {
		return true
	}
	if h.isOpen && p.num == h.open {
		c.settleOpen(dir)
	}
	if dm == 0 && f.Flags&dp4.STA != 0 {
		c.broken(r222StaOnce, fmt.Sprintf("sequence %d has STA, but message %d was still incomplete at sequence %d", f.Sequence, f.MessageID, uint8(p.num)), p.frame)
		return false
	}
	if dm == 1 {
		h.open, h.isOpen = p.num+1, true
	}
	return true
}

// settleOpen ends the case of a packet that followed one without EOM and was of
// another message, now that the packet behind it continues that one.
func (c packetJudge) settleOpen(dir int) {
	h := &c.side[dir].facts
	h.isOpen = false
	p, u := h.fact(h.open-1), h.fact(h.open)
	switch {
	case p == nil || u == nil:
	case u.flags&dp4.STA == 0:
		c.blame(r222StaFirst, dir, u, fmt.Sprintf("sequence %d is the first of message %d and has no STA", uint8(u.num), uint8(u.msg)), p.frame)
	default:
		c.blame(r222StaOnce, dir, p, fmt.Sprintf("message %d has no EOM: sequence %d is its last, and sequence %d begins message %d",
			uint8(p.msg), uint8(p.num), uint8(u.num), uint8(u.msg)), u.frame)
	}
}

// judgeBack: the packet belongs to an earlier message than the one before it. When
// that message was under way, the packet in between is out of place (MC-DPL4R
// 3.1.5.2), else this one is.
func (c packetJudge) judgeBack(dir int, p *fact, num, msg int64) bool {
	h, f := &c.side[dir].facts, c.f
	m := h.message(msg)
	if m != nil && m.low < p.num && !(m.hasEOM && m.eom < p.num) {
		c.blame(r3152Contig, dir, p, fmt.Sprintf("sequence %d belongs to message %d, but lies within message %d, which has sequences %d and %d",
			uint8(p.num), uint8(p.msg), uint8(msg), uint8(m.low), f.Sequence), m.frame, c.fr.Frame)
		if x := h.message(p.msg); x != nil && x.low == p.num {
			x.set = false
		}
		p.set, h.isOpen = false, false
		c.side[dir].oddly(uint8(p.num), c.fr.Time)
		return true
	}
	h.jumpNum, h.jumpMsg, h.jump = num, msg, true
	c.broken(r222MsgidSeq, fmt.Sprintf("messageid goes back: sequence %d belongs to message %d, but sequence %d belonged to message %d",
		f.Sequence, f.MessageID, uint8(p.num), uint8(p.msg)), p.frame)
	return false
}

// judgePart compares with the other packets of the message.
func (c packetJudge) judgePart(num int64, m *messageFact) bool {
	f := c.f
	if m == nil {
		return true
	}
	say := func(rule int, what string, at int64) bool {
		c.broken(rule, fmt.Sprintf("sequence %d of message %d "+what, f.Sequence, f.MessageID, uint8(at)), m.frame)
		return false
	}
	switch {
	case (f.Flags&dp4.RLY != 0) != m.rly:
		return say(r222RlyConst, "differs in RLY from sequence %d", m.low)
	case f.Flags&dp4.STA != 0 && m.hasSTA && m.sta != num:
		return say(r222StaOnce, "has STA, as sequence %d had", m.sta)
	case m.hasEOM && num > m.eom && c.side[c.c.DirOf(c.fr.Datagram)].facts.goesPast(num, m.msg):
	case m.hasEOM && num > m.eom:
		return say(r222EomLast, "follows its end at sequence %d", m.eom)
	case f.Flags&dp4.EOM != 0 && m.hasEOM && m.eom != num:
		return say(r222StaOnce, "has EOM, as sequence %d had", m.eom)
	}
	return true
}

// judgeOvertaken: a first sending, which its serial 0 proves, comes long after a
// packet with a higher number. When that one stands alone, it ran ahead.
func (c packetJudge) judgeOvertaken(dir int, num int64, u *fact) bool {
	h, f := &c.side[dir].facts, c.f
	if f.Serial != 0 || f.Flags&dp4.STA == 0 || u.low != 0 || !c.fine() || c.fr.Time-u.time <= 2*u.horizon {
		return true
	}
	if u.num < h.top {
		c.broken(r222SeqInc, fmt.Sprintf("sequence %d is first sent after sequence %d", f.Sequence, uint8(u.num)), u.frame)
		return false
	}
	c.blameAhead(dir, r222SeqInc, u, fmt.Sprintf("sequence %d is sent before sequence %d", uint8(u.num), f.Sequence), num)
	return true
}

// blameAhead breaks a rule at a packet that ran ahead of all others and forgets it.
func (c packetJudge) blameAhead(dir, rule int, u *fact, message string, num int64) {
	s := &c.side[dir]
	c.blame(rule, dir, u, message, c.fr.Frame)
	if m := s.facts.message(u.msg); m != nil && m.low == u.num {
		m.set = false
	}
	u.set = false
	s.oddly(uint8(u.num), c.fr.Time)
	s.facts.top = num
	s.seq, s.msg = seq.Serial{Bits: 8}, seq.Serial{Bits: 8}
	s.seq.Advance(num - 1)
	s.msg.Advance(s.msg.Peek(uint32(c.f.MessageID)))
}

// remember keeps what rules need of a data frame the engine has judged.
func (c packetJudge) remember(dir int, num, msg int64) {
	s := &c.side[dir]
	h := &s.facts
	if !c.isNew() {
		return
	}
	sum := s.total
	retry := c.fr.Words.Has(dissect.Retry)
	if c.wants.Profile.Windows {
		c.judgeSAK(dir, num, retry)
	}
	if c.fr.HasTime {
		h.pace.see(c.fr.Time)
	}
	u := h.fact(num)
	if u == nil {
		if s.claims.Len() > 0 {
			c.acks().settleClaims(dir, num)
		}
		u = h.keep(c.f, c.fr, num, msg, sum)
		u.horizon = c.c.Rules.Horizon()
		c.acks().judgeCovered(dir, num)
		c.judgeFirst(dir, u)
		return
	}
	u.low = min(u.low, c.f.Serial)
	if int8(c.f.Serial-u.high) >= 0 {
		u.high, u.last, u.latest, u.sum = c.f.Serial, c.fr.Time, c.fr.Frame, sum
	}
	if u.nacks > 0 {
		u.nacks = 0
		c.c.Rules.Pass(r3153Retx)
	} else if retry {
		c.acks().judgeUnreported(dir, u)
	}
	if m := h.message(msg); m != nil {
		m.high = max(m.high, c.f.Serial)
	}
	if retry && c.f.Flags&dp4.RLY == 0 {
		c.c.Rules.Broken(r222UnrelRetry, fmt.Sprintf("sequence %d, which is not reliable, is sent again", c.f.Sequence), u.frame)
	}
}

// fine reports that times of the capture are known to be fine enough to tell a later
// sending from a copy.
func (c packetJudge) fine() bool {
	rules := &c.c.Rules
	return rules.ClockFine() && rules.Frames(0)+rules.Frames(1) >= fineFrames
}

// fineFrames is after how many frames the granularity of times shows.
const fineFrames = 24
