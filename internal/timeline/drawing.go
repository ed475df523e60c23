package timeline

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Range is the least and the greatest of some numbers, where there are any.
type Range struct {
	Min, Max int64
	Some     bool
}

func (r *Range) add(n int64) {
	if !r.Some {
		*r = Range{n, n, true}
		return
	}
	r.Min, r.Max = min(r.Min, n), max(r.Max, n)
}

// A Drawn is what a picture shows of an interval, besides its counters: the numbers that
// were sent, those of them that ask for no acknowledgement, those up to which the peer
// acknowledged, and those that it acknowledged out of order.
type Drawn struct {
	Sent, Unreliable, Acked, Sacked Range
	Delay                           Range  // ns until what was sent in the interval was acknowledged, of each transmission by itself
	Slowest                         uint64 // the frame for which that took longest, 0 for none
	Frame                           uint64 // the first one of its side, 0 for none
}

// delayed enters how long a frame waited for its acknowledgement.
func (d *Drawn) delayed(frame uint64, ns int64) {
	if d.Delay.add(ns); d.Delay.Max == ns {
		d.Slowest = frame
	}
}

// A Mark is one event, which a picture shows however many there are.
type Mark struct {
	Kind   MarkKind
	Time   int64   // ns since 1970, by the capture's times
	Number seq.Num // unwrapped
	Frame  uint64
	N      int64 // how many units it stands for
	Delay  int64 // ns until its acknowledgement, 0 where none was captured
}

// MarkKind is what an event is.
type MarkKind uint8

const (
	NeededRetry   MarkKind = iota // a retry, with no acknowledgement captured before
	UnneededRetry                 // a retry of what had been acknowledged
	Closing                       // a frame that opens or closes the connection
)

// MaxMarks bounds the marks that are kept of a side.
const MaxMarks = 200_000

// maxTransmissions bounds the transmissions of a side that are remembered until the peer
// acknowledges them.
const maxTransmissions = 1024

// drawing is what a line keeps for pictures.
type drawing struct {
	marks    []Mark
	dropped  int64
	acked    seq.Num // up to where the peer has acknowledged
	hasAcked bool
	sent     []transmission // the latest ones, a ring
	next     int            // index of the oldest
	unacked  []Mark         // what left the ring while it waited for its acknowledgement
}

// A transmission is a number that a frame of the side sent.
type transmission struct {
	frame   uint64
	num     seq.Num
	at      int64 // ns since 1970, by the capture's times
	mark    int   // one more than the index of the frame's mark, 0 where it has none
	waiting bool  // for an acknowledgement
}

// NewDrawing makes a timeline for pictures. Its intervals have the length that length gives
// for each connection, in ns; connections for which that is 0 are not drawn.
func NewDrawing(length func(c *session.Conn) int64, next session.Sink) *Timeline {
	t := over(next, func(c *session.Conn, at int64) (from, to int64) { return around(at, length(c)) })
	t.length = length
	return t
}

// spread gives the time at which a frame is drawn. Where a column is a nanosecond, frames that
// were captured at the same time get columns of their own.
func (t *Timeline) spread(c *session.Conn, x *lines, fr *dissect.Frame) int64 {
	at := fr.Stamp()
	if t.length == nil || t.length(c) != 1 {
		return at
	}
	switch {
	case at != x.moment:
		x.moment, x.same = at, 0
	case fr.Frame != x.frame:
		x.same++
	}
	x.frame = fr.Frame
	return at + x.same
}

// passes reports whether a connection is passed over, because no picture shows it.
func (t *Timeline) passes(c *session.Conn) bool { return t.length != nil && t.length(c) == 0 }

// picture gives what a picture shows of the interval, and makes it at the first call.
func (v *Interval) picture() *Drawn {
	if v.Drawn == nil {
		v.Drawn = new(Drawn)
	}
	return v.Drawn
}

// draw enters what a frame shows of a side. before is what the side had counted until then.
func (t *Timeline) draw(x *lines, fr *dissect.Frame, c *session.Conn, dir dissect.Dir, at int64, before measure.Values) {
	d, l := &c.Dir[dir], &x.dir[dir]
	if !d.IsOpen() || !x.started {
		return
	}
	if l.drawing == nil {
		l.drawing = new(drawing)
	}
	w := d.Window()
	if c.DirOf(fr.Datagram) != dir {
		t.drawAcks(c, l, fr, w, at)
		return
	}
	num, frame := w.Latest()
	sent := frame == fr.Frame
	if sent {
		v := t.interval(c, l, at).picture()
		v.Sent.add(int64(num))
		if v.Frame == 0 {
			v.Frame = fr.Frame
		}
		waiting := fr.Awaits && !fr.Unreliable
		if !waiting {
			v.Unreliable.add(int64(num))
		}
		l.drawing.keep(transmission{frame: frame, num: num, at: at, waiting: waiting})
	}
	m := Mark{Time: at, Number: num, Frame: fr.Frame}
	unneeded := max(0, l.told[measure.UnneededRetries]-before[measure.UnneededRetries])
	l.drawing.add(m, UnneededRetry, unneeded)
	l.drawing.add(m, NeededRetry, l.told[measure.Retries]-before[measure.Retries]-unneeded)
	if sent {
		l.drawing.link(fr.Frame)
	}
	if fr.Words&(dissect.Handshake|dissect.Close) != 0 {
		l.drawing.add(m, Closing, 1)
	}
}

// drawAcks enters what a frame of the peer acknowledges.
func (t *Timeline) drawAcks(c *session.Conn, l *line, fr *dissect.Frame, w *seq.Window, at int64) {
	g := l.drawing
	next, ok := w.Cumulative()
	if ok && (!g.hasAcked || next != g.acked) {
		g.acked, g.hasAcked = next, true
		t.interval(c, l, at).picture().Acked.add(int64(next))
	}
	for _, frame := range fr.Acks {
		p := g.transmissionOf(frame)
		if p == nil {
			continue
		}
		if !ok || p.num >= next {
			t.interval(c, l, at).picture().Sacked.add(int64(p.num))
		}
		if ns := at - p.at; ns > 0 {
			t.interval(c, l, p.at).picture().delayed(frame, ns)
			if p.mark > 0 {
				g.marks[p.mark-1].Delay = ns
			}
		}
		p.waiting = false
	}
}

// keep remembers a transmission. A frame that comes again replaces what it was before.
func (g *drawing) keep(p transmission) {
	switch {
	case len(g.sent) > 0 && g.latest().frame == p.frame:
		*g.latest() = p
	case len(g.sent) < maxTransmissions:
		g.sent = append(g.sent, p)
	default:
		g.leave(&g.sent[g.next])
		g.sent[g.next] = p
		g.next = (g.next + 1) % maxTransmissions
	}
}

func (g *drawing) latest() *transmission { return &g.sent[(g.next+len(g.sent)-1)%len(g.sent)] }

// leave notes a transmission that still waits for its acknowledgement when it leaves the ring.
func (g *drawing) leave(p *transmission) {
	if p.waiting && len(g.unacked) < MaxMarks {
		g.unacked = append(g.unacked, Mark{Time: p.at, Number: p.num, Frame: p.frame, N: 1})
	}
}

// link tells the latest transmission which mark its frame has, if it has one.
func (g *drawing) link(frame uint64) {
	if n := len(g.marks); n > 0 && g.marks[n-1].Frame == frame {
		g.latest().mark = n
	}
}

// transmissionOf gives what a frame sent, nil where that is not one of the latest.
func (g *drawing) transmissionOf(frame uint64) *transmission {
	for i := range g.sent {
		p := &g.sent[(g.next+len(g.sent)-1-i)%len(g.sent)]
		if p.frame == frame {
			return p
		}
		if p.frame < frame {
			return nil
		}
	}
	return nil
}

// Unacked gives what a side sent and asked an acknowledgement for that was not captured, in
// the order of time, once the run is over. Each transmission counts by itself.
func (t *Timeline) Unacked(c *session.Conn, dir dissect.Dir) []Mark {
	x := t.conns[c]
	if x == nil || x.dir[dir].drawing == nil {
		return nil
	}
	g := x.dir[dir].drawing
	for i := range g.sent {
		g.leave(&g.sent[(g.next+i)%len(g.sent)])
	}
	g.sent = nil
	return g.unacked
}

// add keeps a mark that stands for n units. A negative n takes so many retries back, the
// latest first.
func (g *drawing) add(m Mark, kind MarkKind, n int64) {
	if n > 0 {
		if m.Kind, m.N = kind, n; len(g.marks) < MaxMarks {
			g.marks = append(g.marks, m)
		} else {
			g.dropped += n
		}
	}
	for i := len(g.marks) - 1; i >= 0 && n < 0; i-- {
		if x := &g.marks[i]; x.Kind == NeededRetry || x.Kind == UnneededRetry {
			back := min(x.N, -n)
			x.N, n = x.N-back, n+back
		}
	}
}

// Marks gives the events of a side of a connection, once the run is over, and how many
// units more there were than are kept.
func (t *Timeline) Marks(c *session.Conn, dir dissect.Dir) (marks []Mark, dropped int64) {
	x := t.conns[c]
	if x == nil || x.dir[dir].drawing == nil {
		return nil, 0
	}
	g := x.dir[dir].drawing
	return slices.DeleteFunc(g.marks, func(m Mark) bool { return m.N == 0 }), g.dropped
}
