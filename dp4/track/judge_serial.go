package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
)

// judgeFirst judges what the first captured copy of a packet tells besides its
// place.
func (c packetJudge) judgeFirst(dir int, u *fact) {
	f, rules := c.f, &c.c.Rules
	if c.side[dir].initial != nil {
		c.settleInitial(dir, f.Serial == 0 && u.num <= 2)
	}
	if f.Flags&(dp4.WholeMessage|dp4.RLY) == dp4.WholeMessage|dp4.RLY && f.Serial == 0 && c.side[dir].started {
		// No more messages begin than there are packets.
		if from, ok := c.c.Dir[dir].Window().Cumulative(); ok && u.num-from < dp4.MessageWindow {
			rules.PassSet(setFirst)
			return
		}
	}
	if !c.side[dir].started {
		c.judgeStart(dir, u)
	}
	switch {
	case f.Flags&dp4.WholeMessage != dp4.WholeMessage:
		c.judgePartSerial(dir, u)
	case f.Serial == 0:
		rules.Pass(r222SerialSingle)
		if f.Flags&dp4.RLY == 0 {
			rules.Pass(r222UnrelRetry)
		}
	}
	if f.Flags&dp4.STA != 0 {
		c.judgeSerialStart(dir, u)
		c.judgeWindow(dir, u)
	}
}

// judgeSerialStart: the first sending of a message has serial 0 (MC-DPL4R 2.2.2,
// 3.1.3). Packets are first sent in their order, so a packet that comes sooner
// behind the one before it than any retry can was not sent before.
func (c packetJudge) judgeSerialStart(dir int, u *fact) {
	rules, f := &c.c.Rules, c.f
	if rules.Check(r222SerialStart, f.Serial == 0) {
		return
	}
	p := c.side[dir].facts.fact(u.num - 1)
	if p == nil || p.low != 0 {
		return
	}
	tries := (int64(f.Serial) + 1) / 2 // a timer and a report may each cause one
	message := fmt.Sprintf("sequence %d is first sent with serial %d", f.Sequence, f.Serial)
	// Where the capture misses frames, what it holds of either may be a late copy.
	if f.Flags&dp4.WholeMessage == dp4.WholeMessage && c.fr.Time-p.time < tries*c.surely() && c.clean {
		c.broken(r222SerialStart, message, p.frame)
		return
	}
	rules.Unclear(r222SerialStart, conform.GuardClean, message, p.frame)
}

// soonPart is within what time of a message's beginning no part of it is sent a
// second time, in ns.
const soonPart = 5e6

// judgePartSerial judges the serial of a part of a message: it counts the sendings
// of all parts (MC-DPL4R 2.2.2). Some count each part by itself (AMB-DP4-13).
func (c packetJudge) judgePartSerial(dir int, u *fact) {
	rules, f, s := &c.c.Rules, c.f, &c.side[dir]
	h := &s.facts
	m := h.message(u.msg)
	if m == nil || f.Flags&dp4.STA != 0 {
		return
	}
	if f.Serial == 0 {
		if !m.zeroTold {
			m.zeroTold = true
			x := rules.Here(r222SerialMulti, fmt.Sprintf("sequence %d, a later part of message %d, has serial 0: the sender counts each part separately", f.Sequence, f.MessageID))
			x.Milder, x.Since = true, noWindow
			rules.Judge(x)
		}
		return
	}
	if first := h.fact(m.sta); m.hasSTA && first != nil && first.low == 0 && u.time-first.time < soonPart {
		h.perMessage = true
	}
	for n := m.low; n < u.num && n > u.num-nearPackets; n++ {
		p := h.fact(n)
		if p == nil || p.msg != u.msg || p.high != f.Serial && p.low != f.Serial {
			continue
		}
		message := fmt.Sprintf("sequences %d and %d of message %d have the same serial %d", uint8(n), f.Sequence, f.MessageID, f.Serial)
		if !h.perMessage || s.history.perPacket {
			rules.Unclear(r222SerialMulti, conform.GuardDial, message, p.frame)
		} else {
			c.broken(r222SerialMulti, message, p.frame)
		}
		return
	}
	rules.Pass(r222SerialMulti)
}

// startTime is for how long after the first frame of a connection a side that was
// not heard before can not have used up its numbers, in ns.
const startTime = 2e9

// judgeStart: messageids and sequences begin with 1 (MC-DPL4R 2.2.2, 3.1.3), or
// with 0, as in the example (AMB-DP4-01, AMB-DP4-02). Higher numbers of the first
// packet captured may be those of later packets; both numbers together tell.
func (c packetJudge) judgeStart(dir int, u *fact) {
	s, rules, f := &c.side[dir], &c.c.Rules, c.f
	s.started = true
	if s.early || !c.fr.HasTime || c.fr.Time-c.c.FirstTime > startTime || f.Serial != 0 || f.Flags&dp4.STA == 0 {
		return
	}
	least := uint8(0)
	if c.wants.Profile.Strict {
		least = 1
	}
	seqOK := f.Sequence <= 1 && f.Sequence >= least
	msgOK := f.MessageID <= 1 && f.MessageID >= least
	msg := fmt.Sprintf("the first captured message of this side has messageid %d", f.MessageID)
	seq := fmt.Sprintf("the first captured packet of this side has sequence %d", f.Sequence)
	switch {
	case msgOK || f.Sequence <= 1:
		if !rules.Check(r222MsgidFirst, msgOK) {
			rules.Broken(r222MsgidFirst, msg)
		}
	default:
		rules.Unclear(r222MsgidFirst, conform.GuardClean, msg)
	}
	switch {
	case seqOK || f.MessageID <= 1:
		if !rules.Check(r313SeqStart, seqOK) {
			rules.Broken(r313SeqStart, seq)
		}
	default:
		rules.Unclear(r313SeqStart, conform.GuardClean, seq)
	}
}

// judgeRetryTime: a retry sooner than the shortest round trip after the sending
// before cannot know whether that arrived (MC-DPL4R 3.1.2).
func (c packetJudge) judgeRetryTime(dir int, u *fact) {
	rules, s := &c.c.Rules, &c.side[dir]
	if !c.fr.HasTime || c.f.Serial != u.high+1 || c.f.Flags&dp4.WholeMessage != dp4.WholeMessage {
		return
	}
	gap := c.fr.Time - u.last
	if gap+rules.Horizon() < c.c.Dir[dir].MinRTT() {
		c.side[1-dir].nacks = true // only reports make a sender so quick, captured or not
	}
	if u.num == s.facts.top && u.num <= 1 && u.high == 0 && c.c.Complete && u.sum == s.total {
		// Nothing else was sent, so nothing can have been answered.
		if !rules.Check(r312RtoInit, gap+rules.Horizon() >= initialRTO*3/4) {
			c.holdInitial(dir, rules.Here(r312RtoInit, fmt.Sprintf("the first packet is sent again after %d ms, before anything was received", gap/1e6), u.frame))
		}
	}
	if s.retries++; s.retries < leastRetries {
		return
	}
	if !rules.Check(r312Rto, gap+rules.Horizon() >= c.c.Dir[dir].MinRTT()) {
		rules.Broken(r312Rto, fmt.Sprintf("sequence %d is sent again after %d ms, but the shortest round trip is %d ms", c.f.Sequence, gap/1e6, c.c.Dir[dir].MinRTT()/1e6), u.frame)
	}
}

// holdInitial holds that a side sent its first packet again too soon, until its next one
// or an acknowledgement shows whether others were sent before, and may have been answered.
func (c packetJudge) holdInitial(dir int, x conform.Case) {
	x.Since = noWindow
	c.side[dir].initial = &x
}

// settleInitial settles that; alone says that no other packet was sent before.
func (c packetJudge) settleInitial(dir int, alone bool) {
	x := c.side[dir].initial
	c.side[dir].initial = nil
	if !alone {
		x.Blocked = conform.GuardClean
	}
	c.c.Rules.Judge(*x)
}

const (
	initialRTO   = 1e9 // ns (MC-DPL4R 3.1.2)
	leastRetries = 20  // guard SAMPLE
)
