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
	x0, x1 int64   // times of clock 1 at its ends
	offset float64 // at x0, ns: clock 2 minus clock 1
	drift  float64
	bound  float64  // half the distance of the hulls, ns; negative where the line does not fit
	pairs  [2]int64 // anchors that passed the chosen point first, and the other
	hull   [2]float64
}

// sided reports whether only one direction bounds the offset.
func (s *segment) sided() bool { return s.pairs[0] == 0 || s.pairs[1] == 0 }

// at is the offset at a time of the chosen clock, ns.
func (s *segment) at(x int64) int64 { return int64(math.Round(s.offset + s.drift*float64(x-s.x0))) }

// A step is a time at which one of the clocks was set.
type step struct {
	at     int32 // index of the first datagram after it at point 1
	x      int64 // when it was, by the chosen clock
	size   int64 // by which the offset changes, ns
	point  int   // whose clock it was, none where nothing tells
	frames [2]uint32
	small  bool // smaller than the bound: a route that changed looks alike
}

// A cut is where a clock was set, by the order of the datagrams at the point whose clock it was: what was
// on its way then has the old time of one clock and the new one of the other.
type cut struct {
	point int      // in whose order it is exact
	known bool     // it was that clock
	at    [2]int32 // index of the first datagram after it at each point
}

// after reports whether a datagram with these indexes, none where a point lacks it, comes after it.
func (c *cut) after(at [2]int32) bool {
	if i := at[c.point]; i != none {
		return i >= c.at[c.point]
	}
	return at[1-c.point] >= c.at[1-c.point]
}

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
	all := p.samples()
	if len(all) == 0 {
		k.segments = []segment{{offset: p.usual(), bound: -1}}
		return
	}
	r := &clockReader{p: p, all: all}
	r.collect()
	r.cutAll()
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

// cutAll finds all cuts: where both directions are moved alike, where a time runs backward, and
// where no line fits then, by the direction that shows fewer, as beside a queue.
func (r *clockReader) cutAll() {
	k := &r.p.clocks
	k.cuts = r.cuts(0, len(r.buckets))
	for k.segments = r.fitAll(); !fitting(k.segments) && r.cutBack(); {
	}
	if !fitting(k.segments) {
		was, segments, found := k.cuts, k.segments, false
		for _, by := range []int{upAlone, downAlone} {
			r.by = by
			k.cuts = r.cuts(0, len(r.buckets))
			if list := r.fitAll(); fitting(list) && (!found || len(k.cuts) < len(was)) {
				was, segments, found = k.cuts, list, true
			}
		}
		k.cuts, k.segments = was, segments
	}
	r.prune()
}

// prune drops cuts that no line needs.
func (r *clockReader) prune() {
	k := &r.p.clocks
	for i := 0; i < len(k.cuts); {
		was := k.cuts
		least := math.Inf(1)
		for _, s := range k.segments[i : i+2] {
			if !s.sided() {
				least = min(least, s.bound)
			}
		}
		k.cuts = slices.Delete(slices.Clone(was), i, i+1)
		if list := r.fitAll(); fitting(list) && !math.IsInf(least, 1) && list[i].bound >= 0.9*least {
			k.segments = list
			continue
		}
		k.cuts = was
		i++
	}
}

// Which directions show a step.
const (
	bothWays = iota
	upAlone
	downAlone
)

// fitting reports whether all lines fit.
func fitting(list []segment) bool {
	return !slices.ContainsFunc(list, func(s segment) bool {
		return !s.sided() && (s.bound < 0 || math.Abs(s.drift) > mostDrift)
	})
}

// fitAll lays a line through each stretch between cuts.
func (r *clockReader) fitAll() (out []segment) {
	k := &r.p.clocks
	slices.SortFunc(k.cuts, func(a, b cut) int { return int(a.at[r.p.canon] - b.at[r.p.canon]) })
	parts := make([][]int32, len(k.cuts)+1)
	parts[0] = r.all
	if len(k.cuts) > 0 {
		parts[0] = nil
		for _, i := range r.all {
			n := k.place(r.p.both(i))
			parts[n] = append(parts[n], i)
		}
	}
	for _, list := range parts {
		out = append(out, r.fit(list))
	}
	return out
}

// cutBack cuts where a time runs backward, if lines fit better then: too little is around it to
// see the step.
func (r *clockReader) cutBack() bool {
	k := &r.p.clocks
	worst := func(list []segment) (w float64) {
		for i := range list {
			if s := &list[i]; !s.sided() {
				w = min(w, s.bound, (mostDrift-math.Abs(s.drift))*1e12)
			}
		}
		return w
	}
	was, best := k.cuts, worst(k.segments)
	for point, c := range r.p.c {
		for i := int32(0); ; {
			i = c.backward(i, int32(len(c.list)), leastStep)
			if i == none {
				break
			}
			k.cuts = append(slices.Clone(was), r.cutAt(point, i))
			if list := r.fitAll(); worst(list) > best+leastStep {
				k.segments = list
				return true
			}
			i++
		}
	}
	k.cuts = was
	return false
}

// cutAt cuts where the clock of a point was set.
func (r *clockReader) cutAt(point int, i int32) cut {
	c := cut{point: point, known: true}
	c.at[point], c.at[1-point] = i, int32(len(r.p.c[1-point].list))
	mate := r.p.c[point].mate
	for n := i; n < min(i+64, int32(len(mate))); n++ {
		if mate[n] != none && r.p.c[point].list[n].bits&copied == 0 {
			c.at[1-point] = min(c.at[1-point], mate[n])
		}
	}
	return c
}

// usual is about what the other clock shows more than the chosen one.
func (p *pairing) usual() float64 {
	if p.canon == Point2 {
		return -float64(p.shift)
	}
	return float64(p.shift)
}

// samples are the anchors of all ways of which the first point is known.
func (p *pairing) samples() (all []int32) {
	c, other := p.c[p.canon], p.c[1-p.canon]
	for i := range c.list {
		d := &c.list[i]
		if d.bits&(anchor|timed) == anchor|timed && p.wayAt(p.canon, d).first != none && other.list[c.mate[i]].bits&timed != 0 {
			all = append(all, int32(i))
		}
	}
	return all
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
	all     []int32
	buckets []bucket
	by      int // bothWays, upAlone or downAlone
}

// get gives a sample.
func (r *clockReader) get(at int32) sample {
	p := r.p
	d := &p.c[p.canon].list[at]
	return sample{d.time, p.c[1-p.canon].list[p.c[p.canon].mate[at]].time - d.time, p.wayAt(p.canon, d).first == p.canon}
}

// collect puts samples into buckets.
func (r *clockReader) collect() {
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, i := range r.all {
		x := r.p.c[r.p.canon].list[i].time
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
func (r *clockReader) shift(a, b look) int64 {
	up, down := b.up-a.up, b.down-a.down
	switch r.by {
	case upAlone:
		return up
	case downAlone:
		return down
	}
	if (up > 0) != (down > 0) || abs(up-down) > max(leastStep, max(abs(up), abs(down))/4) {
		return 0
	}
	if abs(up) < abs(down) {
		return up
	}
	return down
}

// moved is by how much the least delays differ between two looks, by the directions that count.
func (r *clockReader) moved(a, b look) int64 {
	switch r.by {
	case upAlone:
		return abs(b.up - a.up)
	case downAlone:
		return abs(b.down - a.down)
	}
	return abs((a.up+a.down)/2 - (b.up+b.down)/2)
}

// cuts finds where a clock was set, within a stretch of buckets.
func (r *clockReader) cuts(from, to int) []cut {
	if to-from < 2*leastAround {
		return nil
	}
	drift := r.usualDrift(from, to)
	most, noise := int64(0), []int64{}
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
				noise = append(noise, r.moved(a, b))
			}
			s := abs(r.shift(a, b)) - int64(slack*math.Abs(float64(b.x-a.x)))
			if s > most {
				most, found = s, place{k, k + gap}
			}
		}
	}
	if most < max(int64(leastStep), stepNoise*median(noise)) {
		return nil
	}
	here := r.exact(found.left, found.right, from, to, drift)
	return append(append(r.cuts(from, found.left+1), here), r.cuts(found.right, to)...)
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

// exact finds where the clock was set: what comes before fits the smallest delays before best, and
// what comes after those after, in the order of one of the points.
func (r *clockReader) exact(left, right, from, to int, drift float64) cut {
	x := r.buckets[left].x
	a, b := r.look(max(left-1, from), -1, from, to, drift, x), r.look(min(right+1, to-1), 1, from, to, drift, x)
	if !a.ok || !b.ok {
		a, b = r.look(left, -1, from, to, drift, x), r.look(right, 1, from, to, drift, x)
	}
	lo, hi := int(r.buckets[max(left-1, from)].from), int(r.buckets[min(right+1, to-1)].to)
	misfit := func(i int32, l look) float64 {
		s := r.get(i)
		d := s.d - int64(drift*float64(s.x-x))
		if s.up && r.by == downAlone || !s.up && r.by == upAlone {
			return 0
		}
		if s.up {
			return math.Min(math.Abs(float64(d-l.up)), math.Abs(float64(b.up-a.up)))
		}
		return math.Min(math.Abs(float64(d-l.down)), math.Abs(float64(b.down-a.down)))
	}
	c := cut{}
	var fits [2]float64
	canon := r.p.canon
	mate := r.p.c[canon].mate
	list := slices.Clone(r.all[lo:hi])
	for _, point := range []int{canon, 1 - canon} {
		if point != canon {
			slices.SortFunc(list, func(i, k int32) int { return int(mate[i] - mate[k]) })
		}
		sum := 0.0
		for _, i := range list {
			sum += misfit(i, b)
		}
		best, at := math.Inf(1), 1
		for k, i := range list[:len(list)-1] {
			if sum += misfit(i, a) - misfit(i, b); sum < best {
				best, at = sum, k+1
			}
		}
		fits[point], c.at[point] = best, list[at]
	}
	c.at[1-canon] = mate[c.at[1-canon]]
	if c.point = canon; fits[1-canon] < fits[canon] {
		c.point = 1 - canon
	}
	c.known = math.Abs(fits[1]-fits[0]) > math.Abs(float64(r.shift(a, b)))/2
	size := r.shift(a, b)
	for point, capture := range r.p.c {
		from, to := r.all[lo], r.all[hi-1]
		if point != canon {
			from, to = mate[from], mate[to]
		}
		if (size < 0) != (point != canon) {
			continue // the other clock went back, or this one ahead
		}
		if k := capture.backward(min(from, to), max(from, to)+1, setBack); k != none {
			return r.cutAt(point, k)
		}
	}
	return c
}

// step says where a clock was set.
func (r *clockReader) step(c *cut) step {
	p := r.p
	list := p.c[0].list
	at := min(max(1, c.at[0]), int32(len(list)-1))
	s := step{at: at, x: p.c[p.canon].list[min(c.at[p.canon], int32(len(p.c[p.canon].list)-1))].time, point: none, frames: [2]uint32{list[at-1].frame, list[at].frame}}
	if c.known {
		s.point = c.point
	}
	return s
}

// setBack is by how much times run backward where a clock was set, ns: less is disorder of the
// capture.
const setBack = 1e6

// backward finds where the times of a capture run backward by so much in a range, none where they do not.
func (c *Capture) backward(from, to int32, by int64) int32 {
	for i := max(from, 1); i < min(to, int32(len(c.list))); i++ {
		if c.list[i].time < c.list[i-1].time-by {
			return i
		}
	}
	return none
}

// fit lays the line through the middle between the hulls of a stretch.
func (r *clockReader) fit(list []int32) segment {
	if len(list) == 0 {
		return segment{offset: r.p.usual(), bound: -1}
	}
	s := segment{x0: r.get(list[0]).x, x1: r.get(list[len(list)-1]).x}
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
