package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeFirst judges what the first captured copy of a packet tells besides its
// place.
func (j *judge) judgeFirst(dir dissect.Dir, u track.Record) {
	f, rules, s := j.Packet, &j.c.Rules, &j.side[dir]
	if s.early != nil && u.Num > s.early.num {
		j.settleEarly(dir, f.Serial == 0 && u.Num == s.early.num+1)
	}
	if f.Flags&(dp4.WholeMessage|dp4.RLY) == dp4.WholeMessage|dp4.RLY && f.Serial == 0 && s.started {
		// No more messages begin than there are packets.
		if from, ok := j.c.Dir[dir].Window().Cumulative(); ok && u.Num-from < dp4.MessageWindow {
			rules.PassSet(setFirst)
			return
		}
	}
	if !s.started {
		j.judgeStart(dir, u)
	}
	switch {
	case f.Flags&dp4.WholeMessage != dp4.WholeMessage:
		j.judgePartSerial(dir, u)
	case f.Serial == 0:
		rules.Pass(r222SerialSingle)
		if f.Flags&dp4.RLY == 0 {
			rules.Pass(r222UnrelRetry)
		}
	}
	if f.Flags&dp4.STA != 0 {
		j.judgeSerialStart(dir, u)
		j.judgeWindow(dir, u)
	}
}

// judgeSerialStart: the first transmission of a message has serial 0 (MC-DPL4R 2.2.2,
// 3.1.3). Packets are first sent in their order, so a packet that comes sooner
// after the one before it than any retry can was not sent before.
func (j *judge) judgeSerialStart(dir dissect.Dir, u track.Record) {
	rules, f := &j.c.Rules, j.Packet
	if rules.Check(r222SerialStart, f.Serial == 0) {
		return
	}
	p := j.RecordOf(dir, u.Num-1)
	if !p.IsKnown() || p.Low != 0 {
		return
	}
	tries := (int64(f.Serial) + 1) / 2 // a timer and a report may each cause one
	message := fmt.Sprintf("sequence %d is first sent with serial %d", f.Sequence, f.Serial)
	// Where the capture misses frames, what it holds of either may be a late copy.
	if f.Flags&dp4.WholeMessage == dp4.WholeMessage && j.Frame.Time-p.Time() < tries*j.surely() && j.Clean {
		j.broken(r222SerialStart, message, p.Frame())
		return
	}
	rules.Unclear(r222SerialStart, conform.GuardClean, message, p.Frame())
}

// soonPart is within what time of a message's beginning no part of it is sent a
// second time, in ns.
const soonPart = 5e6

// judgePartSerial judges the serial of a part of a message: it counts the transmissions
// of all parts (MC-DPL4R 2.2.2). Some count each part by itself (AMB-DP4-13).
func (j *judge) judgePartSerial(dir dissect.Dir, u track.Record) {
	rules, f, s := &j.c.Rules, j.Packet, &j.side[dir]
	m := j.MessageOf(dir, u.Msg)
	if m == nil || f.Flags&dp4.STA != 0 {
		return
	}
	if f.Serial == 0 {
		if s.firstZero(m) {
			x := rules.Here(r222SerialMulti, fmt.Sprintf("sequence %d, a later part of message %d, has serial 0: the sender counts each part separately", f.Sequence, f.MessageID))
			x.Milder, x.Since = true, noWindow
			rules.Judge(x)
		}
		return
	}
	if first := j.RecordOf(dir, m.STA); m.HasSTA && first.IsKnown() && first.Low == 0 && u.Time()-first.Time() < soonPart && j.Fine() {
		s.perMessage = true
	}
	for n := m.Low; n < u.Num && n > u.Num-track.NearPackets; n++ {
		p := j.RecordOf(dir, n)
		if !p.IsKnown() || p.Msg != u.Msg || p.High() != f.Serial && p.Low != f.Serial {
			continue
		}
		message := fmt.Sprintf("sequences %d and %d of message %d have the same serial %d", uint8(n), f.Sequence, f.MessageID, f.Serial)
		if !s.perMessage || j.CountsPackets(dir) {
			rules.Unclear(r222SerialMulti, conform.GuardDial, message, p.Frame())
		} else {
			j.broken(r222SerialMulti, message, p.Frame())
		}
		return
	}
	rules.Pass(r222SerialMulti)
}

// zeros is a message whose later parts had serial 0: by the packet captured first of it.
type zeros struct {
	msg   seq.Num
	frame uint64
}

// firstZero reports whether no other later part of a message had serial 0.
func (s *side) firstZero(m *track.Message) bool {
	if s.zeros == nil {
		s.zeros = new([32]zeros)
	}
	x, now := &s.zeros[m.Num&31], zeros{m.Num, m.Frame}
	first := *x != now
	*x = now
	return first
}

// startTime is for how long after the first frame of a connection a side that was
// not heard before can not have used up its numbers, in ns.
const startTime = 2e9

// judgeStart: messageids and sequences begin with 1 (MC-DPL4R 2.2.2, 3.1.3), or
// with 0, as in the example (AMB-DP4-01, AMB-DP4-02). Higher numbers of the first
// packet captured may be those of later packets; both numbers together tell.
func (j *judge) judgeStart(dir dissect.Dir, u track.Record) {
	s, rules, f := &j.side[dir], &j.c.Rules, j.Packet
	s.started = true
	if !j.Frame.HasTime || j.Frame.Time-j.c.FirstTime > startTime || f.Serial != 0 || f.Flags&dp4.STA == 0 {
		return
	}
	least := uint8(0)
	if j.Profile().Strict {
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

// judgeRetryTime: a retry sooner than the shortest round trip after the transmission
// before cannot know whether that arrived (MC-DPL4R 3.1.2).
func (j *judge) judgeRetryTime(dir dissect.Dir, u track.Record) {
	rules, s := &j.c.Rules, &j.side[dir]
	retries := int8(j.Packet.Serial - u.High()) // since the latest one, captured or not
	if !j.Frame.HasTime || retries < 1 || j.Packet.Flags&dp4.WholeMessage != dp4.WholeMessage {
		return
	}
	gap := j.Frame.Time - u.Last()
	if gap+rules.Horizon() < int64(retries)*j.c.Dir[dir].MinRTT() {
		j.side[dir.Other()].nacks = true // only reports make a sender so quick, captured or not
	}
	if retries > 1 {
		return
	}
	if top, _ := j.Top(dir); u.Num == top && u.Num <= 1 && u.High() == 0 && j.c.Complete && u.Sum == j.Sent(dir) {
		// Nothing else was sent, so nothing can have been answered.
		if !rules.Check(r312RtoInit, gap+rules.Horizon() >= initialRTO*3/4) {
			j.holdEarly(dir, u.Num, rules.Here(r312RtoInit, fmt.Sprintf("the first packet is sent again after %d ms, before anything was received", gap/1e6), u.Frame()))
		}
	}
	if s.retries++; s.retries < leastRetries {
		return
	}
	if !rules.Check(r312Rto, gap+rules.Horizon() >= j.c.Dir[dir].MinRTT()) {
		x := rules.Here(r312Rto, fmt.Sprintf("sequence %d is sent again after %d ms, but the shortest round trip is %d ms", j.Packet.Sequence, gap/1e6, j.c.Dir[dir].MinRTT()/1e6), u.Frame())
		if top, _ := j.Top(dir); u.Num < top || s.early != nil {
			x.Blocked = conform.GuardKnew // a report, captured or not, may have caused it
			rules.Judge(x)
			return
		}
		j.holdEarly(dir, u.Num, x)
	}
}

// An early is the latest packet of a side, sent again too soon if no other was sent before that:
// of those, a report may say that this one is missing, or others may have been answered.
type early struct {
	conform.Case
	num seq.Num
}

// holdEarly holds that a side sent its latest packet again too soon, until its next one
// or an acknowledgement shows whether that was the latest.
func (j *judge) holdEarly(dir dissect.Dir, num seq.Num, x conform.Case) {
	x.Since = noWindow
	j.side[dir].early = &early{x, num}
}

// settleEarly settles that; alone says that no other packet was sent before.
func (j *judge) settleEarly(dir dissect.Dir, alone bool) {
	x := j.side[dir].early
	j.side[dir].early = nil
	if !alone {
		x.Blocked = conform.GuardClean
	}
	j.c.Rules.Judge(x.Case)
}

const (
	initialRTO   = 1e9 // ns (MC-DPL4R 3.1.2)
	leastRetries = 20  // guard SAMPLE
)
