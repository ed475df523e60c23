package compare

import (
	"math"
	"slices"
)

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

// fitting reports whether all lines fit.
func fitting(list []segment) bool {
	return !slices.ContainsFunc(list, func(s segment) bool { return s.misfit() })
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

// A look is the smallest delays of both directions on one side of a place.
type look struct {
	up, down int64
	x        int64 // time of the nearest bucket
	ok       bool
}

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
	shifts := make([]int64, to-from)
	var left, right int
	for k := from; k+1 < to; k++ {
		for gap := 1; gap <= mixed && k+gap < to; gap++ {
			x := r.buckets[k].x
			a, b := r.look(k, -1, from, to, drift, x), r.look(k+gap, 1, from, to, drift, x)
			if !a.ok || !b.ok {
				continue
			}
			if gap == 1 {
				noise = append(noise, r.moved(a, b))
			}
			s := abs(r.shift(a, b)) - int64(slack*math.Abs(float64(b.x-a.x)))
			shifts[k-from] = max(shifts[k-from], s)
			if s > most {
				most, left, right = s, k, k+gap
			}
		}
	}
	if most < max(int64(leastStep), stepNoise*median(noise)) {
		return nil
	}
	alike := func(k int) bool { return shifts[k-from] >= most-leastStep/2 } // where little is said it may be later, too
	for ; left > from && alike(left-1); left-- {
	}
	for ; right < to-1 && alike(right); right++ {
	}
	here := r.exact(left, right, from, to, drift)
	return append(append(r.cuts(from, left+1), here), r.cuts(right, to)...)
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
	lo, hi := int(r.buckets[max(left-around, from)].from), int(r.buckets[min(right+around, to-1)].to)
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
	var list []int32
	for i := r.all[lo]; i <= r.all[hi-1]; i++ {
		if r.tells(i) {
			list = append(list, i)
		}
	}
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
	return r.seen(c, r.shift(a, b), list)
}

// seen moves a cut to where the times of a point show it, among some samples: they run backward where its clock was set back, and
// jump where it was set ahead.
func (r *clockReader) seen(c cut, size int64, list []int32) cut {
	canon := r.p.canon
	for point, capture := range r.p.c {
		from, to := int32(len(capture.list)), int32(0)
		for _, i := range list {
			at := r.p.both(i)[point]
			from, to = min(from, at), max(to, at+1)
		}
		if (size < 0) != (point != canon) { // the other clock went back, or this one ahead
			if k := capture.jump(from, to, abs(size)-abs(size)/8); k != none && c.known && c.point == point {
				c = r.cutAt(point, k)
			}
			continue
		}
		if k := capture.backward(from, to, setBack); k != none {
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

// backward finds where the times of a capture run backward by so much in a range, none where they do not.
func (c *Capture) backward(from, to int32, by int64) int32 {
	for i := max(from, 1); i < min(to, int32(len(c.list))); i++ {
		if c.list[i].time < c.list[i-1].time-by {
			return i
		}
	}
	return none
}

// jump finds the only place in a range where the times of a capture jump by so much, none where there are none or several.
func (c *Capture) jump(from, to int32, by int64) int32 {
	at := int32(none)
	for i := max(from, 1); i < min(to, int32(len(c.list))); i++ {
		if c.list[i].time-c.list[i-1].time < by {
			continue
		}
		if at != none {
			return none
		}
		at = i
	}
	return at
}
