package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
)

// A dp4Talk is a connection of players 1 and 2 made by hand: what each side says
// conforms, as far as the one who makes it does not change it.
type dp4Talk struct {
	steps []Step
	at    time.Duration
	next  [2]uint8  // sequence and messageid of the next message
	lag   [2]uint8  // by how much messageids are below sequences
	bytes [2]uint32 // received by each side
	last  [2]*dp4.Frame
}

// newDP4Talk begins with n messages of either side, each acknowledged.
func newDP4Talk(n int) *dp4Talk {
	t := &dp4Talk{next: [2]uint8{1, 1}}
	for range n {
		for side := range dissect.Dirs {
			t.say(side, 20037*time.Microsecond, dp4Whole|dp4.RLY|dp4.SAK)
			t.ack(side.Other(), 25*time.Millisecond)
		}
	}
	return t
}

func (t *dp4Talk) frame(side dissect.Dir, flags dp4.Flags) *dp4.Frame {
	return &dp4.Frame{From: dp4.Index{Value: uint32(side + 1)}, To: dp4.Index{Value: uint32(2 - side)}, Flags: flags}
}

func (t *dp4Talk) send(side dissect.Dir, after time.Duration, f *dp4.Frame) *Step {
	t.at += after
	t.steps = append(t.steps, Step{From: side, After: after, Payload: f.Append(nil)})
	return &t.steps[len(t.steps)-1]
}

// say sends the next message.
func (t *dp4Talk) say(side dissect.Dir, after time.Duration, flags dp4.Flags) *Step {
	f := t.frame(side, flags|dp4.CMD)
	f.MessageID, f.Sequence, f.Data = t.next[side]-t.lag[side], t.next[side], []byte("message text")[:3+t.next[side]%9]
	t.next[side]++
	return t.repeat(side, after, f)
}

// parts sends the next message in three.
func (t *dp4Talk) parts(side dissect.Dir, after time.Duration) *Step {
	t.say(side, after, dp4.STA|dp4.RLY)
	for i, flags := range []dp4.Flags{dp4.CMD | dp4.RLY, dp4.CMD | dp4.EOM | dp4.RLY} {
		f := *t.last[side]
		f.Flags, f.Sequence, f.Serial = flags, f.Sequence+1, uint8(i+1)
		t.next[side], t.lag[side] = t.next[side]+1, t.lag[side]+1
		t.repeat(side, time.Millisecond, &f)
	}
	return &t.steps[len(t.steps)-1]
}

// again sends the latest message once more.
func (t *dp4Talk) again(side dissect.Dir, after time.Duration) *Step {
	f := *t.last[side]
	f.Serial++
	return t.repeat(side, after, &f)
}

// repeat sends a data frame, which arrives.
func (t *dp4Talk) repeat(side dissect.Dir, after time.Duration, f *dp4.Frame) *Step {
	t.last[side] = f
	s := t.send(side, after, f)
	t.bytes[side.Other()] += uint32(len(s.Payload) - 2) // without the indexes
	return s
}

// answer is an ACK of what the other side said last.
func (t *dp4Talk) answer(side dissect.Dir) *dp4.Frame {
	f, of := t.frame(side, dp4.ACK), t.last[side.Other()]
	f.MessageID, f.Sequence, f.Serial = of.MessageID, of.Sequence, of.Serial
	return f
}

// ack sends it.
func (t *dp4Talk) ack(side dissect.Dir, after time.Duration) *Step {
	return t.reply(side, after, t.answer(side))
}

// reply sends an acknowledgement with the counters filled in.
func (t *dp4Talk) reply(side dissect.Dir, after time.Duration, f *dp4.Frame) *Step {
	f.BytesReceived, f.Tick = t.bytes[side], 70000+uint32((t.at+after)/time.Millisecond)
	return t.send(side, after, f)
}

// nack is a NACK of a sequence, whose message has the same number.
func (t *dp4Talk) nack(side dissect.Dir, seq uint8) *dp4.Frame {
	f := t.frame(side, dp4.ACK|dp4.EXT)
	f.MessageID, f.Sequence = seq, seq
	return f
}

// end lets some more be said.
func (t *dp4Talk) end() []Step {
	for range 6 {
		for side := range dissect.Dirs {
			t.say(side, 20*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
			t.ack(side.Other(), 25*time.Millisecond)
		}
	}
	return t.steps
}

// dp4WindowMutant sends 25 messages at once.
func dp4WindowMutant() Mutant {
	t := newDP4Talk(25)
	for range 25 {
		t.say(0, 100*time.Microsecond, dp4Whole|dp4.RLY).Fault = false
	}
	t.steps[len(t.steps)-1].Fault = true
	t.ack(1, 25*time.Millisecond)
	return Mutant{Rule: "DP4-2.2.2-MSGID-WINDOW", Name: "sends 25 messages at once", Steps: t.end()}
}

// dp4BurstsMutant sends six times 60 messages at once, to a side that says little.
func dp4BurstsMutant(name string, side dissect.Dir, rounds int) Mutant {
	t := newDP4Talk(rounds)
	for range 6 {
		for i := range 60 {
			t.say(side, 50*time.Microsecond, dp4Whole|dp4.RLY).Fault = i >= 24
		}
		t.ack(side.Other(), 45*time.Millisecond)
		t.say(side, 200*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
		t.ack(side.Other(), 25*time.Millisecond)
	}
	return Mutant{Rule: "DP4-2.2.2-MSGID-WINDOW", Name: name, Steps: t.end()}
}

// dp4WindowNear sends 24 messages at once.
func dp4WindowNear() Mutant {
	t := newDP4Talk(25)
	for range 24 {
		t.say(0, 100*time.Microsecond, dp4Whole|dp4.RLY)
	}
	t.ack(1, 25*time.Millisecond)
	return Mutant{Rule: "DP4-2.2.2-MSGID-WINDOW", Name: "sends 24 messages at once", Near: true, Steps: t.end()}
}

// dp4ActedMutant acknowledges a frame with CMD and EXT.
func dp4ActedMutant() Mutant {
	t := newDP4Talk(25)
	f := t.frame(0, dp4.CMD|dp4.EXT|dp4Whole|dp4.RLY)
	f.MessageID, f.Sequence, f.Data = t.next[0], t.next[0], []byte("ignore me")
	t.next[0]++
	t.repeat(0, 20*time.Millisecond, f)
	t.ack(1, 25*time.Millisecond).Fault = true
	return Mutant{Rule: "DP4-2.2.2-CMDEXT-ACTED", Name: "acknowledges what must be ignored", Steps: t.end(), Also: []string{"DP4-2.2.2-CMDEXT"}}
}

// dp4RangeMutant acknowledges a message beyond the window.
func dp4RangeMutant() Mutant {
	t := newDP4Talk(25)
	f := t.frame(0, dp4.CMD|dp4Whole|dp4.RLY)
	f.MessageID, f.Sequence, f.Data = t.next[0]+40, t.next[0], []byte("far ahead")
	t.next[0]++
	t.repeat(0, 20*time.Millisecond, f)
	t.ack(1, 25*time.Millisecond).Fault = true
	return Mutant{Rule: "DP4-3.1.5.2-RANGE", Name: "acknowledges a message beyond the window", Steps: t.end(), Also: []string{"DP4-2.2.2-MSGID-SEQ"}}
}

// dp4ActedNear acknowledges the frame that has the same numbers and is not to be
// ignored.
func dp4ActedNear() Mutant {
	t := newDP4Talk(25)
	f := t.frame(0, dp4.CMD|dp4.EXT|dp4Whole|dp4.RLY)
	f.MessageID, f.Sequence, f.Data = t.next[0], t.next[0], []byte("ignore me")
	t.repeat(0, 20*time.Millisecond, f)
	t.steps[len(t.steps)-1].Fault = true
	t.say(0, 5*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
	t.ack(1, 25*time.Millisecond)
	return Mutant{Rule: "DP4-2.2.2-CMDEXT-ACTED", Name: "acknowledges a frame with the same numbers", Near: true, Steps: t.end()}
}

// dp4RangeNear goes on acknowledging what is within the window.
func dp4RangeNear() Mutant {
	t := newDP4Talk(25)
	f := t.frame(0, dp4.CMD|dp4Whole|dp4.RLY)
	f.MessageID, f.Sequence, f.Data = t.next[0]+40, t.next[0], []byte("far ahead")
	t.repeat(0, 20*time.Millisecond, f)
	t.steps[len(t.steps)-1].Fault = true
	t.say(0, 5*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
	t.ack(1, 25*time.Millisecond)
	return Mutant{Rule: "DP4-3.1.5.2-RANGE", Name: "ignores a message beyond the window", Near: true, Steps: t.end(), Also: []string{"DP4-2.2.2-MSGID-SEQ", "DP4-2.2.4-PAIR"}}
}

// dp4SerialStart sends a message for the first time with serial 1.
func dp4SerialStart(t *dp4Talk) {
	t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY)
	f := *t.last[0]
	f.Sequence, f.MessageID, f.Serial = f.Sequence+1, f.MessageID+1, 1
	t.next[0]++
	t.repeat(0, time.Millisecond, &f).Fault = true
	t.ack(1, 25*time.Millisecond)
}

// dp4Fragmented sends more in one frame than the network takes.
func dp4Fragmented(t *dp4Talk) {
	t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY)
	f := *t.last[0]
	f.Sequence, f.MessageID, f.Data = f.Sequence+1, f.MessageID+1, make([]byte, 4000)
	t.next[0]++
	t.repeat(0, time.Millisecond, &f).Fault = true
	t.ack(1, 25*time.Millisecond)
}

// dp4Masked reports two packets missing at once.
func dp4Masked(t *dp4Talk) {
	var lost []dp4.Frame
	first := t.next[0]
	for range 2 {
		s := t.say(0, 5*time.Millisecond, dp4Whole|dp4.RLY)
		lost = append(lost, *t.last[0])
		t.bytes[1] -= uint32(len(s.Payload) - 2)
		t.say(0, 5*time.Millisecond, dp4Whole|dp4.RLY)
	}
	latest := t.last[0]
	f := t.nack(1, first)
	f.ExtFlags, f.MaskSize, f.Mask = dp4.LSBFirst.ExtFlags(1), 1, 2
	t.reply(1, 25*time.Millisecond, f)
	for i := range lost {
		lost[i].Serial++
		t.repeat(0, 25*time.Millisecond, &lost[i])
	}
	t.last[0] = latest
	t.ack(1, 25*time.Millisecond)
}
