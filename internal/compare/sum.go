package compare

import "math"

// A sum is what the passages of a connection add up to.
type sum struct {
	conn *conn
	dirs [2]dirSum
}

// A dirSum is that of one side.
type dirSum struct {
	fates     [fates]uint64
	copies    uint64
	altered   uint64
	reordered uint64
	truly     bool      // delays are true but for the bound
	delays    []int64   // of what both points have, ns
	parts     []int32   // the segment of the clocks of each, nil where there is one
	slowest   []slowest // of each segment
	intervals map[int64]*interval
}

// slowest is what a side's delays were at least in a segment, and the longest of them.
type slowest struct {
	least, most int64
	time        int64
	frames      [2]uint32
}

// An interval is what a side sent in a stretch of time.
type interval struct {
	sent, delivered, lost, copies, reordered uint64
	delays                                   []int64
	parts                                    []int32
}

// A run is datagrams lost one after the other.
type run struct {
	from, to  int64
	datagrams uint64
	frames    []uint32
}

// mostRunFrames is how many frames of a run are named.
const mostRunFrames = 5

// add adds a passage.
func (r *Comparison) add(d *dirSum, x *passage) {
	d.fates[x.fate]++
	copies, late := r.copiesOn(x), false
	d.copies += copies
	if i := x.at[0]; i != none && x.fate == Delivered {
		b := r.p.c[0].list[i].bits
		if b&altered != 0 {
			d.altered++
		}
		if late = b&reordered != 0; late {
			d.reordered++
		}
	}
	var v *interval
	if r.opts.Interval > 0 {
		v = d.interval(x.time / r.opts.Interval)
		v.sent++
		v.copies += copies
		switch x.fate {
		case Delivered:
			v.delivered++
		case LostBetween:
			v.lost++
		}
		if late {
			v.reordered++
		}
	}
	if !x.timed {
		return
	}
	for len(d.slowest) <= x.part {
		d.slowest = append(d.slowest, slowest{least: math.MaxInt64, most: math.MinInt64})
	}
	z := &d.slowest[x.part]
	if z.least = min(z.least, x.delay); x.delay > z.most {
		z.most, z.time, z.frames = x.delay, x.time, r.frames(x)
	}
	d.truly = x.truly && (d.truly || len(d.delays) == 0)
	if d.delays == nil {
		d.delays = make([]int64, 0, min(len(x.way.lists[0]), len(x.way.lists[1])))
	}
	several := len(r.p.clocks.segments) > 1
	d.delays, d.parts = append(d.delays, x.delay), x.partIf(several, d.parts)
	if v != nil {
		v.delays, v.parts = append(v.delays, x.delay), x.partIf(several, v.parts)
	}
}

// partIf adds the segment of a passage to a list, where there are several.
func (x *passage) partIf(several bool, list []int32) []int32 {
	if !several {
		return list
	}
	return append(list, int32(x.part))
}

func (d *dirSum) interval(at int64) *interval {
	if d.intervals == nil {
		d.intervals = map[int64]*interval{}
	}
	v := d.intervals[at]
	if v == nil {
		v = &interval{}
		d.intervals[at] = v
	}
	return v
}

// copiesOn counts the further frames that the second point has more than the first.
func (r *Comparison) copiesOn(x *passage) uint64 {
	f := x.way.first
	if x.fate != Delivered || f == none || len(r.p.copies[1-f]) == 0 {
		return 0
	}
	return uint64(max(0, len(r.p.copies[1-f][x.at[1-f]])-len(r.p.copies[f][x.at[f]])))
}

// sum adds up what is shown.
func (r *Comparison) sum() (other dirSum) {
	r.sums = make([]*sum, len(r.p.conns.all))
	for i, x := range r.p.conns.all {
		r.sums[i] = &sum{conn: x}
	}
	r.other = map[[2]int32]bool{}
	r.each(func(x *passage) {
		if !r.shows(x) {
			return
		}
		if dir, ok := x.direction(); ok {
			r.add(&r.sums[x.conn.id].dirs[dir], x)
			return
		}
		other.fates[x.fate]++
		r.other[r.otherWay(x)] = true
	})
	return other
}

// otherWay names the direction of a line that a passage of other UDP is of.
func (r *Comparison) otherWay(x *passage) [2]int32 {
	for at, i := range x.at {
		if i != none {
			c := r.p.c[at]
			return [2]int32{r.p.of[at][c.flows[c.list[i].flow].pair].line, int32(x.dir)}
		}
	}
	return [2]int32{none, none}
}

// frames are those of a passage at both points, 0 for none.
func (r *Comparison) frames(x *passage) (f [2]uint32) {
	for at, i := range x.at {
		if i != none {
			f[at] = r.p.c[at].list[i].frame
		}
	}
	return f
}

// runs are the losses of a side without anything delivered between them, in the order of the
// first point.
func (r *Comparison) runs(k *conn, dir int) (out []run) {
	w := &r.p.lines[k.line].dirs[dir]
	if w.first == none {
		return nil
	}
	c, open := r.p.c[w.first], false
	var x passage
	for _, i := range w.lists[w.first] {
		if c.fate[i] != LostBetween {
			open = open && c.fate[i] != Delivered
			continue
		}
		if r.fill(&x, w.first, i); x.conn != k || !r.shows(&x) {
			continue
		}
		if !open {
			out, open = append(out, run{from: x.time}), true
		}
		n := &out[len(out)-1]
		n.to = x.time
		if n.datagrams++; len(n.frames) < mostRunFrames {
			n.frames = append(n.frames, c.list[i].frame)
		}
	}
	return out
}

// queues makes delays what they are more than the least of their segment. The delays are
// changed.
func queues(delays []int64, parts []int32, of []slowest) []int64 {
	for i := range delays {
		delays[i] -= of[parts[i]].least
	}
	return delays
}

// total counts the datagrams that a side sent, as far as is known.
func (d *dirSum) total() (n uint64) {
	for _, f := range d.fates {
		n += f
	}
	return n
}

// nth puts the element that belongs at a place of the sorted list there, and gives it.
func nth(list []int64, n int) int64 {
	lo, hi := 0, len(list)-1
	for lo < hi {
		pivot := list[lo+(hi-lo)/2]
		i, k := lo, hi
		for i <= k {
			for list[i] < pivot {
				i++
			}
			for list[k] > pivot {
				k--
			}
			if i <= k {
				list[i], list[k] = list[k], list[i]
				i, k = i+1, k-1
			}
		}
		switch {
		case n <= k:
			hi = k
		case n >= i:
			lo = i
		default:
			return list[n]
		}
	}
	return list[n]
}

// A spread is the ends of a list, its median and its 95th percentile.
type spread struct{ least, p50, p95, most int64 }

// spreadOf is that of a list, which has another order then.
func spreadOf(list []int64) (s spread) {
	n := len(list)
	s.least, s.most = list[0], list[0]
	for _, x := range list {
		s.least, s.most = min(s.least, x), max(s.most, x)
	}
	half := (n - 1) / 2
	s.p50 = nth(list, half)
	s.p95 = nth(list[half:], (n*95+99)/100-1-half) // what is more than the median lies after it
	return s
}

// above is a spread of what is so much less.
func (s spread) above(least int64) spread {
	return spread{s.least - least, s.p50 - least, s.p95 - least, s.most - least}
}
