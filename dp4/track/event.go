package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Judge looks at one connection: it is told what the connection makes of each datagram,
// step by step, reads what the View shows, and changes nothing of it.
type Judge interface {
	// Follow begins with a connection, which has taken nothing yet. The event is that of each step.
	Follow(View, *Event)
	// Observe is told a step. The event is valid until it returns.
	Observe()
	// Refuted tells of packets that were kept aside and turned out to be out of place.
	Refuted(dir dissect.Dir, frames []seq.ProvisionalFrame)
	// End tells that nothing comes any more of a side.
	End(dir dissect.Dir)
}

// An Event is a datagram and what the connection makes of it.
type Event struct {
	Frame  *dissect.Frame `state:"-"` // nil when none is at hand
	Packet *dp4.Frame     `state:"-"` // decoded
	Step   Step
	Dir    dissect.Dir // its sender
	Faults Fault       // what is wrong with it by itself
	Others bool        // it names other players than those of the connection
	Reason Reason
	Num    seq.Num // of a data frame, or that an acknowledgement names
	Msg    seq.Num // messageid of a data frame

	// Of a data frame whose numbers are compared with those captured before.
	Contradiction Contradiction
	Other         Record `state:"-"` // the packet that it is compared with
	Next          Record `state:"-"` // of Unended: the one after that
	Message       *Message
	Restarts      bool // of what is unlike the packet with its number: the players may begin again, it is tracked
	Fits          bool // it goes on from what was captured before
	Clean         bool // the capture had missed nothing before it; valid for a new packet with another serial than 0

	// Of a data frame that was taken: what is remembered of its packet.
	Record Record `state:"-"`
	First  bool   // it is the first that was captured of its packet

	// Of an acknowledgement: packets of the other side were captured, so that Num is known.
	Placed bool

	own      *side       `state:"-"` // its sender
	now      uint64      // the frame at hand; another one where this one was kept aside until then
	known    bool        // something may be remembered of its number
	doubtful bool        // its numbers are compared with none, and rules remember nothing of it
	sent     seq.Sending // what the engine is given of it
}

// IsNew reports a frame that is no copy of one captured before.
func (e *Event) IsNew() bool { return !e.Frame.Words.Has(dissect.Duplicate) }

// A Step says how far the connection has come with a datagram.
type Step uint8

const (
	Shape        Step = iota + 1 // it was read, and has Faults
	Ignored                      // nothing follows of a data frame: see Reason
	Contradicts                  // a Contradiction was found: one step for each
	Repeats                      // it is another transmission of the packet Other, which the engine has not seen yet
	Taken                        // the engine has a data frame
	Acknowledges                 // an acknowledgement, before it is applied
	Applied                      // … and after, where it names what was captured
	Done                         // all is done with a frame that was read well and is no copy
)

// A Reason says why nothing follows of a data frame.
type Reason uint8

const (
	Unclear  Reason = iota // what its receiver makes of it nobody knows
	ByFlags                // CMD and EXT: its receiver must ignore it
	ByWindow               // its message is beyond the window: its receiver must ignore it
)

// begin makes a frame of a side the one at hand. What is told of a step is written with that.
func (e *Event) begin(own *side, fr *dissect.Frame, f *dp4.Frame) {
	e.own, e.Dir = own, own.dir
	e.Frame, e.Packet, e.now = fr, f, fr.Frame
}

// tell tells the judge, where there is one, how far the connection has come.
func (c *conn) tell(s Step) {
	if c.judge != nil {
		c.Event.Step = s
		c.judge.Observe()
	}
}

// refuted tells the judge of packets of a side whose sequence turned out to be out of place.
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

// Profile is what the user said of the implementations.
func (v View) Profile() *conform.Profile { return &v.c.wants.Profile }

// Follows reports whether there was another connection of the same players before.
func (v View) Follows() bool { return v.c.again }

// RecordOf looks up a packet of a side; the Record is not known where nothing is remembered.
func (v View) RecordOf(dir dissect.Dir, num seq.Num) Record { return v.c.side[dir].history.record(num) }

// MessageOf is what is remembered of a message of a side, nil for nothing.
func (v View) MessageOf(dir dissect.Dir, msg seq.Num) *Message {
	return v.c.side[dir].history.message(msg)
}

// Epoch counts the doubts in the numbers of a side: those of different epochs are not
// compared.
func (v View) Epoch(dir dissect.Dir) uint32 { return v.c.side[dir].history.epoch }

// Doubted is when the latest doubt was, ns.
func (v View) Doubted(dir dissect.Dir) int64 { return v.c.side[dir].history.doubted }

// Top is the highest number of a side in its epoch; ok is false when there is none yet.
func (v View) Top(dir dissect.Dir) (top seq.Num, ok bool) {
	h := &v.c.side[dir].history
	return h.top, h.topSet
}

// Whole reports whether all packets of a side above a number, up to the highest, were captured.
func (v View) Whole(dir dissect.Dir, num seq.Num) bool {
	h := &v.c.side[dir].history
	return h.gap <= num && h.top-num < NearPackets
}

// Sure reports whether the number that an acknowledgement of a packet of a side names is beyond
// doubt; highest is the highest that was captured of it.
func (v View) Sure(dir dissect.Dir, e *Event, highest seq.Num) bool {
	h := &v.c.side[dir].history
	return e.Frame.HasTime && h.pace.steady(e.Frame.Time) && e.Num == near(highest, e.Packet.Sequence) && !(h.topSet && h.top < highest)
}

// Sent is how many bytes of data frames were captured of a side, copies and what is to be
// ignored included.
func (v View) Sent(dir dissect.Dir) int64 { return v.c.side[dir].total }

// Started is the number above which all packets of a side were sent after the capture began,
// where one is known.
func (v View) Started(dir dissect.Dir) (num seq.Num, ok bool) {
	return v.c.side[dir].sure, v.c.side[dir].hasSure
}

// CountedAhead is how often the peer of a side counted more bytes than were captured: now,
// and when a packet of the side was captured last.
func (v View) CountedAhead(dir dissect.Dir) (now, then int) {
	return v.c.side[dir].bytes.ahead, v.c.side[dir].aheadThen
}

// CountsPackets reports whether a side counts the transmissions of each packet by itself
// (AMB-DP4-13).
func (v View) CountsPackets(dir dissect.Dir) bool { return v.c.side[dir].history.perPacket }

// Fine reports whether times of the capture are known to be fine enough to tell a later
// transmission from a copy.
func (v View) Fine() bool { return v.c.fine() }
