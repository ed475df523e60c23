package note

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A Conn is what is true of one connection.
type Conn struct {
	ID       int    // from 0, by its opening
	Protocol string // its name in records
	Hosts    [2]*sim.Host
	Roles    [2]string
	Versions [2]string // as records spell them, "" when the protocol has none
	Version  string
	// Dialects is what each side speaks, "" when the protocol has none. A reader
	// need name it only where a captured note says that the bytes prove it.
	Dialects [2]string
	Proof    [2]uint8 // all that must be shown by captured notes to decide it, 0 for what Proves alone can
	Players  []uint32 // indexes, of the sides 0 and 1; nil when the protocol has none

	SessionID string
	Signing   string

	// Mutual says that both sides must speak before the connection is
	// established, and both close before it is closed.
	Mutual bool
	// Counted is how many captured transmissions of a number that nobody acknowledged
	// tell that its sender gave up, Always for less than that. Where they are
	// fewer, or Counted is 0, the capture must go on beyond that time.
	Counted int
	// Modulus is how many message numbers there are before they come again, 0
	// for as many as one likes. Where the first of a cycle is known from decides
	// Base.
	Modulus int64
	Base    Base

	// Filled in by the endpoints.
	Wants  [2]bool          // wanted to end before it was told that the other side does
	GaveUp [2]time.Duration // when it gave the other side up, plus 1ns; 0 never
	// On is the number whose acknowledgement a side that gave up had waited for,
	// plus 1; 0 for no number. Where the capture shows it acknowledged, nothing
	// shows that the side gave up.
	On       [2]int64
	Messages [2][]*Message // in the order handed over; nil when Book.Compact
	// Flight is the most numbers a side had outstanding; for tests, and optional.
	Flight [2]int
	Own    any // what the protocol keeps here
}

// Base says which captured number starts the count of message numbers: they are
// told from the first of its cycle.
type Base uint8

const (
	ByNumber  Base = iota // of a datagram
	ByUnit                // first of a datagram's units
	ByMessage             // of a message
)

// A Book lists the connections of a trace.
type Book struct {
	Conns   []*Conn
	Compact bool // keep nothing that grows with the capture
}

// Enter gives a connection its id.
func (b *Book) Enter(c *Conn) *Conn {
	c.ID = len(b.Conns)
	b.Conns = append(b.Conns, c)
	return c
}

// Message enters a message that a side hands over.
func (b *Book) Message(c *Conn, side int, m *Message) *Message {
	if m.Parts == 0 {
		m.Parts = 1
	}
	if !b.Compact {
		c.Messages[side] = append(c.Messages[side], m)
	}
	return m
}

// Always is the Counted of a protocol whose give-up is always told.
const Always = -1
