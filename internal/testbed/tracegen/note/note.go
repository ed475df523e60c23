package note

import "github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"

// A Note says what one datagram is. New makes one without number. An endpoint
// makes a fresh Note for every datagram it sends, retries included; what the
// network doubles keeps its Note.
type Note struct {
	Conn *Conn  // nil: a datagram of no connection; see Neighbour
	Side int    // of the sender: 0 or 1, as in Conn.Hosts
	Type string // as records of frames name it

	// What the datagram counts as.
	Data       bool   // carries application data or a part of it
	Ack        bool   // its only purpose is to acknowledge
	KeepAlives int    // frames or messages in it that keep alive
	Malformed  bool   // by the endpoint's own fault; counts as a frame and nothing else
	Forged     string // by a third party, in the sender's name: what kind of forgery
	Neighbour  string // of no connection: the protocol its record names, "udp" for none of ours

	// Its number, in the space in which gaps, missing numbers and round trips
	// are counted; -1 for a datagram without one.
	Number int64
	// Shown stands in the list of frames where there is no number.
	Shown int64
	// Exact says that the protocol tells a copy of this datagram by the network
	// from another transmission (a retry bit, a serial, a number of each transmission).
	// Without it identification and time decide, as they must for a reader.
	Exact bool
	// Alike says that of what is sent again, transmissions are alike all the same: a mark
	// tells the first one from them, and identification must tell copies of the rest.
	Alike bool

	// Units are what counts as a retry when it is sent again: nil for the number
	// itself, else numbers of another space (kNet: reliable message numbers).
	Units []int64
	// Retry says that the endpoint had sent the unit before.
	Retry bool
	// Marked says that the bytes tell so: it counts even when no earlier transmission
	// was captured. Without it a retry counts when the unit was captured before.
	Marked bool

	// What it acknowledges of the other side's numbers.
	AckBelow int64   // all below; -1 none
	Acks     []int64 // and these
	// FromHistory are numbers it acknowledges without having been asked: a history
	// that takes for received what was never expected. Of a number not captured
	// yet it says nothing.
	FromHistory []int64
	// Answers is the datagram whose arrival it acknowledges, for endpoints that do so of
	// each transmission.
	Answers *sim.Datagram
	// GivenUp are numbers of this side that it will not send again.
	GivenUp []int64

	Parts []Part // application data it carries, in order

	// What it does to the connection.
	Opens       bool // its start: captured, the connection is complete
	Establishes bool // captured, it shows that the other side was accepted
	Close       Close
	Proves      bool  // the bytes decide the sender's dialect
	Shows       uint8 // bits of what decides it together; see Conn.Proof
}

// New is a note of a datagram without number that counts as nothing.
func New(c *Conn, side int, kind string) *Note {
	return &Note{Conn: c, Side: side, Type: kind, Number: -1, Shown: -1, AckBelow: -1}
}

// Neutral makes a Note a Remark.
func (n *Note) Neutral() *Note { return n }

// A Remark is what a sender attaches to a datagram: a Note, or something of a
// protocol that can be told as one. The same Remark gives the same Note.
type Remark interface{ Neutral() *Note }

// Seq is what the list of frames shows as the datagram's number.
func (n *Note) Seq() int64 {
	if n.Number >= 0 {
		return n.Number
	}
	return n.Shown
}

// Close is how a datagram ends the connection.
type Close uint8

const (
	Open     Close = iota // it does not
	Graceful              // the sender wants to end
	Answer                // the other side wanted to end, and this says that it was heard
	Abrupt                // the sender is gone from now on
	GivesUp               // the sender waited too long for the other side
	Refusal               // the sender does not want the connection that was asked for
)

// A Part is one message, or one piece of it, in a datagram.
type Part struct {
	Message *Message
	Index   int // of the piece, from 0
}

// A Message is what an application handed to its endpoint.
type Message struct {
	ID       int // per side, from 0
	Data     []byte
	Reliable bool
	Ordered  bool
	Parts    int   // datagrams it takes
	Number   int64 // as records of messages count; -1 for none, or before it is sent
	Slot     int   // place within its datagram
	Sent     bool  // its first part left the endpoint
	// Delivered to the other application; the trace finds it by its bytes.
	Delivered bool

	// Kept by who watches.
	Seen  []bool // by part: captured
	NSeen int
	Done  int // capture frame of the last part needed
}
