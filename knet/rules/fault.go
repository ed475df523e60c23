package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
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
	say   func(c frameJudge, f *track.Fault) string
}

// Rules of the lengths of control messages, from PingRequest on; -1 for those of
// any length.
var lengthRule = [...]int{rRmPingLen, rRmPongLen, rRmFlowLen, rRmAckLen, rRmDiscLen, rRmDiscackLen, -1, -1, rRmConnackLen}

// breaches are those of all faults.
var breaches = [track.FaultKinds]breach{
	track.OneFragment:    {rMbFragcount, remark, text("FragmentCount is 1: the message needs no fragments")},
	track.OneIndex:       {rMbMultiCount, remark, text("the InOrder code is 7, but MultiInOrderIndexCount is 1")},
	track.AcksAmong:      {rRmAckRel, remark, text("the PacketAck is in a reliable datagram with other messages")},
	track.UnreliableFlow: {rRmFlowRel, remark, text("the FlowControlRequest is unreliable")},
	track.TooLong: {rDgSize, asIs, func(c frameJudge, f *track.Fault) string {
		return fmt.Sprintf("the datagram has %d bytes in %d IP fragments", f.Value, max(c.Frame.Fragments, 1))
	}},
	track.LongBase: {rDgVleMin, asIs, func(c frameJudge, _ *track.Fault) string { return longer("ReliableBase", c.Datagram.Base) }},
	track.LongDelta: {rDgVleMin, asIs, func(c frameJudge, f *track.Fault) string {
		return longer("InOrder delta", knet.VLE{Value: uint32(c.Datagram.Dependencies[f.Value].Delta), Size: 2})
	}},
	track.LongIndex: {rDgVleMin, asIs, func(c frameJudge, f *track.Fault) string {
		return longer("message index", knet.VLE{Value: uint32(c.Datagram.Dependencies[f.Value].Index), Size: 2})
	}},
	track.LongID:         {rDgVleMin, asIs, of(func(m *knet.Message) string { return longer("MessageID", m.ID) })},
	track.LongReliable:   {rDgVleMin, asIs, of(func(m *knet.Message) string { return longer("ReliableDelta", m.Delta) })},
	track.LongCount:      {rDgVleMin, asIs, of(func(m *knet.Message) string { return longer("FragmentCount", m.FragmentCount) })},
	track.LongNumber:     {rDgVleMin, asIs, of(func(m *knet.Message) string { return longer("FragmentNumber", m.FragmentNumber) })},
	track.NoDependencies: {rDgIodzero, asIs, text("the InOrder flag is set, but InOrderDeltaCount is 0")},
	track.NoCodes:        {rDgInorderIdle, asIs, text("the InOrder flag is set, but no message has an InOrder code")},
	track.DependencyTwice: {rIoDupdep, asIs, func(c frameJudge, f *track.Fault) string {
		x := &c.Datagram.Dependencies[f.Value]
		return fmt.Sprintf("message %d of PacketID %d is listed twice", x.Index, x.PacketID(c.Datagram.PacketID))
	}},
	track.IndexSpelledOut: {rMbSingleShort, asIs, func(_ frameJudge, f *track.Fault) string {
		return fmt.Sprintf("SingleInOrderIndex is %d, which code %d expresses as well", f.Value, f.Value+1)
	}},
	track.IndexTwice: {rMbMultiDup, asIs, func(_ frameJudge, f *track.Fault) string {
		return fmt.Sprintf("MultiInOrderIndexArray contains %d twice", f.Value)
	}},
	track.CodeOnFragment: {rFrOrder, asIs, of(func(m *knet.Message) string {
		return fmt.Sprintf("fragment %d of transfer %d has the InOrder code %d", m.FragmentNumber.Value, m.TransferID, m.Code())
	})},
	track.LongFragment: {rMbFragsize, asIs, func(c frameJudge, f *track.Fault) string {
		if c.Datagram.Dialect == knet.Spec {
			return fmt.Sprintf("the fragment has %d bytes of content, more than %d", f.Value, track.MaxFragment)
		}
		return fmt.Sprintf("the fragment has %d bytes, more than %d", f.Value, track.MaxFragmentLib)
	}},
	track.LowRate: {rFcRange, asIs, of(func(m *knet.Message) string {
		return fmt.Sprintf("the requested rate is %d; %d datagrams a second are always allowed", m.Rate, track.MinRate)
	})},
	track.ReliablePing: {rRmPingRel, asIs, func(c frameJudge, f *track.Fault) string {
		if c.Datagram.Dialect == knet.Spec {
			return "the " + f.Message.Kind.String() + " is in a reliable datagram"
		}
		return "the " + f.Message.Kind.String() + " is reliable"
	}},
	track.HighAckBits: {rRdAckSpan, asIs, of(func(m *knet.Message) string {
		return fmt.Sprintf("bits 22 and 23 of the acknowledged PacketID are not clear: %#06x", m.Ack.PacketID)
	})},
	track.NoMessages: {rDgEmpty, asIs, text("the datagram has no messages")},
	track.OrderIsClear: {rDgInorderNeed, asIs, func(_ frameJudge, f *track.Fault) string {
		return fmt.Sprintf("a message has the InOrder code %d, but the InOrder flag is clear", f.Value)
	}},
	track.CodeBeyond: {rMbCode15, asIs, func(c frameJudge, f *track.Fault) string {
		return fmt.Sprintf("the InOrder code %d names dependency %d of %d", f.Message.Code(), f.Value+1, c.Datagram.Depends)
	}},
	track.SingleBeyond: {rMbSingle, asIs, func(c frameJudge, f *track.Fault) string {
		return fmt.Sprintf("SingleInOrderIndex is %d, but InOrderDeltaCount is %d", f.Value, c.Datagram.Depends)
	}},
	track.IndexBeyond: {rMbMulti, asIs, func(c frameJudge, f *track.Fault) string {
		return fmt.Sprintf("MultiInOrderIndexArray contains %d, but InOrderDeltaCount is %d", f.Value, c.Datagram.Depends)
	}},
	track.NoIndexes:    {rMbMultiCount, asIs, text("the InOrder code is 7, but MultiInOrderIndexCount is 0")},
	track.StartIsClear: {rMbFstart, asIs, text("FragmentStart is set without Fragment")},
	track.NoFragments:  {rMbFragcount, asIs, text("FragmentCount is 0")},
	track.FragmentedKind: {rRmNofrag, asIs, func(_ frameJudge, f *track.Fault) string {
		return "a " + knet.Kind(f.Value).String() + " is sent as a fragmented transfer"
	}},
	track.ZeroNumber:    {rMbFragnum, milder, text("a fragment without FragmentStart has the number 0")},
	track.EmptyFragment: {rMbLen0, milder, text("the fragment has no content")},
	track.UnreliableParts: {rFrReliable, asIs, of(func(m *knet.Message) string {
		return fmt.Sprintf("a fragment of transfer %d is not reliable", m.TransferID)
	})},
	track.OtherMap: {rRmIdmap, asIs, func(_ frameJudge, f *track.Fault) string {
		return fmt.Sprintf("a PacketAck has the id %d, but others have %d", f.Value, 7-f.Value)
	}},
	track.WrongSize: {rRmPingLen, asIs, func(_ frameJudge, f *track.Fault) string {
		return fmt.Sprintf("the %s has %d bytes, not %d", f.Message.Kind, len(f.Message.Body), f.Value)
	}},
	track.ReliableAck: {rRmAckRel, asIs, func(c frameJudge, _ *track.Fault) string {
		if c.Datagram.Dialect == knet.Spec {
			return "a reliable datagram contains nothing but acknowledgements"
		}
		return "the PacketAck is reliable"
	}},
	track.UnreliableRate:   {rRmFlowRel, asIs, text("the FlowControlRequest is in an unreliable datagram")},
	track.UnreliableAnswer: {rRmConnackRel, asIs, text("the ConnectAck is in an unreliable datagram")},
	track.ReliableHandshake: {rRmSynRel, asIs, of(func(m *knet.Message) string {
		return "the " + m.Kind.String() + " is in a reliable datagram"
	})},
	track.ReliableEnd: {rRmDiscRel, asIs, of(func(m *knet.Message) string {
		return "the " + m.Kind.String() + " is in a reliable datagram"
	})},
	track.UnorderedEnd: {rRmDiscOrder, asIs, of(func(m *knet.Message) string {
		return "the InOrder flag of the " + m.Kind.String() + " is clear"
	})},
	track.OrderedControl: {rRmPlainOrder, asIs, of(func(m *knet.Message) string {
		return fmt.Sprintf("the %s has the InOrder code %d", m.Kind, m.Code())
	})},
}

func text(s string) func(frameJudge, *track.Fault) string {
	return func(frameJudge, *track.Fault) string { return s }
}

// of gives what is said of the message of a fault.
func of(say func(*knet.Message) string) func(frameJudge, *track.Fault) string {
	return func(_ frameJudge, f *track.Fault) string { return say(f.Message) }
}

// longer: a number has a longer form than it needs.
func longer(what string, v knet.VLE) string {
	return fmt.Sprintf("%s %d takes %d bytes, which fits in fewer", what, v.Value, v.Size)
}

// chargeOf tells what a fault of the datagram at hand breaks.
func (c frameJudge) chargeOf(f *track.Fault) charge {
	b := &breaches[f.Kind]
	rule := b.rule
	switch f.Kind {
	case track.ReliablePing:
		rule += int(f.Message.Kind - knet.PingRequest)
	case track.WrongSize:
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
