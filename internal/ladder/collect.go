package ladder

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
)

// aroundFrames is how many frames of the selection a window shows before its frame, and
// after it.
const aroundFrames = 20

// Options say which frames are drawn.
type Options struct {
	Connection int
	Around     uint64           // shows a window around this frame, 0 for none
	Display    pipeline.Display // what -Y, --from and --to choose
	Filtered   bool             // there is a -Y
	All        bool             // each frame has a row of its own
	Clock      *render.Clock
}

// A Collector takes the frames of one connection out of a run. It stands where a printer
// does, because frames come there in order, with all that is known of them, and prints
// nothing.
type Collector struct {
	pipeline.NoMessages

	o          Options
	losses     *losses
	conn       *session.Conn // nil before its first frame
	other      *session.Conn // the latest that is not drawn
	rows       []Row         // one a frame
	early      []Notice      // before the first row
	earlyFocus bool          // one of them is what the window is around
	rest       int           // frames that the window still takes after its frame
	where      string        // what the frame of the window is, when it is not drawn
	seen       uint64        // latest frame of the capture
	frame      bool          // the frame of the window was seen
	own        bool          // notices are frames of the selection
	notices    int           // at rows
	tooMany    bool
}

// NewCollector makes a Collector.
func NewCollector(o Options) *Collector {
	return &Collector{o: o, losses: newLosses(), own: o.Display.Filter != nil && o.Display.Filter.Notices()}
}

// Configure sets what the tracker must provide.
func (c *Collector) Configure(cfg *session.Config) {
	c.o.Display.Configure(cfg)
	cfg.Trees, cfg.Summaries, cfg.Links, cfg.Notices = true, true, true, true
	cfg.OnSettled(c.losses.hear)
}

// Err is what stops the run: more frames than a ladder holds.
func (c *Collector) Err() error {
	if c.tooMany || c.losses.tooMany() {
		return TooMany()
	}
	return nil
}

// Prepare implements pipeline.Printer: the number of the frame is kept as its head.
func (c *Collector) Prepare(_ int, s *pipeline.Slot, fr *dissect.Frame) {
	c.o.Display.Prepare(s, fr)
	keepNumber(s, fr)
}

// keepNumber keeps the number of a frame as its head.
func keepNumber(s *pipeline.Slot, fr *dissect.Frame) {
	s.Head = s.Head[:0]
	if s.Conn == nil || fr.Tree == nil {
		return
	}
	if f := s.Conn.Protocol.Numbered[fr.Type]; f != nil {
		if n := fr.Tree.Find(f); n != nil {
			s.Head = binary.LittleEndian.AppendUint64(s.Head, n.Val)
		}
	}
}

// Print implements pipeline.Printer.
func (c *Collector) Print(dst []byte, s *pipeline.Slot) []byte {
	mine := c.mine(s)
	shown := c.o.Display.Decide(s) && mine
	if shown {
		c.take(s)
	}
	if s.Datagram.Frame == c.o.Around && !shown {
		c.where = c.whereIs(s)
	}
	c.o.Clock.Advance(&s.Datagram, shown)
	c.seen = s.Datagram.Frame
	return dst
}

// mine reports whether a frame is of the connection.
func (c *Collector) mine(s *pipeline.Slot) bool {
	switch {
	case s.Conn == nil || s.Frame.Connection != c.o.Connection:
		if s.Conn != nil && c.conn == nil && s.Conn != c.other {
			c.other = s.Conn
			c.losses.pass(s.Conn)
		}
		return false
	case c.conn == nil:
		c.conn = s.Conn
		c.losses.choose(s.Conn)
	}
	return true
}

// whereIs says why a frame is not in the ladder.
func (c *Collector) whereIs(s *pipeline.Slot) string {
	switch id := s.Frame.Connection; {
	case s.Conn == nil:
		return "it is of no connection"
	case id != c.o.Connection:
		return fmt.Sprintf("it is of connection %d", id)
	}
	return "it is not among the frames that -Y, --from and --to choose"
}

// take enters a frame of the selection.
func (c *Collector) take(s *pipeline.Slot) {
	focus := s.Datagram.Frame == c.o.Around && c.o.Around != 0
	c.frame = c.frame || focus
	if s.Datagram.Kind == dissect.Unreachable && !c.own {
		c.takeNotice(s, focus)
		return
	}
	if n := len(c.rows); n > 0 && s.Datagram.Part > 0 && c.rows[n-1].Frame() == s.Datagram.Frame {
		c.rows[n-1].join(s)
		return
	}
	if c.o.Around != 0 && !c.within(focus) {
		return
	}
	if len(c.rows) >= MaxFrames {
		c.tooMany = true
		return
	}
	r := rowOf(s, c.o.Clock)
	r.Focus = focus || c.earlyFocus
	r.Notices, c.early, c.earlyFocus = c.early, nil, false
	c.rows = append(c.rows, r)
}

// within makes room for a frame in the window, and reports whether it is in it.
func (c *Collector) within(focus bool) bool {
	switch {
	case focus:
		c.rest = aroundFrames
	case !c.frame:
		if len(c.rows) == aroundFrames {
			c.notices -= len(c.rows[0].Notices)
			c.rows = slices.Delete(c.rows, 0, 1)
		}
	case c.rest == 0:
		return false
	default:
		c.rest--
	}
	return true
}

// takeNotice puts an ICMP notice to the row before it.
func (c *Collector) takeNotice(s *pipeline.Slot, focus bool) {
	d := &s.Datagram
	x := Notice{Frame: d.Frame, Time: d.Time, HasTime: d.HasTime, Label: string(s.Frame.Summary)}
	if c.o.Around != 0 && c.frame && c.rest == 0 && !focus {
		return
	}
	if c.notices++; c.notices > MaxFrames {
		c.tooMany = true
		return
	}
	if focus {
		c.rest = aroundFrames
	}
	if n := len(c.rows); n > 0 {
		r := &c.rows[n-1]
		r.Focus, r.Notices = r.Focus || focus, append(r.Notices, x)
		return
	}
	c.early, c.earlyFocus = append(c.early, x), c.earlyFocus || focus
}

// rowOf is what is known of a frame.
func rowOf(s *pipeline.Slot, clock *render.Clock) Row {
	d, fr := &s.Datagram, &s.Frame
	r := Row{Kind: Frame, Frames: []uint64{d.Frame}, Time: d.Time, Until: d.Time, HasTime: d.HasTime, Type: fr.Type, Label: string(fr.Summary), Length: d.Length,
		Clock: string(clock.AppendTime(nil, d)), Datagrams: 1, Words: fr.Words, RetryOf: fr.RetryOf, AckedIn: fr.AckedIn, Acks: slices.Clone(fr.Acks)}
	if s.Conn != nil {
		r.From = s.Conn.DirOf(d)
	}
	if d.Kind == dissect.Unreachable {
		r.From = r.From.Other() // it comes from where the datagram did not arrive
	}
	if len(s.Head) == 8 {
		r.Number, r.HasNumber = binary.LittleEndian.Uint64(s.Head), true
	}
	if fr.AckedIn != 0 {
		r.Acked = 1
	}
	if fr.Awaits || fr.AckedIn != 0 {
		r.Awaits = 1
	}
	r.Fault, r.Last = faultOf(s), r.Number
	return r
}

// join enters a further datagram that the packet of a frame was taken apart into.
func (r *Row) join(s *pipeline.Slot) {
	fr := &s.Frame
	r.Datagrams++
	r.Length += s.Datagram.Length
	r.Words |= fr.Words
	r.Acks = append(r.Acks, fr.Acks...)
	if r.RetryOf == 0 {
		r.RetryOf = fr.RetryOf
	}
	if fr.AckedIn != 0 {
		r.Acked++
		r.AckedIn = max(r.AckedIn, fr.AckedIn)
	}
	if fr.Awaits || fr.AckedIn != 0 {
		r.Awaits++
	}
	if r.Fault == "" {
		r.Fault = faultOf(s)
	}
	if len(s.Head) == 8 {
		r.Last = binary.LittleEndian.Uint64(s.Head)
	}
}

// faultOf says where decoding stopped, and why, "" when it did not.
func faultOf(s *pipeline.Slot) string {
	fr := &s.Frame
	if fr.Err == nil {
		return ""
	}
	what, where := "malformed: ", ""
	if s.Datagram.Cut() && !fr.Words.Has(dissect.Malformed) {
		what = "cut short by the capture: "
	}
	if fr.Err.Field != nil {
		where = fr.Err.Field.Name + " "
	}
	return fmt.Sprintf("%s%sat byte %d: %s", what, where, fr.Err.Offset, fr.Err.Reason)
}

// Missing says why the frame of --around is not in the ladder, nil when it is.
func (c *Collector) Missing() error {
	switch {
	case c.o.Around == 0 || c.frame:
		return nil
	case c.where != "":
		return fmt.Errorf("--around %d: %s", c.o.Around, c.where)
	}
	return fmt.Errorf("--around %d: the last frame that was read is %d", c.o.Around, c.seen)
}
