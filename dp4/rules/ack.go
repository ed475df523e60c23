package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeAcknowledgement judges an ACK or NACK against what was captured of the
// other side, before the engine applies it. Its number is num.
func (j *judge) judgeAcknowledgement(dir dissect.Dir, num seq.Num) {
	other := dir.Other()
	top, _ := j.c.Dir[other].Window().Highest()
	sure := j.Sure(other, j.Event, top)
	if j.side[other].ignoredFrame.set {
		captured, _ := j.c.Dir[other].Captured(num)
		j.judgeIgnoredFrame(dir, captured)
	}
	odd := j.side[other].isOdd(j.Packet.Sequence, j.Frame.Time)
	j.hearAck(dir, num, sure && num <= top && !odd)
	if !sure || odd {
		return // its number may be another one (guard UNWRAP)
	}
	j.named(other, num)
	j.side[dir].nacks = j.side[dir].nacks || j.Packet.Type == dp4.TypeNACK
	highest := num
	if m := j.Packet.Mask; m != 0 {
		highest = num + seq.Num(maskTop(m))
	}
	switch u := j.RecordOf(other, num); {
	case num > top:
		j.claim(dir, num, top, namedRule(j.Packet.Type), num)
	case j.beforeFirst(other, num, top):
		j.broken(namedRule(j.Packet.Type), fmt.Sprintf("sequence %d was never sent: sequences began with 0 or 1, and the highest so far was %d", j.Packet.Sequence, uint8(top)))
	case u.IsKnown():
		j.judgeNamed(dir, u)
	}
	if num <= top && highest > top {
		j.claim(dir, highest, top, r223MaskBeyond, num)
	} else if j.Packet.Mask != 0 {
		j.c.Rules.Pass(r223MaskBeyond)
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
// named may be of that; where so much arrived unseen that numbers may have come round, of this one.
func (j *judge) beforeFirst(dir dissect.Dir, num, top seq.Num) bool {
	from, ok := j.Started(dir)
	return j.c.Complete && !j.Follows() && ok && from <= 1 && num < 0 && num > -track.NearPackets && j.Frame.Time-j.c.FirstTime < startTime &&
		int64(j.Packet.BytesReceived)-j.Sent(dir) < int64(num+256-top) // less than a byte of each packet in between
}

// judgeNamed judges an acknowledgement of a packet that was captured.
func (j *judge) judgeNamed(dir dissect.Dir, u track.Record) {
	rules, f := &j.c.Rules, j.Packet
	rule := r224Pair
	rules.Pass(namedRule(f.Type))
	if f.Type == dp4.TypeNACK {
		rule = r223Pair
	}
	if !rules.Check(rule, uint8(u.Msg) == f.MessageID) {
		x := rules.Here(rule, fmt.Sprintf("sequence %d belongs to message %d, not to message %d", f.Sequence, uint8(u.Msg), f.MessageID), u.Frame())
		if x.Since = noWindow; u.Low != u.High() || f.Type == dp4.TypeACK && f.Serial != u.Low {
			x.Blocked = conform.GuardClean // it may answer a transmission that was not captured and named that message
		}
		rules.Judge(x)
		return
	}
	rules.Pass(r221Pair)
	if o := &j.side[dir.Other()]; u.Flags&dp4.SAK != 0 && u.Low == u.High() && u.Num >= o.answered {
		o.answered = u.Num + 1 // what is named again tells no other round trip
		o.answers++
	}
	if f.Type == dp4.TypeACK {
		if u.Flags&dp4.RLY == 0 && u.Flags&dp4.WholeMessage != dp4.WholeMessage {
			j.side[dir].hearing.part = heardPart{true, u.Msg, f.Tick, j.Epoch(dir.Other())}
		}
		j.judgeAckSerial(dir, u)
		j.judgePrompt(dir, u)
		return
	}
	if !rules.Check(r223Reliable, u.Flags&dp4.RLY != 0) {
		x := rules.Here(r223Reliable, fmt.Sprintf("sequence %d is reported missing, but it is not reliable", f.Sequence), u.Frame())
		x.Since, x.Milder = noWindow, !j.knewUnreliable(dir, u)
		rules.Judge(x)
		return
	}
	j.judgeNeglect(dir, u)
}

// knewUnreliable reports whether the side that sent the NACK at hand had received another
// part of the message of a packet, which tells that it is not reliable.
func (j *judge) knewUnreliable(dir dissect.Dir, u track.Record) bool {
	if p := &j.side[dir].hearing.part; p.set && p.msg == u.Msg && p.epoch == j.Epoch(dir.Other()) && int32(j.Packet.Tick-p.tick) >= 0 {
		return true
	}
	for i := range maskTop(j.Packet.Mask) {
		p := j.RecordOf(dir.Other(), u.Num+1+seq.Num(i))
		if j.Packet.Mask>>i&1 == 0 && p.IsKnown() && p.Msg == u.Msg {
			return true // what the mask does not name arrived
		}
	}
	return false
}

// judgeAckSerial: an ACK has the serial of a transmission of its packet (MC-DPL4R
// 2.2.4, AMB-DP4-14). Transmissions the capture missed take at least a round trip each.
func (j *judge) judgeAckSerial(dir dissect.Dir, u track.Record) {
	rules, f := &j.c.Rules, j.Packet
	high := u.High()
	if m := j.MessageOf(dir.Other(), u.Msg); m != nil {
		high = max(high, m.High)
	}
	excess := int64(int8(f.Serial - high))
	if excess <= 0 && f.Serial >= u.Low {
		rules.Pass(r224Serial)
		return
	}
	message := fmt.Sprintf("the ACK has serial %d, but sequence %d was sent with serials %d to %d", f.Serial, f.Sequence, u.Low, u.High())
	// Each NACK may cause a retry, however soon: what no timer caused takes one that was missed, too.
	// The round trips that were seen may be those of packets that were sent again, unseen.
	byTimer, needed := (j.Frame.Time-u.Last())/min(max(j.roundTrip(), 5e6), 50e6), 3
	if !rules.Clean(0) {
		needed = max(rules.NeededOdds(0), rules.NeededOdds(1))
	}
	look, _ := j.c.Dir[dir.Other()].Look(u.Num)
	lacks := look.Copies <= int(u.High()-u.Low) // the capture has not all between these, either
	if missed := 2*excess - byTimer; byTimer < excess && missed >= int64(needed) && !lacks && !j.side[dir].nacks && u.Flags&dp4.WholeMessage == dp4.WholeMessage {
		x := rules.Here(r224Serial, message, u.Frame())
		x.Since = u.Time()
		rules.Judge(x)
		return
	}
	rules.Unclear(r224Serial, conform.GuardClean, message, u.Frame())
}

// claim opens a case that packets of the other side will settle.
func (j *judge) claim(dir dissect.Dir, num, top seq.Num, rule int, named seq.Num) {
	s := &j.side[dir.Other()]
	x := j.c.Rules.Here(rule, "")
	x.Since = noWindow
	x.Message = fmt.Sprintf("sequence %d was not sent yet; the highest so far was %d", uint8(num), uint8(top))
	if rule == r223MaskBeyond {
		x.Message = fmt.Sprintf("the mask after sequence %d reports sequence %d missing, which was not sent yet", uint8(named), uint8(num))
	}
	_, ahead := j.CountedAhead(dir.Other())
	s.claims.Enter(claim{x, num, top, j.Frame.Time + j.c.Rules.Horizon(), j.Epoch(dir.Other()), 0, ahead}, maxClaims, j.unproven)
}

const maxClaims = 4

// fewPackets bounds the packets that the capture may lack after a first transmission that seems
// to disprove a claim. Where it lacks more, the side may have sent later ones before.
const fewPackets = 8

// closeClaims ends what was shown wrong and is not contradicted until the end.
func (j *judge) closeClaims(dir dissect.Dir) {
	s := &j.side[dir]
	if s.early != nil {
		j.settleEarly(dir, false)
	}
	s.claims.End(func(x *claim) {
		if x.shown != 0 && x.epoch == j.Epoch(dir) {
			j.shownWrong(dir, x)
		}
	})
}

// shownWrong ends a claim that a later first transmission shows wrong. Where more bytes
// arrived since the highest number than were captured, the capture missed some of the
// side, and that one may not be the first.
func (j *judge) shownWrong(dir dissect.Dir, x *claim) {
	if ahead, _ := j.CountedAhead(dir); ahead > x.ahead {
		j.unproven(x)
		return
	}
	j.c.Rules.HoldOrder(x.Case)
}

func (j *judge) unproven(x *claim) {
	x.Blocked = conform.GuardClean
	j.c.Rules.Judge(x.Case)
}

// settleClaims looks at a packet captured for the first time: as a first transmission,
// long after an acknowledgement claimed it or one after it, it proves that to be
// wrong. Numbers are sent in their order.
func (j *judge) settleClaims(dir dissect.Dir, num seq.Num) {
	s := &j.side[dir]
	s.claims.Settle(func(x *claim) bool {
		switch {
		case x.epoch != j.Epoch(dir):
			j.unproven(x)
		case x.shown != 0 && num > max(x.num, x.shown+fewPackets):
			j.unproven(x) // the side had come further: what seemed a first transmission was none
		case x.shown != 0:
			j.shownWrong(dir, x)
		case num > x.top && num <= x.num && j.Packet.Serial == 0 && j.Frame.Time > x.ripe && j.Fine():
			x.Proof, x.shown = []uint64{j.Frame.Frame}, num
			return true
		case num >= x.num:
			j.unproven(x)
		default:
			return true
		}
		return false
	})
}

func (s *side) oddly(seq uint8, now int64) {
	x := oddity{seq: seq, time: now}
	if s.odds++; len(s.odd) < maxOddities {
		s.odd = append(s.odd, x)
	} else {
		s.odd[(s.odds-1)%maxOddities] = x
	}
}

func (s *side) isOdd(seq uint8, now int64) bool {
	for i := range s.odd {
		if x := &s.odd[i]; x.seq == seq && now-x.time < forget {
			return true
		}
	}
	return false
}

// named keeps the highest number that was acknowledged: the sender may believe it.
func (j *judge) named(dir dissect.Dir, num seq.Num) {
	if j.Packet.Type == dp4.TypeNACK {
		num--
	}
	if s, epoch := &j.side[dir], j.Epoch(dir); s.heardIn != epoch || num > s.heardTo {
		s.heardTo, s.heardIn = num, epoch
	}
}
