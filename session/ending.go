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
	Sides   [2]SideEnding
}

// An Idle is a time for which neither side sent anything, of at least idleLeast.
type Idle struct {
	Span   int64
	End    seq.Sign    // the frame that ended it, N 0 when there was none
	Sender dissect.Dir // of that frame
	Frames [2]uint64   // of each side before
}

// A SideEnding is what is known of how one side came to the end.
type SideEnding struct {
	Last         seq.Sign // latest frame; N: all of them
	Data         seq.Sign // latest frame with application data; N: all of them
	Alone        uint64   // frames behind the peer's latest
	Waiting      seq.Sign // first of the numbers that nothing acknowledges; N: how many
	Trips        Trips
	LargestAcked uint16   // bytes of payload
	LatestAcked  int64    // time of the latest number that was acknowledged
	Unheard      seq.Deaf // sendings since the peer last acknowledged one
	CutOff       bool     // nothing that it sends arrives at its peer, up to the end
	HearsNone    bool     // nothing that its peer sends arrives at it, up to the end
	Numbers      uint64   // captured
	Uncaptured   uint64   // acknowledged and not captured
	*Trouble
}

// Trouble is what went wrong on the way of what a side sends. Sides without any share one
// that is zero, which nobody may change.
type Trouble struct {
	Unanswered seq.StuckUnit // was sent again and never acknowledged; Sends 0 when nothing was
	Signs      TroubleSigns
	Losses     seq.Losses // likely ones
	Swell      seq.Swell
	Healed     seq.Deaf // longest run of sendings without acknowledgement that ended with one
	Deaf       seq.Deaf // see seq.Quality.Deaf
	BlackHole  bool     // only what is large never arrives: Signs.Stuck, see FLD-MTU
	Stall      Stall    // waits for room in its window
	ClockLead  seq.Sign // acknowledgements before what they acknowledge …
	LeadBy     int64    // … by so much at most, see seq.Quality.ClockLead
	Spells     *seq.Spells
}

// TroubleSigns are those of seq.Signs that tell of trouble.
type TroubleSigns struct {
	AsRetry, Changed, Copies, Holes, Late, SlowAt, Uncaptured, Unneeded seq.Sign

	LateBy           int64
	LongestHole      seq.Num
	PassedOver, Soon uint64
	Stuck            seq.StuckUnit
}

var noTrouble = new(Trouble)

// Trips are the round trips that seq.Direction and its views know of, in ns.
type Trips struct {
	Least int64
	Slow  int64 // shortest of 32 in a row, where that was the longest; 0 of fewer, and where retries have a mark
	Known bool
}

// A Stall is how often, and how long at most, in ns, a side waited for room in its window.
type Stall struct {
	First   seq.Sign
	Longest int64
	Since   int64 // when the longest began
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
	e := c.flow.table.spareEndings.Take()
	e.Shift, e.Faults, e.Dropped = c.LastStamp-c.LastTime, s.fault, seq.Sign{N: s.lost.N, Frame: s.dropFrame, Time: s.dropAt}
	if s.idle != nil {
		e.Idle = *s.idle
	}
	for dir := range dissect.Dirs {
		e.Sides[dir] = c.sideEnding(dir)
	}
	return e
}

// EndingNow is the ending of a connection as far as it is known now, before it is closed and
// settled: losses may not be concluded yet. It is nil unless Config.Endings asks for endings.
func (c *Conn) EndingNow() *Ending {
	if c.closed || c.Ending != nil || c.active == nil || !c.flow.table.cfg.Endings {
		return c.Ending
	}
	now := *c
	now.Ending = now.ending()
	now.concludeEnding()
	return now.Ending
}

func (c *Conn) sideEnding(dir dissect.Dir) SideEnding {
	s, d := c.Rules.sight, &c.Dir[dir]
	q := d.Quality()
	x := SideEnding{
		Last: seq.Sign{N: s.frames[dir], Frame: s.frame[dir], Time: s.last[dir]}, Data: s.data[dir], Alone: s.frames[dir] - s.heard[dir.Other()],
		Waiting: q.Waiting(), Trips: Trips{d.MinRTT(), q.SlowTrip(), d.HasRTT()}, Unheard: *q.Unheard(),
		CutOff: c.unheard(dir), HearsNone: c.deaf(dir), Numbers: q.Distinct(),
		Trouble: c.flow.table.spareTroubles.Take(),
	}
	x.Deaf = *q.Deaf()
	if a := q.Account(); a != nil {
		x.Healed = a.Healed
	}
	if s.full != nil {
		x.Stall = s.full[dir].Stall
	}
	lead, n, first := q.ClockLead()
	x.LeadBy, x.ClockLead = lead, seq.Sign{N: n, Frame: first.Frame, Time: first.Time}
	x.Unanswered, _ = d.Unanswered()
	return x
}

// concludeEnding adds what is known of the sides once nothing of them waits any more.
func (c *Conn) concludeEnding() {
	if c.Ending == nil {
		return
	}
	for dir := range dissect.Dirs {
		q, x := c.Dir[dir].Quality(), &c.Ending.Sides[dir]
		s := q.Signs()
		x.LargestAcked, x.LatestAcked, x.Uncaptured = s.LargestAcked, s.LatestAcked, q.Uncaptured()
		x.Signs = TroubleSigns{s.AsRetry, s.Changed, s.Copies, s.Holes, s.Late, s.SlowAt, s.Uncaptured, s.Unneeded, s.LateBy, s.LongestHole, s.PassedOver, s.Soon, s.Stuck}
		x.BlackHole = c.blackHole(dir)
		if a := q.Account(); a != nil {
			x.Losses, x.Swell, x.Spells = a.Losses, a.Swell, a.Spells.Clone()
		}
		if *x.Trouble == *noTrouble {
			c.flow.table.spareTroubles.Put(x.Trouble)
			x.Trouble = noTrouble
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
	dir := dissect.Dir(fr.Direction - 'a')
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

// FirstClose is the side, by the index of its direction, whose closing frame came first, -1
// when none was captured: ClosedBy where the protocol says who closed it, which judges
// copies, answers and frames that were swapped, else by the frames themselves.
func (c *Conn) FirstClose() dissect.Dir {
	if x := dissect.Dir(c.ClosedBy) - 1; (x == 0 || x == 1) && c.Closing[x].N > 0 {
		return x
	}
	first := dissect.Dir(-1)
	for dir := range dissect.Dirs {
		if s := &c.Closing[dir]; s.N > 0 && (first < 0 || s.Frame < c.Closing[first].Frame) {
			first = dir
		}
	}
	return first
}

// A fullWindow follows how long a side waits for room in its window.
type fullWindow struct {
	Stall
	since int64 // when a frame filled it, 0 when none did since the latest data
}

// moves ends a wait with a new frame.
func (w *fullWindow) moves(at int64) {
	if w.since != 0 {
		if at-w.since > w.Longest {
			w.Longest, w.Since = at-w.since, w.since
		}
		w.since = 0
	}
}
