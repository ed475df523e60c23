package timeline

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// MaxIntervals bounds the intervals that are kept of all directions together. Tests keep fewer.
var MaxIntervals = 1 << 20

// A Timeline spreads what the connections of one tracker count over intervals. It is a
// sink that hands on what it hears.
type Timeline struct {
	session.Sink `state:"-"`                                      // the next one
	place        func(c *session.Conn, at int64) (from, to int64) `state:"-"` // the interval that holds a time
	whole        bool                                             `state:"-"` // all counters are wanted, not only those of columns
	Cells        bool                                             `state:"-"` // round trips are counted by cells, too
	length       func(c *session.Conn) int64                      `state:"-"` // of the intervals that are drawn (NewDrawing), nil where none are
	conns        map[*session.Conn]*lines                         // the connections of which frames may still come
	packed       map[*session.Conn]string                         // the others, see Rest
	packer       seq.Packer                                       `state:"-"`
	last         *session.Conn                                    `state:"-"` // whose lines lastLines are
	lastLines    *lines                                           `state:"-"`
	intervals    int
}

// lines are those of the two sides of a connection.
type lines struct {
	dir     [2]line
	at      int64   // the capture's time of the latest frame that has one
	started bool    // some frame had a time
	moment  int64   // time of the latest frame that was drawn
	frame   uint64  // its number
	same    int64   // frames drawn before it at that time
	steps   []shift // of the clock of the tracker against that of the capture, ascending
}

// A shift says by how much the tracker's clock is ahead of the capture's from a time on.
type shift struct{ from, by int64 }

// New makes a timeline whose intervals have a length, in nanoseconds.
func New(length int64, next session.Sink) *Timeline {
	return over(next, func(_ *session.Conn, at int64) (from, to int64) { return around(at, length) })
}

func over(next session.Sink, place func(c *session.Conn, at int64) (from, to int64)) *Timeline {
	return &Timeline{Sink: next, place: place, conns: map[*session.Conn]*lines{}, packed: map[*session.Conn]string{}}
}

// Intervals is their number.
func (t *Timeline) Intervals() int { return t.intervals }

// TooMany says that a capture has more intervals than are kept.
func TooMany(length int64) error {
	return fmt.Errorf("more than %d intervals of %s: take longer ones with --interval", MaxIntervals, time.Duration(length))
}

// Frame implements session.Sink.
func (t *Timeline) Frame(fr *dissect.Frame, c *session.Conn) {
	if c != nil {
		t.Recount(fr, c)
	}
	t.Sink.Frame(fr, c)
}

// Recount implements session.Recounter: what was counted since the call before belongs to
// the frame.
func (t *Timeline) Recount(fr *dissect.Frame, c *session.Conn) {
	if t.passes(c) {
		return
	}
	x := t.of(c)
	at := x.at
	if fr.HasTime {
		at = t.spread(c, x, fr)
		x.at, x.started = at, true
	}
	if x.started && fr.Frame == c.LastFrame && fr.HasTime {
		x.step(c.LastTime, c.LastTime-c.LastStamp)
	}
	for dir := range dissect.Dirs {
		before := x.dir[dir].told
		if t.note(x, c, dir, at); t.length != nil {
			t.draw(x, fr, c, dir, at, before)
		}
	}
}

// note enters what a direction counted since it was asked last. What was counted before the
// first frame that has a time is entered with that frame.
func (t *Timeline) note(x *lines, c *session.Conn, dir dissect.Dir, at int64) {
	d, l := &c.Dir[dir], &x.dir[dir]
	var now measure.Values
	if now.Read(d); t.whole {
		now.ReadRest(d)
	}
	if now == l.told || !x.started {
		return
	}
	v := t.interval(c, l, at)
	for i := range now {
		v.Counts[i] += now[i] - l.told[i]
	}
	l.told = now
	if f, ok := d.InFlight(); ok {
		v.HasInFlight = true
		v.InFlight.Numbers, v.InFlight.Bytes = max(v.InFlight.Numbers, f.Numbers), max(v.InFlight.Bytes, f.Bytes)
	}
}

// Measured implements session.Recounter.
func (t *Timeline) Measured(c *session.Conn, dir dissect.Dir, of seq.MeasureSet, at, ns int64) {
	if t.passes(c) {
		return
	}
	x := t.of(c)
	l := &x.dir[dir]
	if l.measured++; l.measured > freezeEvery {
		told := c.Dir[dir].Untold(c.LastTime)
		l.freezeNumbers(told - x.shiftAt(told))
	}
	v := t.interval(c, l, at-x.shiftAt(at))
	v.measured(of, ns)
	if t.Cells && of.Has(seq.RoundTrip) {
		v.Cells.Add(Cells{seq.CellOf(ns): 1})
	}
}

// interval gives the one that holds a time.
func (t *Timeline) interval(c *session.Conn, l *line, at int64) *Interval {
	from, to := t.place(c, at)
	if to <= l.floor { // what is known of an interval that was taken out is in the next one
		from, to = t.place(c, l.floor)
	}
	v, fresh := l.find(from, to)
	if fresh {
		t.intervals++
	}
	return v
}

// around is the interval that holds a time: from a whole multiple of a length to the next. The
// first and the last end where times do.
func around(at, length int64) (from, to int64) {
	rest := at % length
	if rest < 0 {
		rest += length
	}
	if from = at - rest; from > at {
		from = math.MinInt64
	}
	if to = at + (length - rest); to <= at {
		to = math.MaxInt64
	}
	return from, to
}

func (t *Timeline) of(c *session.Conn) *lines {
	if c == t.last {
		return t.lastLines
	}
	x := t.linesOf(c)
	if x == nil {
		x = new(lines)
	}
	t.conns[c] = x
	delete(t.packed, c)
	t.last, t.lastLines = c, x
	return x
}

// maxSteps bounds the remembered steps of a clock of one connection.
const maxSteps = 1024

// step remembers a change of the difference between the two clocks.
func (x *lines) step(now, by int64) {
	n := len(x.steps)
	if n == 0 && by == 0 || n > 0 && x.steps[n-1].by == by || n == maxSteps {
		return
	}
	x.steps = append(x.steps, shift{now, by})
}

// shiftAt gives how far the tracker's clock was ahead when it showed a time.
func (x *lines) shiftAt(at int64) int64 {
	i := sort.Search(len(x.steps), func(i int) bool { return x.steps[i].from > at })
	if i == 0 {
		return 0
	}
	return x.steps[i-1].by
}

// Follows reports whether it has heard of a connection.
func (t *Timeline) Follows(c *session.Conn) bool {
	_, packed := t.packed[c]
	return packed || t.conns[c] != nil
}

// Direction gives the intervals of a side of a connection in the order of time, once the
// run is over. What became known after its last frame is in the last of them. A connection
// none of whose frames has a time has no intervals.
func (t *Timeline) Direction(c *session.Conn, dir dissect.Dir) []*Interval {
	x := t.linesOf(c)
	if x == nil {
		return nil
	}
	t.note(x, c, dir, x.at)
	if l := &x.dir[dir]; c.Dir[dir].Times(seq.PairedTrip).Samples == 0 { // they were taken back
		for _, v := range l.list {
			v.drop(seq.PairedTrip)
		}
	}
	return x.dir[dir].settled()
}
