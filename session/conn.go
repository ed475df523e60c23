package session

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// State is how far a connection had come.
type State uint8

const (
	StateUnknown State = iota
	Opening
	Established
	Closing
	Closed
	Reset
	TimedOut
	Refused
)

var stateNames = [...]string{"unknown", "opening", "established", "closing", "closed", "reset", "timed-out", "refused"}

func (s State) String() string { return stateNames[s] }

// Detection is what a connection was recognised by.
type Detection uint8

const (
	ByBehaviour Detection = iota
	ByHandshake
	ByDecodeAs
)

var detectionNames = [...]string{"behaviour", "handshake", "decode-as"}

func (d Detection) String() string { return detectionNames[d] }

// Side names a side of a connection; a is the sender of its first frame.
type Side uint8

const (
	NoSide Side = iota
	SideA
	SideB
	BothSides
)

var sideNames = [...]string{"", "a", "b", "both"}

func (s Side) String() string { return sideNames[s] }

// A Conn is one connection: what it is, and what each side sends. Protocol
// packages fill in what their texts say; the engine counts.
type Conn struct {
	ID         int // by first frame, -1 until it is given
	Protocol   *dissect.Protocol
	Dialect    string
	DetectedBy Detection
	Bits       float64 // evidence when it was recognised
	A, B       dissect.Endpoint
	Roles      [2]string
	FirstFrame uint64
	LastFrame  uint64
	FirstTime  int64 // ns since 1970; never runs backwards, whatever the clock of the capture does
	LastTime   int64
	FirstStamp int64 // the same as the capture gives them
	LastStamp  int64
	HasTime    bool
	Complete   bool
	State      State
	ClosedBy   Side

	SessionID    uint32
	HasSessionID bool
	Players      [2]uint32 // indexes of a and of b
	HasPlayers   bool
	Version      uint32 // major<<16 | minor, the lower of the two; 0 when unknown
	Signing      string // "none", "fast", "full" or ""
	Inferred     []string
	Remarks      []string         // what people may want to know of it, each once
	Dir          [2]seq.Direction // what a sends, what b sends

	Internal *InternalError // a fault of this program ended it; else nil
	SummedUp bool           // it was followed no further, because there were too many at a time

	Findings [3]uint64  // fails by Severity
	Rules    Evaluation // of its protocol
	quality  Evaluation // of the capture: Quality

	active             *active // nil once it is closed
	decoded, malformed uint64
	totals             *totals       // of its table, once it was handed out
	flow               *Flow         // nil once it is closed
	pulses             *[2]seq.Pulse // of a run without end, once it is closed
	now                *State        // what its protocol takes the state for, nil when it is settled
	closer             *Side
	timedOut           func(end int64) bool // see Follow
	flip               bool                 // a is the upper endpoint of the flow's key
	closed             bool
}

// active is what a connection needs only while it is open.
type active struct {
	dirs         [2]seq.Work
	law, quality evaluation
}

// newConn makes the connection that starts with the frame.
func newConn(f *Flow, fr *dissect.Frame) *Conn {
	c := &Conn{ID: -1, Protocol: f.protocol.Protocol, A: fr.Src, B: fr.Dst, FirstFrame: fr.Frame, flow: f, flip: f.side(fr.Datagram) == 1}
	c.Bits, c.DetectedBy = f.bits, f.detectedBy
	c.active = f.table.spare.Take()
	for i := range c.Dir {
		o := seq.Options{Opened: fr.Time, LowMemory: f.table.cfg.LowMemory, Links: f.table.cfg.Links}
		if tell := f.table.cfg.Settled; tell != nil {
			o.Settled = func(x seq.Settled) { tell(c, i, x) }
		}
		if o.Links {
			o.Never = func(at seq.Position) { f.Acked(at, 0) }
		}
		c.Dir[i].Open(&c.active.dirs[i], &c.Dir[1-i], o)
	}
	c.Rules, c.quality = Evaluation{&c.active.law}, Evaluation{&c.active.quality}
	*c.Rules.evaluation = evaluation{c: c, flow: f, rules: f.protocol.Rules, tallies: f.table.tallySetOf(f.protocol)}
	*c.quality.evaluation = evaluation{c: c, flow: f, rules: Quality, tallies: f.table.quality}
	return c
}

// DirOf is the index in Dir of the sender of a datagram of this connection.
func (c *Conn) DirOf(d *dissect.Datagram) int {
	if d.Src == c.A {
		return 0
	}
	return 1
}

// Count enters a frame into the connection's totals and gives its direction.
func (c *Conn) Count(fr *dissect.Frame) int {
	dir := c.DirOf(fr.Datagram)
	fr.Direction = 'a' + byte(dir)
	d := &c.Dir[dir]
	d.Frames++
	d.Bytes += uint64(fr.Length)
	c.LastFrame = fr.Frame
	if fr.HasTime {
		if !c.HasTime {
			c.FirstTime, c.FirstStamp, c.HasTime = fr.Time, fr.Stamp(), true
		}
		c.LastTime, c.LastStamp = fr.Time, fr.Stamp()
	}
	c.decoded++
	if !c.closed {
		c.flow.at = c
		c.Rules.facing(fr, dir)
		c.quality.fr, c.quality.dir = fr, dir
		d.Inspect(fr)
	} else if c.totals != nil {
		c.totals.decoded++
	}
	return dir
}

// handled ends the handling of the connection's latest frame.
func (c *Conn) handled() {
	if !c.closed {
		c.Rules.fr, c.quality.fr = nil, nil
	}
}

// Malform counts a decode error; a datagram the capture cut is not malformed.
func (c *Conn) Malform(fr *dissect.Frame, err *dissect.Error) {
	if err == nil {
		return
	}
	fr.Err = err
	if !fr.Cut() {
		fr.Words |= dissect.Malformed
		if c.malformed++; c.totals != nil {
			c.totals.malformed++
		}
	}
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

// close settles what is open and frees all that no report asks for.
func (c *Conn) close() {
	if !c.closed {
		c.closed, c.SummedUp = true, c.flow.summedUp
		if c.flow.Live() {
			c.pulses = &[2]seq.Pulse{c.Pulse(0), c.Pulse(1)}
		}
		over := c.State >= Closed
		c.Rules.close(c.flow.table.end, over)
		for dir := range c.Dir {
			c.diagnoseGiveUp(dir) // before the windows are freed
			c.Dir[dir].Close()
		}
		c.assess()
		for dir := range c.Dir {
			c.Dir[dir].Free()
		}
		c.leave()
	}
}

// leave parts a connection from its pair.
func (c *Conn) leave() {
	c.flow.open--
	c.flow.table.open--
	c.closed = true
	c.Dir[0].Abandon()
	c.Dir[1].Abandon()
	c.flow.table.spare.Put(c.active)
	c.active, c.flow, c.Rules.evaluation, c.quality.evaluation = nil, nil, nil, nil
	c.now, c.closer, c.timedOut = nil, nil, nil
}

// Compact makes the connection small (Dozer).
func (c *Conn) Compact() {
	for dir := range c.Dir {
		if !c.closed {
			c.Dir[dir].Compact()
		}
	}
}

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
