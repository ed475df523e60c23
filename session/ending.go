package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// An Ending is what is known of how a connection came to its end, or of how it stands:
// the facts that package explain makes sentences of. Times are those of the table's
// clock, in ns; a frame of 0 stands for none.
type Ending struct {
	Faults  [2]*Fault // latest error of each side, nil when there was none
	Shift   int64     // what to add to a time for that of the capture
	Idle    Idle      // the latest time for which neither side sent anything
	Dropped seq.Sign  // packets the capture says it lost; frame: the one behind the latest
	Silence int64     // longest time without a frame while one was due …
	Woken   seq.Sign  // … and the frame that ended it
	Sides   [2]SideEnding
}

// An Idle is a time for which neither side sent anything, of at least idleLeast.
type Idle struct {
	Span   int64
	End    seq.Sign  // the frame that ended it, N 0 when there was none
	Sender int       // of that frame
	Frames [2]uint64 // of each side before
}

// A SideEnding is what is known of how one side came to the end.
type SideEnding struct {
	Last       seq.Sign      // latest frame; N: all of them
	Alone      uint64        // frames behind the peer's latest
	Unanswered seq.StuckUnit // was sent again and never acknowledged; Sends 0 when nothing was
	Waiting    seq.Sign      // first of the numbers that nothing acknowledges; N: how many
	Trips      Trips
	Signs      seq.Signs
	Losses     seq.Losses // likely ones
	Swell      seq.Swell
	Unheard    seq.Deaf // sendings since the peer last acknowledged one …
	Healed     seq.Deaf // … and the longest such run that ended with an acknowledgement
	Deaf       seq.Deaf // see seq.Quality.Deaf
	CutOff     bool     // nothing that it sends arrives at its peer, up to the end
	HearsNone  bool     // nothing that its peer sends arrives at it, up to the end
	Low, High  int64    // numbers captured, unwrapped, when Numbers > 0
	Numbers    uint64   // captured
	Uncaptured uint64   // acknowledged and not captured
	Data       seq.Sign // latest frame with application data; N: all of them
	Stall      Stall    // waits for room in its window
	ClockLead  seq.Sign // acknowledgements before what they acknowledge …
	LeadBy     int64    // … by so much at most, see seq.Quality.ClockLead
}

// Trips are the round trips that seq.Direction and its views know of, in ns.
type Trips struct {
	Least, Latest int64
	Known         bool
}

// A Stall is how often, and how long at most, in ns, a side waited for room in its window.
type Stall struct {
	First   seq.Sign
	Longest int64
}

// A Fault is a finding of severity error.
type Fault struct {
	Rule, Message string
	Frame         uint64
	Time          int64
}

// idleLeast is the least time without a frame that is remembered as idle, in ns: many
// address translators forget a pair after 30 s, the quickest after 20.
const idleLeast = 20e9

// ending gathers what is known of the end, before the windows of the sides are freed.
func (c *Conn) ending() *Ending {
	s := c.Rules.sight
	e := &Ending{Shift: c.LastStamp - c.LastTime, Faults: s.fault,
		Dropped: seq.Sign{N: s.lost.N, Frame: s.dropFrame, Time: s.dropAt}, Silence: s.silence, Woken: s.wokenBy}
	if s.idle != nil {
		e.Idle = *s.idle
	}
	for dir := range c.Dir {
		e.Sides[dir] = c.sideEnding(dir)
	}
	return e
}

func (c *Conn) sideEnding(dir int) SideEnding {
	s, d := c.Rules.sight, &c.Dir[dir]
	q := d.Quality()
	x := SideEnding{Last: seq.Sign{N: s.frames[dir], Frame: s.frame[dir], Time: s.last[dir]}, Alone: s.frames[dir] - s.heard[1-dir],
		Waiting: q.Waiting(), Signs: *q.Signs(), Unheard: *q.Unheard(), Deaf: *q.Deaf(),
		CutOff: c.unheard(dir), HearsNone: c.deaf(dir), Numbers: q.Distinct(), Uncaptured: q.Uncaptured()}
	x.Data = s.data[dir]
	if a := q.Account(); a != nil {
		x.Healed = a.Healed
	}
	if s.full != nil {
		x.Stall = s.full[dir].Stall
	}
	lead, n, first := q.ClockLead()
	x.LeadBy, x.ClockLead = lead, seq.Sign{N: n, Frame: first.Frame, Time: first.Time}
	x.Low, x.High = d.Window().Bounds()
	x.Unanswered, _ = d.Unanswered()
	x.Trips.Least, x.Trips.Known = d.MinRTT(), d.HasRTT()
	x.Trips.Latest = d.Pulse().Ping
	return x
}

// concludeEnding adds what is known of the sides once nothing of them waits any more.
func (c *Conn) concludeEnding() {
	if c.Ending == nil {
		return
	}
	for dir := range c.Dir {
		q, s := c.Dir[dir].Quality(), &c.Ending.Sides[dir]
		s.Signs, s.Uncaptured = *q.Signs(), q.Uncaptured()
		if x := q.Account(); x != nil {
			s.Losses, s.Swell = x.Losses, x.Swell
		}
	}
}

// blame keeps the latest error of a side.
func (c *Conn) blame(x *Finding) {
	if x.Severity != conform.Error || x.Dir != SideA && x.Dir != SideB || c.active == nil {
		return
	}
	if f := &c.Rules.sight.fault[x.Dir-SideA]; *f == nil || x.Frame >= (*f).Frame {
		*f = &Fault{x.Rule.ID, x.Message, x.Frame, x.Time}
	}
}

// remember keeps of the frame at hand what tells how the connection ends: closing frames,
// the latest data, and waits for room in the window.
func (c *Conn) remember(fr *dissect.Frame) {
	dir := int(fr.Direction - 'a')
	if fr.Words&(dissect.Close|dissect.Duplicate) == dissect.Close {
		c.Closing[dir].See(fr.Frame, fr.Time)
	}
	if c.active == nil {
		return
	}
	s := c.Rules.sight
	if n := c.Dir[dir].DataFrames; n != s.data[dir].N {
		s.data[dir] = seq.Sign{N: n, Frame: fr.Frame, Time: fr.Time}
		if s.full != nil && fr.Words&dissect.Retry == 0 {
			s.full[dir].moves(fr.Time)
		}
	}
	if fr.Words&dissect.WindowFull == 0 {
		return
	}
	if s.full == nil {
		s.full = new([2]fullWindow)
	}
	s.full[dir].First.See(fr.Frame, fr.Time)
	s.full[dir].since = fr.Time
}

// A fullWindow follows how long a side waits for room in its window.
type fullWindow struct {
	Stall
	since int64 // when a frame filled it, 0 when none did since the latest data
}

// moves ends a wait with a new frame.
func (w *fullWindow) moves(at int64) {
	if w.since != 0 {
		w.Longest, w.since = max(w.Longest, at-w.since), 0
	}
}
