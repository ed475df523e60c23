package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/knet"
)

// A charge is a rule that a datagram breaks by itself.
type charge struct {
	rule    int
	grade   grade
	message string
}

// A grade is how severe that is, measured by its rule.
type grade uint8

const (
	asIs   grade = iota
	milder       // one step less
	remark       // a note
)

// A breach is what a fault breaks.
type breach struct {
	rule  int
	grade grade
	say   func(c frameJudge, f *Fault) string
}

// Rules of the lengths of control messages, from PingRequest on; -1 for those of
// any length.
var lengthRule = [...]int{rRmPingLen, rRmPongLen, rRmFlowLen, rRmAckLen, rRmDiscLen, rRmDiscackLen, -1, -1, rRmConnackLen}

// breaches are those of all faults.
var breaches = [FaultKinds]breach{
	OneFragment:    {rMbFragcount, remark, text("FragmentCount is 1: the message needs no fragments")},
	OneIndex:       {rMbMultiCount, remark, text("the InOrder code is 7, but MultiInOrderIndexCount is 1")},
	AcksAmong:      {rRmAckRel, remark, text("the PacketAck is in a reliable datagram with other messages")},
	UnreliableFlow: {rRmFlowRel, remark, text("the FlowControlRequest is unreliable")},
	TooLong: {rDgSize, asIs, func(c frameJudge, f *Fault) string {
		return fmt.Sprintf("the datagram has %d bytes in %d IP fragments", f.Value, max(c.fr.Fragments, 1))
	}},
	LongBase: {rDgVleMin, asIs, func(c frameJudge, _ *Fault) string { return longer("ReliableBase", c.d.Base) }},
	LongDelta: {rDgVleMin, asIs, func(c frameJudge, f *Fault) string {
		return longer("InOrder delta", knet.VLE{Value: uint32(c.d.Dependencies[f.Value].Delta), Size: 2})
	}},
	LongIndex: {rDgVleMin, asIs, func(c frameJudge, f *Fault) string {
		return longer("message index", knet.VLE{Value: uint32(c.d.Dependencies[f.Value].Index), Size: 2})
	}},
	LongID:         {rDgVleMin, asIs, of(func(m *knet.Message) string { return longer("MessageID", m.ID) })},
	LongReliable:   {rDgVleMin, asIs, of(func(m *knet.Message) string { return longer("ReliableDelta", m.Delta) })},
	LongCount:      {rDgVleMin, asIs, of(func(m *knet.Message) string { return longer("FragmentCount", m.FragmentCount) })},
	LongNumber:     {rDgVleMin, asIs, of(func(m *knet.Message) string { return longer("FragmentNumber", m.FragmentNumber) })},
	NoDependencies: {rDgIodzero, asIs, text("the InOrder flag is set, but InOrderDeltaCount is 0")},
	NoCodes:        {rDgInorderIdle, asIs, text("the InOrder flag is set, but no message has an InOrder code")},
	DependencyTwice: {rIoDupdep, asIs, func(c frameJudge, f *Fault) string {
		x := &c.d.Dependencies[f.Value]
		return fmt.Sprintf("message %d of PacketID %d is listed twice", x.Index, x.PacketID(c.d.PacketID))
	}},
	IndexSpelledOut: {rMbSingleShort, asIs, func(_ frameJudge, f *Fault) string {
		return fmt.Sprintf("SingleInOrderIndex is %d, which code %d expresses as well", f.Value, f.Value+1)
	}},
	IndexTwice: {rMbMultiDup, asIs, func(_ frameJudge, f *Fault) string {
		return fmt.Sprintf("MultiInOrderIndexArray contains %d twice", f.Value)
	}},
	CodeOnFragment: {rFrOrder, asIs, of(func(m *knet.Message) string {
		return fmt.Sprintf("fragment %d of transfer %d has the InOrder code %d", m.FragmentNumber.Value, m.TransferID, m.Code())
	})},
	LongFragment: {rMbFragsize, asIs, func(c frameJudge, f *Fault) string {
		if c.d.Dialect == knet.Spec {
			return fmt.Sprintf("the fragment has %d bytes of content, more than %d", f.Value, MaxFragment)
		}
		return fmt.Sprintf("the fragment has %d bytes, more than %d", f.Value, MaxFragmentLib)
	}},
	LowRate: {rFcRange, asIs, of(func(m *knet.Message) string {
		return fmt.Sprintf("the requested rate is %d; %d datagrams a second are always allowed", m.Rate, MinRate)
	})},
	ReliablePing: {rRmPingRel, asIs, func(c frameJudge, f *Fault) string {
		if c.d.Dialect == knet.Spec {
			return "the " + f.Message.Kind.String() + " is in a reliable datagram"
		}
		return "the " + f.Message.Kind.String() + " is reliable"
	}},
	HighAckBits: {rRdAckSpan, asIs, of(func(m *knet.Message) string {
		return fmt.Sprintf("bits 22 and 23 of the acknowledged PacketID are not clear: %#06x", m.Ack.PacketID)
	})},
	NoMessages: {rDgEmpty, asIs, text("the datagram has no messages")},
	OrderIsClear: {rDgInorderNeed, asIs, func(_ frameJudge, f *Fault) string {
		return fmt.Sprintf("a message has the InOrder code %d, but the InOrder flag is clear", f.Value)
	}},
	CodeBeyond: {rMbCode15, asIs, func(c frameJudge, f *Fault) string {
		return fmt.Sprintf("the InOrder code %d names dependency %d of %d", f.Message.Code(), f.Value+1, c.d.Depends)
	}},
	SingleBeyond: {rMbSingle, asIs, func(c frameJudge, f *Fault) string {
		return fmt.Sprintf("SingleInOrderIndex is %d, but InOrderDeltaCount is %d", f.Value, c.d.Depends)
	}},
	IndexBeyond: {rMbMulti, asIs, func(c frameJudge, f *Fault) string {
		return fmt.Sprintf("MultiInOrderIndexArray contains %d, but InOrderDeltaCount is %d", f.Value, c.d.Depends)
	}},
	NoIndexes:    {rMbMultiCount, asIs, text("the InOrder code is 7, but MultiInOrderIndexCount is 0")},
	StartIsClear: {rMbFstart, asIs, text("FragmentStart is set without Fragment")},
	NoFragments:  {rMbFragcount, asIs, text("FragmentCount is 0")},
	FragmentedKind: {rRmNofrag, asIs, func(_ frameJudge, f *Fault) string {
		return "a " + knet.Kind(f.Value).String() + " is sent as a fragmented transfer"
	}},
	ZeroNumber:    {rMbFragnum, milder, text("a fragment without FragmentStart has the number 0")},
	EmptyFragment: {rMbLen0, milder, text("the fragment has no content")},
	UnreliableParts: {rFrReliable, asIs, of(func(m *knet.Message) string {
		return fmt.Sprintf("a fragment of transfer %d is not reliable", m.TransferID)
	})},
	OtherMap: {rRmIdmap, asIs, func(_ frameJudge, f *Fault) string {
		return fmt.Sprintf("a PacketAck has the id %d, but others have %d", f.Value, 7-f.Value)
	}},
	WrongSize: {rRmPingLen, asIs, func(_ frameJudge, f *Fault) string {
		return fmt.Sprintf("the %s has %d bytes, not %d", f.Message.Kind, len(f.Message.Body), f.Value)
	}},
	ReliableAck: {rRmAckRel, asIs, func(c frameJudge, _ *Fault) string {
		if c.d.Dialect == knet.Spec {
			return "a reliable datagram contains nothing but acknowledgements"
		}
		return "the PacketAck is reliable"
	}},
	UnreliableRate:   {rRmFlowRel, asIs, text("the FlowControlRequest is in an unreliable datagram")},
	UnreliableAnswer: {rRmConnackRel, asIs, text("the ConnectAck is in an unreliable datagram")},
	ReliableShake: {rRmSynRel, asIs, of(func(m *knet.Message) string {
		return "the " + m.Kind.String() + " is in a reliable datagram"
	})},
	ReliableEnd: {rRmDiscRel, asIs, of(func(m *knet.Message) string {
		return "the " + m.Kind.String() + " is in a reliable datagram"
	})},
	UnorderedEnd: {rRmDiscOrder, asIs, of(func(m *knet.Message) string {
		return "the InOrder flag of the " + m.Kind.String() + " is clear"
	})},
	OrderedControl: {rRmPlainOrder, asIs, of(func(m *knet.Message) string {
		return fmt.Sprintf("the %s has the InOrder code %d", m.Kind, m.Code())
	})},
}

func text(s string) func(frameJudge, *Fault) string {
	return func(frameJudge, *Fault) string { return s }
}

// of gives what is said of the message of a fault.
func of(say func(*knet.Message) string) func(frameJudge, *Fault) string {
	return func(_ frameJudge, f *Fault) string { return say(f.Message) }
}

// longer: a number has a longer form than it needs.
func longer(what string, v knet.VLE) string {
	return fmt.Sprintf("%s %d takes %d bytes, which fits in fewer", what, v.Value, v.Size)
}

// chargeOf tells what a fault of the datagram at hand breaks.
func (c frameJudge) chargeOf(f *Fault) charge {
	b := &breaches[f.Kind]
	rule := b.rule
	switch f.Kind {
	case ReliablePing:
		rule += int(f.Message.Kind - knet.PingRequest)
	case WrongSize:
		rule = lengthRule[f.Message.Kind-knet.PingRequest]
	}
	return charge{rule, b.grade, b.say(c, f)}
}

// What is told of one datagram: so many suspicions of what its messages say. What names more
// datagrams than maxNamed acknowledges them, and is judged no further.
const (
	maxSuspicions = 8
	maxNamed      = 2048
)

// quarantine says that the datagram at hand has a fault, or may have: it must change
// nothing.
func (c frameJudge) quarantine() {
	c.suspect = true
	c.suspicions++
}
