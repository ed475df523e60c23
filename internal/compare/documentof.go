package compare

import (
	"maps"
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

func (r *Comparison) point(at int, captures []any) *Point {
	c := r.p.c[at]
	x := &Point{Name: c.Name, Captures: captures, Near: r.near(at)}
	for i := range c.Infos {
		if c.Infos[i].HasDropped {
			n := c.Infos[i].Dropped
			if x.Dropped != nil {
				n += *x.Dropped
			}
			x.Dropped = &n
		}
	}
	x.Missed = uint64(r.p.missedBy(at))
	for _, u := range r.p.unseen {
		if u.fate == MissedByBoth {
			x.Missed++
		}
	}
	p := &r.p.poor[at]
	for i := range p.from {
		near := int32(max(0, c.indexAt(p.from[i])))
		x.Poor = append(x.Poor, Span{stamp(r.axis(at, near, p.from[i])), stamp(r.axis(at, near, p.to[i]))})
	}
	return x
}

// common is from when to when both captures listened, on the axis.
func (r *Comparison) common() (s span) {
	if r.p.clocks.none {
		return s
	}
	var from, to [2]int64
	for at, c := range r.p.c {
		from[at], to[at] = r.axis(at, 0, c.begins()), r.axis(at, int32(len(c.list)-1), c.ends())
	}
	return span{max(from[0], from[1]), min(to[0], to[1])}
}

// near says at whose side a point is: at that of who opens connections, or at the other.
func (r *Comparison) near(at int) string {
	votes := [2]int{}
	for _, x := range r.p.conns.all {
		l := r.p.lines[x.line]
		for dir := range l.dirs {
			if first := l.dirs[dir].first; first != none && x.side(dir) == 0 {
				votes[first]++
			}
		}
	}
	switch {
	case votes[at] > votes[1-at]:
		return "client"
	case votes[at] < votes[1-at]:
		return "server"
	}
	return ""
}

func (r *Comparison) clock() Clock {
	k := &r.p.clocks
	out := Clock{Reference: r.opts.Reference + 1, Segments: []Segment{}, Steps: []Step{}, Problem: k.problem}
	if k.none {
		out.Problem = "a capture has no times: clocks and delays are not known"
		return out
	}
	for i := range k.segments {
		s := &k.segments[i]
		if s.pairs[0]+s.pairs[1] == 0 {
			continue
		}
		out.Segments = append(out.Segments, r.segment(s))
	}
	for _, s := range k.steps {
		size := s.size
		if r.p.canon == Point2 {
			size = -size
		}
		out.Steps = append(out.Steps, Step{stamp(r.axis(Point1, s.at, r.p.c[0].list[s.at].time)), millis(size), s.point + 1, s.frames})
	}
	return out
}

// segment is the record of a segment, on clock 1 and for clock 2.
func (r *Comparison) segment(s *segment) Segment {
	sign, from, to, pairs := 1.0, s.x0, s.x1, s.pairs
	if r.p.canon == Point2 {
		sign, from, to, pairs = -1, s.x0+s.at(s.x0), s.x1+s.at(s.x1), [2]int64{s.pairs[1], s.pairs[0]}
	}
	o, b := millis(int64(math.Round(sign*s.offset))), millis(int64(s.bound))
	x := Segment{From: stamp(from), To: stamp(to), Drift: math.Round(sign*s.drift*1e9) / 1e3, Pairs: pairs}
	if x.Drift == 0 {
		x.Drift = 0 // no -0
	}
	switch {
	case s.bounds():
		x.Offset, x.Bound = &o, &b
	case s.misfit():
		x.Drift = 0
	case pairs[0] > 0:
		x.AtMost = &o
	default:
		x.AtLeast = &o
	}
	return x
}

// mappings are the address pairs that differ between the points.
func (r *Comparison) mappings() []Mapping {
	out := []Mapping{}
	votes := map[[2]int32]uint64{} // datagrams that address pairs share
	for k, v := range r.p.votes2 {
		votes[[2]int32{r.p.c[0].flows[k[0]].pair, r.p.c[1].flows[k[1]].pair}] += uint64(v)
	}
	for _, m := range r.p.nat {
		x, y := r.p.c[0].pairs[m.pairs[0]], r.p.c[1].pairs[m.pairs[1]]
		a, b := [2]string{x.lo.String(), x.hi.String()}, [2]string{y.lo.String(), y.hi.String()}
		if m.swaps {
			b[0], b[1] = b[1], b[0]
		}
		var from, to int64
		for _, i := range r.p.flowsOfPair(1, m.pairs[1]) {
			list := r.p.byFlow[1][i]
			if len(list) == 0 {
				continue
			}
			t0, t1 := r.axis(1, list[0], r.p.c[1].list[list[0]].time), r.axis(1, list[len(list)-1], r.p.c[1].list[list[len(list)-1]].time)
			if from == 0 || t0 < from {
				from = t0
			}
			to = max(to, t1)
		}
		for side := range a {
			if a[side] != b[side] {
				out = append(out, Mapping{a[side], b[side], stamp(from), stamp(to), votes[m.pairs]})
			}
		}
	}
	return out
}

func (r *Comparison) connection(s *sum) Connection {
	x := Connection{ID: s.conn.id, Directions: map[string]*Direction{}, Contributing: []Contribution{}}
	for at := range r.p.c {
		x.At[at] = r.at(s.conn, at)
		if c := r.p.main(s.conn, at); c != nil && x.Protocol == "" {
			x.Protocol = c.Protocol.Name
		}
	}
	for dir := range s.dirs {
		x.Directions["ab"[dir:dir+1]] = r.direction(s.conn, dissect.Dir(dir), &s.dirs[dir])
	}
	r.tell(&x, s)
	x.ICMP = r.icmp(s.conn)
	r.judge(&x, s)
	return x
}

// at is a connection as one point has it, nil where it has nothing of it.
func (r *Comparison) at(k *conn, at int) *At {
	if k.frames[at][0] == 0 {
		return nil
	}
	x := &At{FirstFrame: k.frames[at][0], LastFrame: k.frames[at][1]}
	if c := r.p.main(k, at); c != nil {
		x.Connection = &c.ID
	}
	for _, i := range r.p.conns.flowsOf(at, k) {
		f := &r.p.c[at].flows[i]
		if r.p.main(k, at) != nil && f.conn == none {
			continue
		}
		if m := r.p.main(k, at); m != nil && r.p.c[at].Conns[f.conn] != m {
			continue
		}
		if x.A, x.B = f.src.String(), f.dst.String(); k.side(int(r.p.conns.dirs[at][i])) == 1 {
			x.A, x.B = x.B, x.A
		}
		break
	}
	return x
}

func (r *Comparison) direction(k *conn, dir dissect.Dir, d *dirSum) *Direction {
	x := &Direction{Fates: named(&d.fates), Copies: d.copies, Altered: d.altered, Reordered: d.reordered}
	l := r.p.lines[k.line]
	way := int(dir)
	if k.flip {
		way = 1 - way
	}
	if f := l.dirs[way].first; f != none {
		x.First = f + 1
	}
	if len(d.delays) > 0 {
		delays, queues := d.spreads(d.delays, d.parts)
		if d.truly {
			x.OneWay = r.oneWay(len(d.delays), delays)
		}
		x.Queue = queueOf(d, queues)
	}
	for _, n := range r.runs(k, way) {
		x.Losses = append(x.Losses, Loss{stamp(n.from), stamp(n.to), n.datagrams, n.frames})
	}
	x.Intervals = r.intervals(d)
	return x
}

// spreads are those of some delays of a side, and of what they are more than the least of their segment. The delays
// are changed.
func (d *dirSum) spreads(delays []int64, parts []int32) (whole, above spread) {
	if parts == nil {
		whole = spreadOf(delays)
		return whole, whole.above(d.slowest[0].least)
	}
	whole = spreadOf(slices.Clone(delays)) // which leaves no order
	return whole, spreadOf(queues(delays, parts, d.slowest))
}

// queueOf is by how much the delays of a side are more than the least, and where they were
// longest.
func queueOf(d *dirSum, q spread) *Queue {
	var worst slowest
	for _, z := range d.slowest {
		if z.most >= z.least && z.most-z.least >= worst.most-worst.least {
			worst = z
		}
	}
	return &Queue{millis(q.p50), millis(q.p95), millis(q.most), stamp(worst.time), worst.frames[0], worst.frames[1]}
}

// intervals are what a side sent over time.
func (r *Comparison) intervals(d *dirSum) (out []Interval) {
	for _, at := range slices.Sorted(maps.Keys(d.intervals)) {
		v := d.intervals[at]
		x := Interval{From: stamp(at * r.opts.Interval), To: stamp((at + 1) * r.opts.Interval), Sent: v.sent, Delivered: v.delivered, Lost: v.lost, Copies: v.copies, Reordered: v.reordered}
		if len(v.delays) > 0 {
			delays, queues := d.spreads(v.delays, v.parts)
			if d.truly {
				x.OneWay = r.oneWay(len(v.delays), delays)
			}
			x.Queue = &Queue3{millis(queues.p50), millis(queues.p95), millis(queues.most)}
		}
		out = append(out, x)
	}
	return out
}

func (r *Comparison) oneWay(n int, s spread) *OneWay {
	return &OneWay{n, millis(s.least), millis(s.p50), millis(s.p95), millis(s.most), millis(r.p.clocks.bound())}
}

// bound is the widest bound of the offsets.
func (k *clocks) bound() (ns int64) {
	for i := range k.segments {
		ns = max(ns, int64(k.segments[i].bound))
	}
	return ns
}

// names are what the sides of a connection are called.
func (r *Comparison) names(k *conn, at [2]*At) (names [2]string) {
	for point := range at {
		c := r.p.main(k, point)
		if c == nil {
			continue
		}
		for dir := range dissect.Dirs {
			side := dir
			if at[point] != nil && c.A.String() != at[point].A {
				side = dir.Other()
			}
			if names[side] == "" {
				names[side] = role(c, dir)
			}
		}
	}
	for side := range names {
		if names[side] == "" {
			for _, x := range at {
				if x != nil && names[side] == "" {
					names[side] = []string{x.A, x.B}[side]
				}
			}
		}
	}
	return names
}

// role is what people call a side with a role.
func role(c *session.Conn, dir dissect.Dir) string {
	switch c.Roles[dir] {
	case "":
		return ""
	case c.Protocol.Client:
		return "player"
	}
	return "server"
}
