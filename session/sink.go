package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Sink takes what the tracker finds out. Frames of one address pair come in
// order; frames of a pair that is not recognised yet are held back and come
// when it is. A frame and all it refers to is valid during the call only.
type Sink interface {
	Frame(fr *dissect.Frame, c *Conn) // c is nil for datagrams of no connection
	Acked(at seq.Position, by uint64) // the frame there is acknowledged by a later one; by 0: never
	Message(m *Message)
	Finding(f *Finding)
}

// A FindingSink is a Sink that takes findings alone: what else it takes does nothing, and
// frames need not be shown to it.
type FindingSink interface {
	Sink
	FindingsOnly()
}

// A Recounter is a Sink that follows what connections count.
type Recounter interface {
	Sink
	// Recount tells that a frame was tracked up to now, while it is not shown: it waits for
	// one that was kept aside, or was kept aside itself.
	Recount(fr *dissect.Frame, c *Conn)
	// Measured tells how long something that a side sent took to be acknowledged, by these
	// measures; the acknowledgement was captured at a time of the connection's clock
	// (Conn.LastTime).
	Measured(c *Conn, dir dissect.Dir, of seq.MeasureSet, at, ns int64)
	// Rest tells that a connection is about to be packed (Config.Pack), since nothing follows
	// it any more: what is kept of it beside the tracker may be packed, too.
	Rest(c *Conn)
}

// A Protocol is what the tracker needs of a protocol package.
type Protocol struct {
	*dissect.Protocol
	// NewProbe starts collecting evidence for one address pair.
	NewProbe func() Probe
	// NewSession follows one address pair that speaks the protocol. The probe
	// holds what was learned meanwhile; it is nil for forced flows.
	NewSession func(f *Flow, p Probe) Session
	// Follows reports whether a frame has the number that its sender gives to the
	// one behind another, by their headers alone: several datagrams that the capture
	// shows as one are told by it. It may be nil where frames have no numbers.
	Follows func(frame, next []byte) bool
	// Neighbours are other protocols on the same ports, shown but never a
	// connection. Neighbour recognises one, by what is known of its address pair.
	Neighbours    []*dissect.Protocol
	NeighbourLead []byte // first bytes a neighbour may have
	Neighbour     func(d *dissect.Datagram, s Standing) *dissect.Protocol
	// NeighbourSummary appends the one line people see of a neighbour.
	NeighbourSummary func(dst, payload []byte) []byte

	// Rules are the clauses of the texts, whether they are evaluated or not.
	Rules []conform.Rule
	// RuleSets are rules that most frames pass together (Evaluation.PassSet).
	RuleSets [][]int

	// Types are values of the types that its sessions keep behind interfaces, and Fixed is what
	// they refer to and nothing changes: who writes tables down asks for both.
	Types, Fixed []any
}

// Standing is what is known of the address pair of a datagram that may belong to
// a neighbour.
type Standing uint8

const (
	Undecided Standing = iota // nothing yet: probes have not seen the datagram
	Ours                      // it speaks the protocol whose neighbour is asked for
	Stranger                  // it was given up: its datagrams are shown as plain UDP
)

// A Probe collects evidence that one address pair speaks a protocol.
type Probe interface {
	// Observe looks at one datagram, sent by side 0 or 1, and gives the evidence
	// so far, in bits. Negative infinity means that it cannot be the protocol.
	Observe(d *dissect.Datagram, side dissect.Dir) float64
	// Reset forgets everything, for another address pair.
	Reset()
}

// A Compacter is a Session that can make itself small when its pair was silent for long
// and little is to be kept (Config.LowMemory): it forgets what tells late copies and
// retries from other frames. Frames that still come are taken as usual.
type Compacter interface{ Compact() }

// A Session follows one address pair: it decodes, finds the connection a
// datagram belongs to, and turns frames into facts for the engine.
type Session interface {
	// Input takes one datagram and fills the frame; it gives its connection.
	Input(fr *dissect.Frame) *Conn
	// Unreachable takes an ICMP notice about a datagram of the pair.
	Unreachable(d *dissect.Datagram)
	// Sweep frees what connections that are over no longer need; now is the time
	// of the latest packet. It must not change what is reported.
	Sweep(now int64)
	// Close ends the connections; end is the time of the last packet captured.
	Close(end int64)
}
