package compare

import (
	"cmp"
	"math"
	"slices"
	"sort"
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
	x  int64 // time of clock 1
	d  int64 // what clock 2 showed more: the offset and the delay, or the offset less the delay
	up bool  // it passed point 1 first
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
	from   [2]int32 // index of the first datagram at each point
	x0, x1 int64    // times of clock 1 at its ends
	offset float64  // at x0, ns: clock 2 minus clock 1
	drift  float64
	bound  float64  // half the distance of the hulls, ns; negative where the line does not fit
	pairs  [2]int64 // anchors that passed point 1 first, and point 2
	hull   [2]float64
}

// sided reports whether only one direction bounds the offset.
func (s *segment) sided() bool { return s.pairs[0] == 0 || s.pairs[1] == 0 }

// at is the offset at a time of clock 1, ns.
func (s *segment) at(x int64) int64 { return int64(math.Round(s.offset + s.drift*float64(x-s.x0))) }

// A step is a time at which one of the clocks was set.
type step struct {
	time   int64 // of clock 1, of the first datagram after it
	size   int64 // by which the offset changes, ns
	point  int   // whose clock it was, none where nothing tells
	frames [2]uint32
	small  bool // smaller than the bound: a route that changed looks alike
}

// clocks are both clocks on one axis.
type clocks struct {
	segments []segment
	steps    []step
	problem  string
	none     bool // a capture has no times
}

// readClocks finds what the clocks differ by.
func (p *pairing) readClocks() {
	k := &p.clocks
	all := p.samples()
	if len(all) == 0 {
		k.segments = []segment{{offset: float64(p.shift), bound: -1}}
		return
	}
	r := &clockReader{p: p, all: all}
	r.collect()
	cuts := r.cuts(0, len(r.buckets))
	slices.Sort(cuts)
	from := 0
	for _, c := range append(cuts, len(all)) {
		k.segments = append(k.segments, r.fit(all[from:c]))
		if from > 0 {
			k.steps = append(k.steps, r.step(from))
		}
		from = c
	}
	for i := range k.steps {
		s := &k.steps[i]
		a, b := &k.segments[i], &k.segments[i+1]
		s.size = b.at(s.time) - a.at(s.time)
		s.small = math.Abs(float64(s.size)) < max(a.bound, b.bound)
	}
	for i := range k.segments {
		s := &k.segments[i]
		if math.Abs(s.drift) > mostDrift || !s.sided() && s.bound < 0 {
			k.problem = "no line fits both clocks: offsets and delays are not to be trusted"
		}
	}
}

// samples are the anchors of all ways of which the first point is known.
func (p *pairing) samples() (all []int32) {
	c := p.c[0]
	for i := range c.list {
		d := &c.list[i]
		if d.bits&(anchor|timed) != anchor|timed {
			continue
		}
		w := p.wayAt(Point1, d)
		if y := &p.c[1].list[c.mate[i]]; w.first != none && y.bits&timed != 0 {
			all = append(all, int32(i))
		}
	}
	return all
}

// A clockReader looks at samples, by their indexes at point 1.
type clockReader struct {
	p       *pairing
	all     []int32
	buckets []bucket
}

// get gives a sample.
func (r *clockReader) get(at int32) sample {
	d := &r.p.c[0].list[at]
	return sample{d.time, r.p.delta(at), r.p.wayAt(Point1, d).first == Point1}
}

// collect puts samples into buckets.
func (r *clockReader) collect() {
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, i := range r.all {
		x := r.p.c[0].list[i].time
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

// A look is the smallest delays of both directions on one side of a place.
type look struct {
	up, down int64
	x        int64 // time of the nearest bucket
	ok       bool
}

// around is how many buckets with a direction a look takes, leastAround how many it needs.
const (
	around      = 6
	leastAround = 2
	farthest    = 60
)

// look looks from a bucket on, forward or backward, within a stretch.
func (r *clockReader) look(at, dir, from, to int, drift float64, x int64) (l look) {
	l = look{up: math.MaxInt64, down: math.MinInt64}
	n := [2]int{}
	for i, seen := at, 0; i >= from && i < to && seen < farthest && (n[0] < around || n[1] < around); i, seen = i+dir, seen+1 {
		b := &r.buckets[i]
		if seen == 0 {
			l.x = b.x
		}
		bent := int64(drift * float64(b.x-x))
		if b.n[0] > 0 && n[0] < around {
			l.up = min(l.up, b.up-bent)
			n[0]++
		}
		if b.n[1] > 0 && n[1] < around {
			l.down = max(l.down, b.down-bent)
			n[1]++
		}
	}
	l.ok = n[0] >= leastAround && n[1] >= leastAround
	return l
}

// shift is by how much both directions are moved between two looks, 0 where they are not
// moved alike.
func shift(a, b look) int64 {
	up, down := b.up-a.up, b.down-a.down
	if (up > 0) != (down > 0) || abs(up-down) > max(leastStep, max(abs(up), abs(down))/4) {
		return 0
	}
	if abs(up) < abs(down) {
		return up
	}
	return down
}

// cuts finds the samples at which a clock was set, within a stretch of buckets.
func (r *clockReader) cuts(from, to int) []int {
	if to-from < 2*leastAround {
		return nil
	}
	drift := r.usualDrift(from, to)
	best, most, noise := 0, int64(0), []int64{}
	type place struct{ left, right int }
	var found place
	for k := from; k+1 < to; k++ {
		for gap := 1; gap <= 2 && k+gap < to; gap++ {
			x := r.buckets[k].x
			a, b := r.look(k, -1, from, to, drift, x), r.look(k+gap, 1, from, to, drift, x)
			if !a.ok || !b.ok {
				continue
			}
			if gap == 1 {
				noise = append(noise, abs((a.up+a.down)/2-(b.up+b.down)/2))
			}
			s := abs(shift(a, b)) - int64(slack*math.Abs(float64(b.x-a.x)))
			if s > most {
				best, most, found = k, s, place{k, k + gap}
			}
		}
	}
	if most < max(int64(leastStep), stepNoise*median(noise)) {
		return nil
	}
	_ = best
	cut := r.exact(found.left, found.right, from, to, drift)
	mid := found.right
	return append(append(r.cuts(from, found.left+1), cut), r.cuts(mid, to)...)
}

// usualDrift is the median drift between looks some time apart.
func (r *clockReader) usualDrift(from, to int) float64 {
	var slopes []float64
	stride := max(1, (to-from)/200)
	for k := from; k < to; k += stride {
		far := k + max(10, (to-from)/10)
		if far >= to {
			break
		}
		a, b := r.look(k, 1, from, to, 0, 0), r.look(far, 1, from, to, 0, 0)
		if dx := b.x - a.x; a.ok && b.ok && abs(dx) > shortest {
			slopes = append(slopes, float64((b.up+b.down)/2-(a.up+a.down)/2)/float64(dx))
		}
	}
	if len(slopes) < 3 {
		return 0
	}
	slices.Sort(slopes)
	return max(-mostDrift, min(mostDrift, slopes[len(slopes)/2]))
}

// exact finds the sample before which the clock was set: where what comes before fits the
// smallest delays before best, and what comes after those after.
func (r *clockReader) exact(left, right, from, to int, drift float64) int {
	x := r.buckets[left].x
	a, b := r.look(max(left-1, from), -1, from, to, drift, x), r.look(min(right+1, to-1), 1, from, to, drift, x)
	if !a.ok || !b.ok {
		a, b = r.look(left, -1, from, to, drift, x), r.look(right, 1, from, to, drift, x)
	}
	lo, hi := int(r.buckets[max(left-1, from)].from), int(r.buckets[min(right+1, to-1)].to)
	misfit := func(i int, l look) float64 {
		s := r.get(r.all[i])
		d := s.d - int64(drift*float64(s.x-x))
		if s.up {
			return math.Min(math.Abs(float64(d-l.up)), math.Abs(float64(b.up-a.up)))
		}
		return math.Min(math.Abs(float64(d-l.down)), math.Abs(float64(b.down-a.down)))
	}
	sum := 0.0
	for i := lo; i < hi; i++ {
		sum += misfit(i, b)
	}
	best, at := sum, lo
	for i := lo; i < hi; i++ {
		sum += misfit(i, a) - misfit(i, b)
		if sum < best {
			best, at = sum, i+1
		}
	}
	return max(1, min(at, len(r.all)-1))
}

// step says where a clock was set, by the first sample after it.
func (r *clockReader) step(i int) step {
	c := r.p.c
	before, after := r.all[i-1], r.all[i]
	s := step{time: c[0].list[after].time, point: none, frames: [2]uint32{c[0].list[before].frame, c[0].list[after].frame}}
	if c[0].backward(before, after) {
		s.point = Point1
	} else if c[1].backward(c[0].mate[before], c[0].mate[after]) {
		s.point = Point2
	}
	return s
}

// setBack is by how much times run backward where a clock was set, ns: less is disorder of the
// capture.
const setBack = 1e6

// backward reports whether the times of a capture run backward near two of its datagrams.
func (c *Capture) backward(a, b int32) bool {
	const beside = 8
	from, to := max(min(a, b)-beside, 1), min(max(a, b)+beside, int32(len(c.list)-1))
	for i := from; i <= to; i++ {
		if c.list[i].time < c.list[i-1].time-setBack {
			return true
		}
	}
	return false
}

// fit lays the line through the middle between the hulls of a stretch.
func (r *clockReader) fit(list []int32) segment {
	s := segment{from: [2]int32{list[0], math.MaxInt32}, x0: r.get(list[0]).x, x1: r.get(list[len(list)-1]).x}
	for _, i := range list[:min(len(list), 16)] {
		s.from[1] = min(s.from[1], r.p.c[0].mate[i])
	}
	up, down := r.hulls(list, &s.pairs)
	gap := func(drift float64) (g, lo, hi float64) {
		hi, lo = math.Inf(1), math.Inf(-1)
		for _, p := range up {
			hi = min(hi, float64(p.d)-drift*float64(p.x-s.x0))
		}
		for _, p := range down {
			lo = max(lo, float64(p.d)-drift*float64(p.x-s.x0))
		}
		return hi - lo, lo, hi
	}
	switch {
	case s.pairs[0] == 0 || s.pairs[1] == 0:
		_, lo, hi := gap(0)
		s.hull, s.bound = [2]float64{lo, hi}, -1
		if s.offset = hi; s.pairs[0] == 0 {
			s.offset = lo
		}
		return s
	case abs(s.x1-s.x0) >= shortest:
		lo, hi := -4*mostDrift, 4*mostDrift
		for range 100 {
			a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
			ga, _, _ := gap(a)
			gb, _, _ := gap(b)
			if ga < gb {
				lo = a
			} else {
				hi = b
			}
		}
		s.drift = (lo + hi) / 2
	}
	g, lo, hi := gap(s.drift)
	s.hull = [2]float64{lo, hi}
	s.offset, s.bound = (lo+hi)/2, g/2
	return s
}

// hulls are the points of both directions that can touch a line, from below those that passed
// point 1 first, from above the others. Samples near in time are one, the one with the least delay.
func (r *clockReader) hulls(list []int32, pairs *[2]int64) (up, down []sample) {
	var least [2][]sample
	for _, i := range list {
		s, dir := r.get(i), 1
		if s.up {
			dir = 0
		} else {
			s.d = -s.d
		}
		pairs[dir]++
		l := least[dir]
		if n := len(l); n > 0 && abs(s.x-l[n-1].x) < bucketTime/10 {
			if s.d < l[n-1].d {
				l[n-1] = s
			}
			continue
		}
		least[dir] = append(l, s)
	}
	up, down = lowest(least[0]), lowest(least[1])
	for i := range down {
		down[i].d = -down[i].d
	}
	return up, down
}

// lowest is the lower hull of samples.
func lowest(chosen []sample) (hull []sample) {
	slices.SortStableFunc(chosen, func(a, b sample) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.d, b.d)) })
	for _, s := range chosen {
		for len(hull) >= 2 && !below3(&hull[len(hull)-2], &hull[len(hull)-1], &s) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, s)
	}
	return hull
}

// below3 reports whether the middle of three points lies below the line between the others.
func below3(a, m, b *sample) bool {
	return float64(m.d-a.d)*float64(b.x-a.x) < float64(b.d-a.d)*float64(m.x-a.x)
}

// place is that of the stretch that a datagram of a point lies in.
func (k *clocks) place(point int, i int32) int {
	n := len(k.segments)
	if n == 1 {
		return 0
	}
	return max(0, sort.Search(n, func(s int) bool { return k.segments[s].from[point] > i })-1)
}

// segment gives that stretch.
func (k *clocks) segment(point int, i int32) *segment { return &k.segments[k.place(point, i)] }

// to1 is a time of clock 2 on clock 1.
func (s *segment) to1(t2 int64) int64 {
	x := t2 - s.at(t2-int64(s.offset))
	return t2 - s.at(x)
}
