package explain

import (
	"iter"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Schema names the record of Document.
const Schema = "dpdissect/explain/1"

// A Document says what happened to the connections of a capture.
type Document struct {
	Connections  []Connection   `json:"connections"`
	Unrecognised []Unrecognised `json:"unrecognised"`
	Groups       []Group        `json:"groups,omitempty"`                // see Grouped
	LeftOut      uint64         `json:"unrecognised_left_out,omitempty"` // address pairs that may be missing in Unrecognised
	Asked        *Asked         `json:"asked,omitempty"`
	Hint         string         `json:"-"` // why there may be no connections, for people
	Only         string         `json:"-"` // the connection that is told alone: "Connection 3", or ""
	Span         string         `json:"-"` // "from 12:00 to 12:05" where only that is told, else ""

	story *Story // that explains conns, nil when Connections holds all
	conns []*session.Conn
}

// Len is the number of connections.
func (d *Document) Len() int {
	if d.story == nil {
		return len(d.Connections)
	}
	return len(d.conns)
}

// At gives one of the connections, by its place among them.
func (d *Document) At(i int) *Connection {
	if d.story == nil {
		return &d.Connections[i]
	}
	x, _ := d.story.Of(d.conns[i])
	return &x
}

// All gives the connections in their order. What is explained on the way is kept by nobody.
func (d *Document) All() iter.Seq[*Connection] {
	return func(yield func(*Connection) bool) {
		for i := range d.Len() {
			if !yield(d.At(i)) {
				return
			}
		}
	}
}

// A Connection is what happened to one.
type Connection struct {
	ID           int            `json:"id"`
	Protocol     string         `json:"protocol"`
	A            string         `json:"a"`
	B            string         `json:"b"`
	FirstTime    Instant        `json:"first_time,omitempty"`
	LastTime     Instant        `json:"last_time,omitempty"`
	State        string         `json:"state"`
	ClosedBy     string         `json:"closed_by,omitempty"`
	Continues    *int           `json:"continues,omitempty"`    // the connection that this one carries on
	ContinuedBy  *int           `json:"continued_by,omitempty"` // the connection that carries this one on
	Verdict      Verdict        `json:"verdict"`
	Contributing []Contribution `json:"contributing"`
	CapturePoint Point          `json:"capture_point"`

	names  [2]string // of the sides, for people
	roles  [2]string
	client dissect.Dir // who connected
	lost   uint64      // datagrams, proven or likely
	usual  [2]int64    // median round trips of the sides, the shorter first, ns; 0 when none is known
}

// A Verdict says how a connection ended, or that it did not.
type Verdict struct {
	Cause       Cause     `json:"cause"`
	Side        string    `json:"side,omitempty"` // a, b, both or path: who did it
	Certainty   Certainty `json:"certainty"`
	Time        Instant   `json:"time,omitempty"`
	Frame       uint64    `json:"frame,omitempty"`
	Frames      []uint64  `json:"frames"` // that prove it
	Sentence    string    `json:"sentence"`
	WouldRefute string    `json:"would_refute,omitempty"`
	Candidates  []Cause   `json:"candidates,omitempty"` // what is left when it is undecided
	Reason      string    `json:"reason,omitempty"`     // text that the protocol carried

	since int64 // when what may have led to it began, ns since 1970; 0 for none
}

// When is its time, in ns since 1970, 0 where none is known.
func (v *Verdict) When() int64 { return int64(v.Time) }

// A Contribution is what made a connection slow or endangered it.
type Contribution struct {
	Cause     Cause              `json:"cause"`
	Side      string             `json:"side,omitempty"`
	Direction string             `json:"direction,omitempty"` // the side, a or b, whose packets it is about
	Certainty Certainty          `json:"certainty"`
	From      Instant            `json:"from,omitempty"`
	To        Instant            `json:"to,omitempty"`
	Frames    []uint64           `json:"frames"`
	Sentence  string             `json:"sentence"`
	Numbers   map[string]float64 `json:"numbers"`

	weight float64
	who    string   // whose packets, or whose doing it is, for people
	at     seq.Sign // its worst moment …
	worst  Instant  // … as records give times
}

// Span is from when to when it lasted, in ns since 1970, 0 where that is not known.
func (c *Contribution) Span() (from, to int64) { return int64(c.From), int64(c.To) }

// A Point is where the capture was made.
type Point struct {
	Near string   `json:"near"` // a, b, middle or unknown
	ToA  *float64 `json:"to_a_ms,omitempty"`
	ToB  *float64 `json:"to_b_ms,omitempty"`
}

// An Unrecognised address pair looks like one of the protocols and is not sure, or was
// only answered by ICMP.
type Unrecognised struct {
	A         string    `json:"a"`
	B         string    `json:"b"`
	Datagrams int       `json:"datagrams"`
	Guess     string    `json:"guess,omitempty"`
	Bits      *float64  `json:"bits,omitempty"`
	ICMP      int       `json:"icmp,omitempty"`
	Hint      string    `json:"hint"`
	Continues *int      `json:"continues,omitempty"` // the connection that most likely goes on here, which says so
	Cause     Cause     `json:"cause,omitempty"`
	Side      string    `json:"side,omitempty"`
	Certainty Certainty `json:"certainty,omitempty"`
	Frames    []uint64  `json:"frames"`
	Sentence  string    `json:"sentence"`
	FirstTime Instant   `json:"first_time,omitempty"`
	LastTime  Instant   `json:"last_time,omitempty"`
}

// A Group is connections that share a story: the same cause, within seconds, with one machine. The
// cause is that of their ends, or what troubled them most.
type Group struct {
	Cause       Cause   `json:"cause"`
	Side        string  `json:"side,omitempty"`
	Address     string  `json:"address,omitempty"` // of the machine that they share
	From        Instant `json:"from"`
	To          Instant `json:"to"`
	Connections []int   `json:"connections"`
	Sentence    string  `json:"sentence"`
}

// Asked answers what was asked about the sentence of a game, or about a time.
type Asked struct {
	Text       string   `json:"text,omitempty"`
	At         Instant  `json:"at,omitempty"` // the time that was asked for …
	From       Instant  `json:"from,omitempty"`
	To         Instant  `json:"to,omitempty"` // … and what was looked at
	Connection *int     `json:"connection,omitempty"`
	Cause      Cause    `json:"cause,omitempty"` // absent when nothing was unusual
	Side       string   `json:"side,omitempty"`
	Frames     []uint64 `json:"frames"`
	Sentence   string   `json:"sentence"`
	Also       []Also   `json:"also,omitempty"`
}

// Also names another connection in which something was unusual at the time asked about.
type Also struct {
	Connection int    `json:"connection"`
	Cause      Cause  `json:"cause"`
	Sentence   string `json:"sentence"`
}
