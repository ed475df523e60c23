package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Judge looks at one connection: it is told each datagram once the connection has taken
// it, reads what the View shows, and changes nothing of it.
type Judge interface {
	// Follow begins with a connection, which has taken nothing yet. The Event is always the datagram
	// at hand.
	Follow(View, *Event)
	// Observe is told a datagram.
	Observe()
	// Refuted tells of datagrams that were kept aside and turned out to be out of place.
	Refuted(dir dissect.Dir, frames []seq.ProvisionalFrame)
	// End tells that nothing comes any more; what is held is settled after it.
	End()
}

// An Event is the datagram at hand, what was known before it, and what was made of it. It is one value
// for all connections of a table: what is not written for a datagram is of another one.
type Event struct {
	Frame  *dissect.Frame `state:"-"`
	Packet *hazel.Frame   `state:"-"` // decoded
	Sent   seq.Sending    // what the engine was given of it
	Now    uint64         // the frame at hand; another one where this one was kept aside until then
	Dir    dissect.Dir    // its sender
	Parts  Parts
	May    hazel.DialectSet // that its sender might speak before it

	// Of a datagram with a number of its own.
	Number  Number
	Verdict seq.Verdict
	Late    bool     // its number may have been acknowledged before
	Whole   bool     // it completes a message of fragments
	Before  Highest  // of its side
	First   seq.Look // of a number that comes again: its first transmission
	Differs bool     // … whose bytes are not those of that
	Gap     int64    // … the time since the transmission before, ns, where it is counted
	Gaps    [2]int64 // … that time of the transmission before, and of the one before that, 0 for none

	// Of an acknowledgement with an id that the peer has come near.
	Acked    seq.Num // the number that it names
	Captured bool    // which was captured
	Told     LastAck
	Known    seq.Gaps // in what the peer sent, before it
	Fresh    uint8    // bits of its history that the acknowledgement before did not tell
	Odd      Oddness  // why the id may be one that the peer never sent
	Stray    *Stray   // where it is nearly certain

	AnswersFirst bool // it is the first one of its packet, is no copy and answers no Ping

	// What is remembered of the number, its own or that it acknowledges. Where it may be a copy it is
	// not counted.
	Record  Record
	Counted bool
	Was     Counts // of a number that comes again: before it

	ack seq.Acknowledgement
	msg session.Message
}

// Counts are what had come of a packet.
type Counts struct {
	Times, Acks uint8 // as in its Record
	Last, AckAt int64 // ns, 0 for never
}

// Parts are what an event tells of.
type Parts uint8

const (
	Unread       Parts = 1 << iota // a datagram of which it is not known what it was
	Plain                          // one that was read, well or badly
	Numbered                       // its number
	Acknowledges                   // what it acknowledges
	Greets                         // a Hello that is not the one of the start
)

// Has reports whether the event tells of all of these.
func (p Parts) Has(x Parts) bool { return p&x == x }

// begin makes a frame the one at hand. What is told of a part of it is written with that.
func (e *Event) begin(fr *dissect.Frame, f *hazel.Frame, now uint64) {
	e.Frame, e.Packet, e.Now, e.Parts, e.Whole = fr, f, now, 0, false
}

// tell tells the judge, where there is one, of the event at hand.
func (c *conn) tell(s *side) {
	if c.judge != nil && c.Parts != 0 {
		c.Event.Dir = s.dir
		c.judge.Observe()
	}
}

// refuted tells the judge of datagrams of a side whose ids turned out to be out of place:
// the side went on before them.
func (c *conn) refuted(s *side) {
	frames := s.out.Provisionals().Refuted()
	if c.judge != nil && len(frames) > 0 {
		c.judge.Refuted(s.dir, frames)
	}
}

// A View is what a Judge may read of a connection.
type View struct{ c *conn }

// Conn is the connection. A Judge writes nothing of it but its Rules.
func (v View) Conn() *session.Conn { return v.c.c }

// Client is the side that opened the connection, -1 when that is not known.
func (v View) Client() dissect.Dir { return v.c.client }

// Opened reports whether the Hello that opened the connection is known.
func (v View) Opened() bool { return v.c.hello.known }

// Secure reports whether the connection is one of DTLS.
func (v View) Secure() bool { return v.c.secure != nil }

// Over reports whether the connection came to an end that was captured.
func (v View) Over() bool { return v.c.life.over() }

// Replaced is when another connection followed on the address pair, ns, 0 for not yet.
func (v View) Replaced() int64 { return v.c.replaced }

// Forced is the dialect that the user chose.
func (v View) Forced() hazel.Dialect { return v.c.forced }

// Possible gives the dialects that a side may speak, by all that it did so far.
func (v View) Possible(dir dissect.Dir) hazel.DialectSet { return v.c.possible(&v.c.side[dir]) }

// Dialects gives those of a side that the other side may speak, too, where there are any.
func (v View) Dialects(dir dissect.Dir) hazel.DialectSet { return v.c.dialects(&v.c.side[dir]) }

// Span is what a side sent so far.
func (v View) Span(dir dissect.Dir) *Span { return &v.c.side[dir].Span }

// RecordOf looks up a number of a side; the Record is not known where nothing is remembered.
func (v View) RecordOf(dir dissect.Dir, n seq.Num) Record { return v.c.side[dir].record(n) }

// LastSent is when the latest datagram of a side before the event was captured, ns, and
// SpokeAt the latest that was no acknowledgement; 0 for never.
func (v View) LastSent(dir dissect.Dir) int64 { return v.c.side[dir].lastSent }

// SpokeAt is told at LastSent.
func (v View) SpokeAt(dir dissect.Dir) int64 { return v.c.side[dir].spokeAt }

// Pings counts the Pings of a side since anything of it was acknowledged.
func (v View) Pings(dir dissect.Dir) int { return v.c.side[dir].tries.pings }

// Tries are the ids of a side that were sent again and not acknowledged.
func (v View) Tries(dir dissect.Dir) []Try { return v.c.side[dir].tries.list }

// Bye is what was captured of the Disconnects of a side.
func (v View) Bye(dir dissect.Dir) *Bye { return &v.c.life.bye[dir] }

// Left reports whether a Disconnect of either side was captured.
func (v View) Left() bool { return v.c.life.gone(0) || v.c.life.gone(1) }

// LastAck is what a side acknowledged last.
func (v View) LastAck(dir dissect.Dir) LastAck { return v.c.side[dir].history.LastAck }

// Partial are the messages of a side that lack a part.
func (v View) Partial(dir dissect.Dir) []*Partial { return v.c.side[dir].asm.open }

// Ahead is how far an id of a side is from a number of it.
func (v View) Ahead(dir dissect.Dir, id uint16, n seq.Num) seq.Num {
	s := &v.c.side[dir].ids
	return s.engine(s.peek(id)) - n
}

// Near is the number of a side that an id means when the other side acknowledges it.
func (v View) Near(dir dissect.Dir, id uint16) seq.Num {
	n, _ := v.c.side[dir].ids.near(id)
	return n
}
