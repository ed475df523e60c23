package track

import (
	"github.com/dpdissect/dpdissect/knet"
)

// A Fault is something wrong with a datagram by itself.
type Fault struct {
	Kind    FaultKind
	Value   int           // what is wrong, by its kind
	Message *knet.Message // the message that it is of, nil for the datagram
}

// A FaultKind is what may be wrong with a datagram.
type FaultKind uint8

// What is odd and no more.
const (
	OneFragment    FaultKind = iota // a transfer of one fragment
	OneIndex                        // a list of one index
	AcksAmong                       // PacketAcks in a reliable datagram with other messages (Spec)
	UnreliableFlow                  // a FlowControlRequest (Reference)

	// What is no sign of anything once it is a habit.
	TooLong         // more than an Ethernet frame holds
	LongBase        // numbers in a longer form than they need
	LongDelta       // … of the dependency Value
	LongIndex       // … likewise
	LongID          // … of a message
	LongReliable    // … its ReliableDelta
	LongCount       // … its FragmentCount
	LongNumber      // … its FragmentNumber
	NoDependencies  // InOrder is set for none
	NoCodes         // InOrder is set, and no message has a code
	DependencyTwice // the dependency Value
	IndexSpelledOut // that a code would say as well
	IndexTwice      // the index Value of a list
	CodeOnFragment
	LongFragment
	LowRate      // a FlowControlRequest of less than is always allowed
	ReliablePing // a PingRequest or PingReply
	HighAckBits  // bits beside the PacketID of a PacketAck

	// What makes it doubtful that the datagram is meant as it is.
	NoMessages
	OrderIsClear      // a message has the code Value, and InOrder is not set
	CodeBeyond        // codes and indexes of dependencies that are not there
	SingleBeyond      // …
	IndexBeyond       // … the index Value of a list
	NoIndexes         // a list of none
	StartIsClear      // FragmentStart without Fragment
	NoFragments       // a transfer of none
	FragmentedKind    // a message of the kind Value in fragments
	ZeroNumber        // a fragment with the number of a start
	EmptyFragment     // no content
	UnreliableParts   // a fragment that is not reliable
	OtherMap          // a PacketAck by the other map of ids, with the id Value
	WrongSize         // a control message
	ReliableAck       // a PacketAck (Reference), or nothing but PacketAcks (Spec)
	UnreliableRate    // a FlowControlRequest (Spec)
	UnreliableAnswer  // a ConnectAck
	ReliableHandshake // a ConnectSyn or ConnectSynAck
	ReliableEnd       // a Disconnect or DisconnectAck
	UnorderedEnd      // … without InOrder
	OrderedControl    // a code on a control message
	faultKinds

	firstHabit = TooLong
	firstDoubt = NoMessages
)

// FaultKinds is the number of kinds.
const FaultKinds = int(faultKinds)

// maxFaults is how many faults of one datagram are told.
const maxFaults = 8

// noteFault notes a fault of the datagram at hand.
func (c *conn) noteFault(k FaultKind, value int, m *knet.Message) {
	c.Faults = append(c.Faults, Fault{k, value, m})
}

// habitually is how many datagrams of a side with no more than a small fault are doubted;
// what goes on is a habit.
const habitually = 8

// doubts reports a fault that makes it doubtful that the datagram at hand is meant as it is.
func (c *conn) doubts(s *side) bool {
	small := false
	for _, f := range c.Faults {
		switch {
		case f.Kind >= firstDoubt:
			return true
		case f.Kind >= firstHabit:
			small = true
		}
	}
	if small {
		s.habits++
	}
	return small && s.habits <= habitually
}
