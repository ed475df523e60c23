package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeContradiction says which rule a packet breaks whose numbers contradict those captured
// before, or that of a packet captured before that was out of place (MC-DPL4R 2.2.2, 3.1.5.2).
func (j *judge) judgeContradiction(dir dissect.Dir) {
	f, p := j.Packet, j.Other
	switch j.Contradiction {
	case track.NewBelow, track.OtherPacket, track.OtherRLY, track.OtherEnds, track.OtherData:
		j.judgeUnlike(dir, p)
	case track.MessageSkips:
		j.broken(r222MsgidSeq, fmt.Sprintf("sequence %d begins message %d, but sequence %d belonged to message %d: there is no room for the skipped messages",
			f.Sequence, f.MessageID, uint8(p.Num), uint8(p.Msg)), p.Frame())
	case track.MessageBack:
		j.broken(r222MsgidSeq, fmt.Sprintf("messageid goes back: sequence %d belongs to message %d, but sequence %d belonged to message %d",
			f.Sequence, f.MessageID, uint8(p.Num), uint8(p.Msg)), p.Frame())
	case track.MessageAhead:
		j.broken(r222MsgidSeq, fmt.Sprintf("sequence %d belongs to message %d, but sequence %d after it to message %d", f.Sequence, f.MessageID, uint8(p.Num), uint8(p.Msg)), p.Frame())
	case track.MessageRan:
		j.blameBefore(r222MsgidSeq, dir, p, fmt.Sprintf("sequence %d belongs to message %d, but sequence %d before it to message %d", uint8(p.Num), uint8(p.Msg), f.Sequence, f.MessageID), j.Frame.Frame)
	case track.RanAhead:
		j.blameBefore(r222SeqInc, dir, p, fmt.Sprintf("sequence %d is sent before sequence %d", uint8(p.Num), f.Sequence), j.Frame.Frame)
	case track.LateFirst:
		x := j.c.Rules.Here(r222SeqInc, fmt.Sprintf("sequence %d is first sent after sequence %d", f.Sequence, uint8(p.Num)), p.Frame())
		if x.Since = noWindow; !j.c.Complete && j.Num < j.c.Dir[dir].Window().Lowest() {
			x.Blocked = conform.GuardStart // a copy of one that came before the connection was recognised
		}
		j.c.Rules.Judge(x)
	case track.PacketsSkip:
		j.broken(r222SeqInc, fmt.Sprintf("message %d begins at sequence %d, but message %d ended at %d: sequences were skipped",
			f.MessageID, f.Sequence, uint8(p.Msg), uint8(p.Num)), p.Frame())
	case track.NotBegun:
		j.broken(r222StaFirst, fmt.Sprintf("sequence %d is the first of message %d and has no STA", f.Sequence, f.MessageID), p.Frame())
	case track.Ended:
		j.judgeEnded(p)
	case track.Unfinished:
		j.broken(r222StaOnce, fmt.Sprintf("sequence %d has STA, but message %d was still incomplete at sequence %d", f.Sequence, f.MessageID, uint8(p.Num)), p.Frame())
	case track.Unended:
		j.judgeUnended(dir, p, j.Next)
	case track.Within:
		j.judgeWithin(dir, p)
	default:
		j.judgePart(j.Message)
	}
}

// blameBefore breaks a rule at a packet captured before that is out of place: what
// acknowledges its sequence may mean it.
func (j *judge) blameBefore(rule int, dir dissect.Dir, u track.Record, message string, proof ...uint64) {
	j.blame(rule, dir, u, message, proof...)
	j.side[dir].oddly(uint8(u.Num), j.Frame.Time)
}

// judgeUnlike: a transmission differs from the packet that has its number.
func (j *judge) judgeUnlike(dir dissect.Dir, u track.Record) {
	f := j.Packet
	rule, what := r222SeqUnique, ""
	switch j.Contradiction {
	case track.NewBelow:
		top, _ := j.Top(dir)
		rule, what = r222SeqInc, fmt.Sprintf("is a new packet of message %d, but the highest sequence so far was %d", f.MessageID, uint8(top))
	case track.OtherPacket:
		what = fmt.Sprintf("is of message %d, but was of message %d", f.MessageID, uint8(u.Msg))
	case track.OtherRLY:
		rule, what = r222RlyConst, "is sent again with a different RLY"
	case track.OtherEnds:
		rule, what = j.sameRule(u), "is sent again with a different STA or EOM"
	case track.OtherData:
		rule, what = j.sameRule(u), "is sent again with different data"
	}
	what = fmt.Sprintf("sequence %d %s", f.Sequence, what)
	if j.Restarts {
		j.c.Rules.Unclear(rule, conform.GuardLife, what, u.Frame())
		return
	}
	j.broken(rule, what, u.Frame())
}

// sameRule is the rule that another packet with the number of u breaks: with a higher
// serial it is a retry.
func (j *judge) sameRule(u track.Record) int {
	if int8(j.Packet.Serial-u.High()) > 0 {
		return r222RetrySame
	}
	return r222SeqUnique
}

// judgeEnded: a packet of the message that ended right before.
func (j *judge) judgeEnded(p track.Record) {
	f := j.Packet
	rule, what := r222EomLast, "belongs to message %d, which ended at sequence %d"
	switch {
	case f.Flags&dp4.WholeMessage == dp4.WholeMessage && p.Flags&dp4.WholeMessage == dp4.WholeMessage:
		rule, what = r222MsgidSeq, "is a new message, but has messageid %d like sequence %d"
	case f.Flags&dp4.STA != 0:
		rule, what = r222StaOnce, "begins message %d again, which ended at sequence %d"
	}
	j.broken(rule, fmt.Sprintf("sequence %d "+what, f.Sequence, f.MessageID, uint8(p.Num)), p.Frame())
}

// judgeUnended: p has no EOM, and u after it is of another message.
func (j *judge) judgeUnended(dir dissect.Dir, p, u track.Record) {
	if u.Flags&dp4.STA == 0 {
		j.blame(r222StaFirst, dir, u, fmt.Sprintf("sequence %d is the first of message %d and has no STA", uint8(u.Num), uint8(u.Msg)), p.Frame())
		return
	}
	j.blame(r222StaOnce, dir, p, fmt.Sprintf("message %d has no EOM: sequence %d is its last, and sequence %d begins message %d",
		uint8(p.Msg), uint8(p.Num), uint8(u.Num), uint8(u.Msg)), u.Frame())
}

// judgeWithin: p lies within another message (MC-DPL4R 3.1.5.2).
func (j *judge) judgeWithin(dir dissect.Dir, p track.Record) {
	m := j.Message
	j.blameBefore(r3152Contig, dir, p, fmt.Sprintf("sequence %d belongs to message %d, but lies within message %d, which has sequences %d and %d",
		uint8(p.Num), uint8(p.Msg), uint8(m.Num), uint8(m.Low), j.Packet.Sequence), m.Frame, j.Frame.Frame)
}

// judgePart: the packet does not fit the others of its message.
func (j *judge) judgePart(m *track.Message) {
	say := func(rule int, what string, at seq.Num) {
		j.broken(rule, fmt.Sprintf("sequence %d of message %d "+what, j.Packet.Sequence, j.Packet.MessageID, uint8(at)), m.Frame)
	}
	switch j.Contradiction {
	case track.MixedRLY:
		say(r222RlyConst, "differs in RLY from sequence %d", m.Low)
	case track.TwoSTA:
		say(r222StaOnce, "has STA, as sequence %d had", m.STA)
	case track.TwoEOM:
		say(r222StaOnce, "has EOM, as sequence %d had", m.EOM)
	case track.AfterEOM:
		say(r222EomLast, "follows its end at sequence %d", m.EOM)
	}
}
