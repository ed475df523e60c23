package compare

import (
	"cmp"
	"math"
	"slices"
)

// Bounds of what is said of clocks.
const (
	bucketTime  = 100e6  // of which the least delays are kept, ns
	mostBuckets = 20_000 // they become longer in longer captures
	leastStep   = 3e6    // ns
	stepNoise   = 6      // times the usual difference between neighbours
	mostDrift   = 500e-6 // of a clock; what drifts more steps
	slack       = 100e-6 // drift that a pause may hide
	shortest    = 2e9    // time over which a drift shows, ns
)

// A sample is an anchor, by what it says of the clocks.
type sample struct {
	x  int64 // time of the chosen clock
	d  int64 // what the other clock showed more: the offset and the delay, or the offset less the delay
	up bool  // it passed the chosen point first
}

// A bucket is samples near in time, of which the smallest delays count.
type bucket struct {
	x        int64
	up, down int64 // least of those that passed point 1 first, most of the others
	n        [2]int32
	from, to int32 // indexes of samples
}

// A segment is a stretch between two steps of the clocks.
type segment struct {
	x0, x1 int64   // times of the chosen clock at its ends
	offset float64 // at x0, ns: clock 2 minus clock 1
	drift  float64
	bound  float64  // half the distance of the hulls, ns; negative where the line does not fit
	pairs  [2]int64 // anchors that passed the chosen point first, and the other
	hull   [2]float64
}

// sided reports whether only one direction bounds the offset.
func (s *segment) sided() bool { return s.pairs[0] == 0 || s.pairs[1] == 0 }

// misfit reports whether no clocks go so: their line contradicts what it is laid through, or drifts as no clock does.
func (s *segment) misfit() bool {
	return !s.sided() && (s.bound < 0 || math.Abs(s.drift) > mostDrift)
}

// bounds reports whether the offset and its bound are known.
func (s *segment) bounds() bool { return !s.sided() && !s.misfit() }

// at is the offset at a time of the chosen clock, ns.
func (s *segment) at(x int64) int64 { return int64(math.Round(s.offset + s.drift*float64(x-s.x0))) }

// clocks are both clocks on one axis.
type clocks struct {
	segments []segment
	cuts     []cut
	steps    []step
	problem  string
	none     bool // a capture has no times
}

// readClocks finds what the clocks differ by.
func (p *pairing) readClocks() {
	k := &p.clocks
	r := p.clockReader()
	if len(r.all) == 0 {
		k.segments = []segment{{offset: p.usual(), bound: -1}}
		return
	}
	r.collect()
	r.cutAll()
	r.shareDrift()
	r.spanAll()
	for i := range k.cuts {
		k.steps = append(k.steps, r.step(&k.cuts[i]))
	}
	for i := range k.steps {
		s := &k.steps[i]
		a, b := &k.segments[i], &k.segments[i+1]
		s.size = b.at(s.x) - a.at(s.x)
		s.small = math.Abs(float64(s.size)) < max(a.bound, b.bound)
	}
	if !fitting(k.segments) {
		k.problem = "no line fits both clocks: offsets and delays are not to be trusted"
	}
}

// Which directions show a step.
const (
	bothWays = iota
	upAlone
	downAlone
)

// fitAll lays a line through each stretch between cuts.
func (r *clockReader) fitAll() (out []segment) {
	k := &r.p.clocks
	slices.SortFunc(k.cuts, func(a, b cut) int { return int(a.at[r.p.canon] - b.at[r.p.canon]) })
	for _, list := range r.parts() {
		out = append(out, r.fit(list))
	}
	return out
}

// parts are the samples of each stretch between cuts.
func (r *clockReader) parts() [][]int32 {
	k := &r.p.clocks
	parts := make([][]int32, len(k.cuts)+1)
	if len(k.cuts) == 0 {
		parts[0] = r.all
		return parts
	}
	for _, i := range r.all {
		n := k.place(r.p.both(i))
		parts[n] = append(parts[n], i)
	}
	return parts
}

// usual is about what the other clock shows more than the chosen one.
func (p *pairing) usual() float64 {
	if p.canon == Point2 {
		return -float64(p.shift)
	}
	return float64(p.shift)
}

// choose chooses the capture by whose clock the other is told, by what it holds: the order of the files
// must not matter.
func (p *pairing) choose() {
	a, b := p.c[0], p.c[1]
	if cmp.Or(cmp.Compare(len(a.list), len(b.list)), cmp.Compare(a.last-a.first, b.last-b.first), cmp.Compare(a.first, b.first)) > 0 {
		p.canon = Point2
	}
}

// both are the indexes at both points of a datagram of the chosen one.
func (p *pairing) both(i int32) (at [2]int32) {
	at[p.canon], at[1-p.canon] = i, p.c[p.canon].mate[i]
	return at
}

// A clockReader looks at samples, by their indexes in the chosen capture.
type clockReader struct {
	p       *pairing
	all     []int32 // anchors of ways of which the first point is known
	buckets []bucket
	by      int // bothWays, upAlone or downAlone

	mine, others []datagram // of the chosen point and the other one
	mate         []int32
	firsts       []int // the first point of each flow of the chosen one
}

// clockReader takes the anchors as samples.
func (p *pairing) clockReader() *clockReader {
	c := p.c[p.canon]
	r := &clockReader{p: p, mine: c.list, others: p.c[1-p.canon].list, mate: c.mate}
	for _, w := range p.waysOf[p.canon] {
		r.firsts = append(r.firsts, w.first)
	}
	for i := range r.mine {
		if r.mine[i].bits&anchor != 0 && r.tells(int32(i)) {
			r.all = append(r.all, int32(i))
		}
	}
	return r
}

// tells reports whether a datagram of the chosen point tells what the clocks differ by.
func (r *clockReader) tells(i int32) bool {
	d, m := &r.mine[i], r.mate[i]
	return m != none && d.bits&(copied|timed) == timed && r.others[m].bits&timed != 0 && r.firsts[d.flow] != none
}

// get gives a sample.
func (r *clockReader) get(at int32) sample {
	d := &r.mine[at]
	return sample{d.time, r.others[r.mate[at]].time - d.time, r.firsts[d.flow] == r.p.canon}
}

// collect puts samples into buckets.
func (r *clockReader) collect() {
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, i := range r.all {
		x := r.mine[i].time
		lo, hi = min(lo, x), max(hi, x)
	}
	length := max(int64(bucketTime), (hi-lo)/mostBuckets)
	var b *bucket
	for i := range r.all {
		s := r.get(r.all[i])
		if b == nil || s.x < b.x-length/2 || s.x >= b.x+length {
			r.buckets = append(r.buckets, bucket{x: s.x, up: math.MaxInt64, down: math.MinInt64, from: int32(i)})
			b = &r.buckets[len(r.buckets)-1]
		}
		if b.to = int32(i + 1); s.up {
			b.up = min(b.up, s.d)
			b.n[0]++
		} else {
			b.down = max(b.down, s.d)
			b.n[1]++
		}
	}
}

// A look takes the nearest buckets that have a direction: around of them, and at least leastAround. About a step there
// are up to mixed buckets in which one direction shows the new time and the other, still on its way, the old one.
const (
	mixed       = 4
	around      = 6
	leastAround = 2
	farthest    = 60
)

// setBack is by how much times run backward where a clock was set, ns: less is disorder of the
// capture.
const setBack = 1e6

// place is that of the stretch that a datagram lies in, by its indexes at both points.
func (k *clocks) place(at [2]int32) (n int) {
	for i := range k.cuts {
		if k.cuts[i].after(at) {
			n = i + 1
		}
	}
	return n
}

// segment gives that stretch, of a datagram of a point.
func (p *pairing) segment(point int, i int32) *segment {
	k := &p.clocks
	if len(k.cuts) == 0 {
		return &k.segments[0]
	}
	at := [2]int32{i, i}
	if c := p.c[point]; int(i) < len(c.list) && i >= 0 && c.list[i].bits&copied == 0 {
		at[1-point] = c.mate[i]
	} else {
		at[1-point] = none
	}
	return &k.segments[k.place(at)]
}

// toChosen is a time of the other clock on the chosen one.
func (s *segment) toChosen(t int64) int64 {
	x := t - s.at(t-int64(s.offset))
	return t - s.at(x)
}

// convert is a time of a datagram of a point on the other point's clock.
func (p *pairing) convert(point int, i int32, t int64) int64 {
	s := p.segment(point, i)
	if point == p.canon {
		return t + s.at(t)
	}
	return s.toChosen(t)
}
