package session

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Conn is one connection: what it is, and what each side sends. Protocol
// packages fill in what their texts say; the engine counts.
type Conn struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	Rules              Evaluation        // of its protocol
	quality            Evaluation        // of the capture: Quality
	Dir                *[2]seq.Direction // what a sends, what b sends; nil while it is packed (Unpack)
	active             *active           // nil once it is closed
	flow               *Flow             // nil once it is closed
	decoded, malformed uint64
	flip               bool // a is the upper endpoint of the flow's key
	closed             bool
	succeeds           bool // another of the same addresses, see Flow.continues
	HasTime            bool
	LastFrame          uint64
	LastTime           int64
	LastStamp          int64
	A, B               dissect.Endpoint

	ID         int // by first frame, -1 until it is given
	Protocol   *dissect.Protocol
	Dialect    string
	Dialects   []string // that may be it, oldest first, where several are left
	DetectedBy Detection
	Bits       float64 // evidence when it was recognised
	Roles      [2]string
	FirstFrame uint64
	FirstTime  int64 // ns since 1970; never runs backwards, whatever the clock of the capture does
	FirstStamp int64 // the same as the capture gives them
	Complete   bool
	State      State
	ClosedBy   Side
	Unreached  Side // that the first of the ICMP notices says is not reachable
	Wordless   bool // the frame that closed it could have said why, and did not

	SessionID    uint32
	HasSessionID bool
	Players      [2]uint32 // indexes of a and of b
	HasPlayers   bool
	Version      uint32 // major<<16 | minor, the lower of the two; 0 when unknown
	GameVersion  string // of the application, as the side that opened the connection spells it, "" when it says none
	Signing      string // "none", "fast", "full" or ""
	Reason       string // for which a side closed it, in its own words, "" when it said none
	Inferred     []string
	Unreachable  seq.Sign // ICMP notices that a datagram of it was not delivered
	Remarks      []string // what people may want to know of it, each once

	Internal *InternalError // a fault of this program ended it; else nil
	SummedUp bool           // it was followed no further, because there were too many at a time
	Unjudged uint64         // frames that came after that, which are counted and nothing else
	crowded  uint32         // datagrams that its pair sent before and that were given up

	Closing [2]seq.Sign // first frame of each side that closes it
	Ending  *Ending     // once it is closed, when Config.Endings asks for it; nil while it is packed
	Next    *Conn       // that began on its address pair behind it, nil when none did
	Trail   *Trail      // once it is closed, where it may go on from another address, or carry on another

	Findings [3]uint64 // fails by Severity
	Tallies  *Tallies  // once it is closed, when Config.Tallies asks for them

	packed    string        // Dir and Ending, see pack
	hasEnding bool          // Ending is among it
	totals    *totals       // of its table, once it was handed out
	pulses    *[2]seq.Pulse // of a run without end, once it is closed
}

// active is what a connection needs only while it is open.
type active struct {
	fr           *dissect.Frame `state:"-"` // at hand, nil when none is: it is only valid while it is handled
	law, quality evaluation
	sight        sight
	waits        []wait
	dirs         [2]seq.Work

	listeners [2]listener

	now    *State // what its protocol takes the state for, nil when it is settled
	closer *Side
	limit  TimeLimit // see Follow
}

// DirOf is the index in Dir of the sender of a datagram of this connection.
func (c *Conn) DirOf(d *dissect.Datagram) dissect.Dir {
	if d.Src == c.A {
		return 0
	}
	return 1
}

// Infer notes that a property was concluded, not seen.
func (c *Conn) Infer(what string) {
	for _, s := range c.Inferred {
		if s == what {
			return
		}
	}
	c.Inferred = append(c.Inferred, what)
}

// Remark adds a remark, once.
func (c *Conn) Remark(s string) {
	if !slices.Contains(c.Remarks, s) {
		c.Remarks = append(c.Remarks, s)
	}
}

// Confirm takes back that a property was only concluded.
func (c *Conn) Confirm(what string) {
	for i, s := range c.Inferred {
		if s == what {
			c.Inferred = append(c.Inferred[:i], c.Inferred[i+1:]...)
			return
		}
	}
}

// Succeeds reports whether it began where the one before it on its address pair stood:
// the server lost its state, and the sides keep their names.
func (c *Conn) Succeeds() bool { return c.succeeds }

// Closed reports whether the connection is settled: frames that still come of it
// are counted and change nothing else.
func (c *Conn) Closed() bool { return c.closed }

// Number sorts connections by their first frame and gives those without an id
// one.
func Number(conns []*Conn) {
	slices.SortFunc(conns, func(a, b *Conn) int { return cmp.Compare(a.FirstFrame, b.FirstFrame) })
	for i, c := range conns {
		c.ID = i
	}
}

// totals are the datagrams of connections that were handed out.
type totals struct{ decoded, malformed uint64 }

// leave parts a connection from its pair.
func (c *Conn) leave() {
	if c.flow.table.cfg.Pack {
		c.flow.closed = append(c.flow.closed, c)
	}
	c.flow.open--
	c.flow.table.open--
	c.closed = true
	c.Dir[0].Abandon()
	c.Dir[1].Abandon()
	if c.flow.table.cfg.Tallies {
		c.Tallies = &Tallies{c.Rules.tallies.counts(c.flow.protocol.RuleSets), c.quality.tallies.counts(nil)}
	}
	c.flow.table.spare.Put(c.active)
	c.active, c.flow, c.Rules.evaluation, c.quality.evaluation = nil, nil, nil, nil
}
