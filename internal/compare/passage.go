package compare

import (
	"math"

	"github.com/dpdissect/dpdissect/dissect"
)

// A passage is one datagram with what became of it.
type passage struct {
	at     [2]int32 // index at each point, none
	fate   Fate
	conn   *conn // nil for other UDP
	dir    int   // of its line
	way    *way
	time   int64 // on the axis, ns since 1970
	part   int   // segment of the clocks
	delay  int64 // ns; see Timed
	timed  bool  // it has a delay
	truly  bool  // and not only a queue
	lost   *unseen
	beyond *beyond // it is past what is compared
}

// A span is from when until when passages are shown, on the axis.
type span struct{ from, to int64 }

func always() span { return span{math.MinInt64, math.MaxInt64} }

// axis is a time of a datagram on the axis.
func (r *Comparison) axis(at int, i int32, t int64) int64 {
	if r.p.clocks.none {
		return r.untimed(at, i, t)
	}
	if at == r.opts.Reference {
		return t
	}
	return r.p.convert(at, i, t)
}

// untimed is a time on the axis where a capture has none: that of the latest datagram that both
// have.
func (r *Comparison) untimed(at int, i int32, t int64) int64 {
	c, other := r.p.c[at], r.p.c[1-at]
	if c.hasTime {
		return t
	}
	for i = min(i, int32(len(c.list)-1)); i >= 0 && other.hasTime; i-- {
		if c.mate[i] != none && c.list[i].bits&copied == 0 {
			return other.list[c.mate[i]].time
		}
	}
	return other.first
}

// fill makes the passage of a datagram of a point.
func (r *Comparison) fill(x *passage, at int, i int32) {
	if r.locate(x, at, i); x.fate == Delivered {
		r.measure(x)
	}
}

// locate makes it without its delay.
func (r *Comparison) locate(x *passage, at int, i int32) {
	p := r.p
	c := p.c[at]
	d := &c.list[i]
	*x = passage{fate: c.fate[i], dir: int(p.conns.dirs[at][d.flow]), way: p.wayAt(at, d)}
	x.at[at], x.at[1-at] = i, c.mate[i]
	if x.fate == Delivered { // its first point tells when, if one is known
		if at = x.way.first; at == none {
			at = p.canon
		}
		i = x.at[at]
		d = &p.c[at].list[i]
	}
	k := p.conns.byFlow[at][d.flow] // that of its first point goes first
	if n := x.at[1-at]; k == none && n != none {
		k = p.conns.byFlow[1-at][p.c[1-at].list[n].flow]
	}
	if k != none {
		x.conn = p.conns.all[k]
	}
	if len(p.clocks.cuts) > 0 {
		x.part = p.clocks.place(x.at)
	}
	if x.time = d.time; at != r.opts.Reference || p.clocks.none {
		x.time = r.axis(at, i, d.time)
	}
}

// measure finds the delay of a datagram that both points have.
func (r *Comparison) measure(x *passage) {
	p := r.p
	a, b := &p.c[0].list[x.at[0]], &p.c[1].list[x.at[1]]
	if x.way.first == none || a.bits&b.bits&timed == 0 || p.clocks.none {
		return
	}
	s := &p.clocks.segments[x.part]
	if p.canon == Point2 {
		a, b = b, a
	}
	if x.delay = b.time - a.time - s.at(a.time); x.way.first != p.canon {
		x.delay = -x.delay
	}
	x.timed, x.truly = true, s.bounds()
}

// each calls f with every passage: those that are compared, and those past them. A passage is
// valid during the call only.
func (r *Comparison) each(f func(x *passage)) {
	r.eachCompared(f)
	if r.p.windowed() {
		r.eachBeyond(f)
	}
}

// eachCompared calls f with those of point 1, what point 2 alone has, and what neither has.
func (r *Comparison) eachCompared(f func(x *passage)) {
	var x passage
	for at, c := range r.p.c {
		for i := range c.list {
			if c.list[i].bits&copied != 0 || at == Point2 && c.mate[i] != none {
				continue
			}
			r.fill(&x, at, int32(i))
			f(&x)
		}
	}
	for i := range r.p.unseen {
		if r.unseen(&x, &r.p.unseen[i]) {
			f(&x)
		}
	}
}

// unseen makes the passage of what neither point has.
func (r *Comparison) unseen(x *passage, u *unseen) bool {
	c := r.p.c[u.point]
	i, ok := r.p.flowOf(u.point, u.conn)
	if !ok {
		return false
	}
	near := int32(max(0, c.indexAt(u.time)))
	*x = passage{at: [2]int32{none, none}, fate: u.fate, dir: int(r.p.conns.dirs[u.point][i]), way: r.p.waysOf[u.point][i], time: r.axis(u.point, near, u.time), lost: u}
	x.conn = r.p.conns.all[r.p.conns.byFlow[u.point][i]]
	return true
}

// flowOf is the first flow of a side of a connection at a point.
func (p *pairing) flowOf(at int, side numbersOf) (i int, ok bool) {
	if p.firstFlow[at] == nil {
		p.firstFlow[at] = map[numbersOf]int{}
		for i := len(p.c[at].flows) - 1; i >= 0; i-- {
			p.firstFlow[at][p.c[at].sideOf(uint32(i))] = i
		}
	}
	i, ok = p.firstFlow[at][side]
	return i, ok && side.conn != nil
}

// indexAt is the place of the latest datagram that is not after a time, where times do not run
// backward.
func (c *Capture) indexAt(t int64) int {
	lo, hi := 0, len(c.list)
	for lo < hi {
		if m := (lo + hi) / 2; c.list[m].time <= t {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo - 1
}

// A place is a passage in the order of the axis.
type place struct {
	time  int64
	point int8 // 2 for what neither has
	at    int32
}

// direction is the side that sent a passage, and whether it is of a connection.
func (x *passage) direction() (dissect.Dir, bool) {
	if x.conn == nil {
		return 0, false
	}
	return x.conn.side(x.dir), true
}

// shows reports whether a passage is among those asked for.
func (r *Comparison) shows(x *passage) bool {
	if x.time < r.opts.Span.from || x.time >= r.opts.Span.to {
		return false
	}
	if x.conn == nil {
		return !r.opts.some
	}
	return x.conn.shown
}
