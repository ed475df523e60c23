package htmlreport

import (
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Health is how a connection fared in a piece of time.
type Health uint8

const (
	Quiet  Health = iota // nothing troubled it
	Waits                // acknowledgements took long, or what had arrived was sent again
	Losses               // something was missing, or had to be sent again
	CutOff               // one side was heard no more, and the connection ended by that
)

// healths are the letters of runs, by Health.
const healths = "qwlc"

// A Lane is the health of a connection over time.
type Lane struct {
	Connection int
	Line       string  // what happened, in a few words
	Kind       string  // of its end, as reports count them: "closed", "cut off"
	Bad        bool    // there is something to tell of it
	Cut        bool    // it did not end as its sides wanted
	Ended      int64   // when that was, ns since 1970, 0 where that is not known
	Spans      []Span  // times that were bad for a reason that explain gives
	Spurious   [2]bool // retries of a side were spurious, also where no acknowledgement shows it yet

	first int // the column in which it begins
	cells []Health
}

// A Span is a time in which a connection was not well.
type Span struct {
	From, To int64 // ns since 1970
	Health   Health
}

// mostCells is the number of columns in which an overview shows the time of a capture.
const mostCells = 600

// steps are the lengths of columns that people count in.
var steps = []time.Duration{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 2 * 3600, 6 * 3600, 24 * 3600}

// Lanes spread over time how connections fared, in a pass of its own: when they were was
// found in an earlier one.
type Lanes struct {
	From   int64 // ns since 1970, where the first column begins
	Step   int64 // ns, the length of a column
	Count  int   // of columns
	known  map[uint64]*Lane
	least  map[uint64][2]int64 // the shortest round trips of both sides, ns, 0 for none
	shards [pipeline.Shards]map[*session.Conn]*track
}

// A cell is what a column knows while the capture is read.
type cell struct {
	heard  uint8 // a bit a side
	waited bool
	lost   int32 // retries and missing numbers; below 0 where earlier ones were none after all
}

// A track is the columns of a connection while the capture is read.
type track struct {
	first  int
	cells  []cell
	lost   [2]int64
	spared [2]uint64 // spurious retries
}

// slow reports whether a wait is long beside the shortest round trip of its side, 0 where
// none is known: what is said of delays means the same.
func slow(least, ns int64) bool { return least > 0 && seq.Slowly(ns, least) }

// NewLanes makes the lanes of connections that an earlier pass found, within a span of time.
func NewLanes(conns []*session.Conn, from, to int64) *Lanes {
	l := &Lanes{known: map[uint64]*Lane{}, least: map[uint64][2]int64{}, Step: int64(time.Second)}
	var first, last int64
	some := false
	for _, c := range conns {
		c.Unpack()
		var least [2]int64
		for dir := range least {
			least[dir] = c.Dir[dir].RTT().Min
		}
		l.least[c.FirstFrame] = least
		l.known[c.FirstFrame] = &Lane{Connection: c.ID}
		a, b := max(c.FirstStamp, from), min(c.LastStamp, to)
		if a > b || c.FirstStamp == 0 && c.LastStamp == 0 {
			continue
		}
		if !some {
			first, last, some = a, b, true
		}
		first, last = min(first, a), max(last, b)
	}
	l.From = first - first%l.Step
	if first < 0 || l.From > first {
		l.From = first
	}
	l.divide(uint64(last) - uint64(l.From))
	return l
}

// divide chooses the columns for so many nanoseconds.
func (l *Lanes) divide(length uint64) {
	for _, s := range steps {
		if l.Step = int64(s * time.Second); length/uint64(l.Step) < mostCells {
			break
		}
	}
	if length/uint64(l.Step) >= mostCells {
		l.Step = int64(length/mostCells) + 1
	}
	l.Count = int(length/uint64(l.Step)) + 1
}

// Of gives the lane of a connection, so that what is known of its end can be put there; nil
// where it has none.
func (l *Lanes) Of(c *session.Conn) *Lane { return l.known[c.FirstFrame] }

// column is the one that holds a time; times outside belong to the first and the last.
func (l *Lanes) column(at int64) int {
	if at <= l.From {
		return 0
	}
	return int(min((uint64(at)-uint64(l.From))/uint64(l.Step), uint64(l.Count-1)))
}

// Attach makes a run tell the lanes what it tracks.
func (l *Lanes) Attach(r *pipeline.Run) {
	next := r.Sink
	r.Sink = func(shard int) session.Sink {
		l.shards[shard] = map[*session.Conn]*track{}
		s := &laneSink{Sink: next(shard), lanes: l, of: l.shards[shard]}
		s.next, _ = s.Sink.(session.Recounter)
		return s
	}
}

// A laneSink hears the frames of a shard and hands them on.
type laneSink struct {
	session.Sink
	next  session.Recounter // nil where the next one follows no counters
	lanes *Lanes
	of    map[*session.Conn]*track
	last  *session.Conn
	track *track
}

// Frame implements session.Sink.
func (s *laneSink) Frame(fr *dissect.Frame, c *session.Conn) {
	if c != nil {
		s.note(fr, c)
	}
	s.Sink.Frame(fr, c)
}

// Recount implements session.Recounter.
func (s *laneSink) Recount(fr *dissect.Frame, c *session.Conn) {
	s.note(fr, c)
	if s.next != nil {
		s.next.Recount(fr, c)
	}
}

// Measured implements session.Recounter: a number that waited long for its acknowledgement
// marks all the time that it waited.
func (s *laneSink) Measured(c *session.Conn, dir dissect.Dir, of seq.MeasureSet, at, ns int64) {
	if t := s.find(c); t != nil && of.Has(seq.AckWait) && slow(s.lanes.least[c.FirstFrame][dir], ns) {
		stamp := at - (c.LastTime - c.LastStamp)
		for i := s.lanes.column(stamp - ns); i <= s.lanes.column(stamp); i++ {
			t.at(i).waited = true
		}
	}
	if s.next != nil {
		s.next.Measured(c, dir, of, at, ns)
	}
}

// Rest implements session.Recounter.
func (s *laneSink) Rest(c *session.Conn) {
	if s.next != nil {
		s.next.Rest(c)
	}
}

// find gives the track of a connection, nil where it has no lane.
func (s *laneSink) find(c *session.Conn) *track {
	if c == s.last {
		return s.track
	}
	t := s.of[c]
	if t == nil && s.lanes.known[c.FirstFrame] != nil {
		t = &track{first: s.lanes.column(c.FirstStamp)}
		s.of[c] = t
	}
	s.last, s.track = c, t
	return t
}

// note enters what a frame shows.
func (s *laneSink) note(fr *dissect.Frame, c *session.Conn) {
	t := s.find(c)
	if t == nil || !fr.HasTime {
		return
	}
	lane, x := s.lanes.Of(c), t.at(s.lanes.column(fr.Stamp()))
	x.heard |= 1 << c.DirOf(fr.Datagram)
	for dir := range c.Dir {
		d := &c.Dir[dir]
		lost, spared := int64(d.Missing()), d.UnneededRetries
		if lane.Spurious[dir] {
			spared = d.Retries
		} else {
			lost += int64(d.Retries) - int64(spared)
		}
		x.lost += int32(lost - t.lost[dir])
		x.waited = x.waited || spared > t.spared[dir]
		t.lost[dir], t.spared[dir] = lost, spared
	}
}

// at gives a column, which may be a new one.
func (t *track) at(i int) *cell {
	i = max(0, i-t.first)
	for len(t.cells) <= i {
		t.cells = append(t.cells, cell{})
	}
	return &t.cells[i]
}

// Finish gives the lanes in the order of connections, once the run is over.
func (l *Lanes) Finish(conns []*session.Conn) (all []*Lane) {
	for _, c := range conns {
		lane := l.known[c.FirstFrame]
		if lane == nil {
			continue
		}
		for _, shard := range l.shards {
			if t := shard[c]; t != nil {
				l.settle(lane, t)
			}
		}
		all = append(all, lane)
	}
	return all
}

// settle says of each column how the connection fared.
func (l *Lanes) settle(lane *Lane, t *track) {
	lane.first, lane.cells = t.first, make([]Health, len(t.cells))
	t.takeBack()
	last := [2]int{-1, -1}
	for i, x := range t.cells {
		switch {
		case x.lost > 0:
			lane.cells[i] = Losses
		case x.waited:
			lane.cells[i] = Waits
		}
		for dir := range last {
			if x.heard>>dir&1 != 0 {
				last[dir] = i
			}
		}
	}
	for _, s := range lane.Spans {
		for i := max(0, l.column(s.From)-t.first); i <= l.column(s.To)-t.first && i < len(lane.cells); i++ {
			lane.cells[i] = max(lane.cells[i], s.Health)
		}
	}
	if lane.Cut {
		from := min(last[0], last[1]) + 1
		if from == len(lane.cells) && lane.Ended != 0 {
			from = l.column(lane.Ended) - t.first
		}
		for i := max(0, min(from, len(lane.cells)-1)); i < len(lane.cells); i++ {
			lane.cells[i] = CutOff
		}
	}
}

// takeBack takes what was counted as lost, and was not, off the latest columns that have it.
func (t *track) takeBack() {
	debt := int32(0)
	for i := len(t.cells) - 1; i >= 0; i-- {
		n := t.cells[i].lost + debt
		t.cells[i].lost, debt = max(n, 0), min(n, 0)
	}
}
