package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// Bounds of fitting a line.
const (
	mostWindows   = 16   // parts of a stretch of which the middles are compared …
	leastInWindow = 3    // … with so many samples of each direction in the mean
	leastSlopes   = 3    // … between so many pairs of them at least
	fitNoise      = 4    // times what the fastest samples of a window differ by, that the hulls may be nearer
	leastNoise    = 10e3 // ns
	widestSlopes  = 4 * mostDrift
)

// hulls are the samples of a stretch that a line between both directions can touch.
type hulls struct {
	x0, x1   int64
	up, down []sample // from below those that passed the chosen point first, from above the others
}

// gap is how far the hulls are apart along lines of a drift, and where they touch at x0.
func (h *hulls) gap(drift float64) (g, lo, hi float64) {
	hi, lo = math.Inf(1), math.Inf(-1)
	for _, p := range h.up {
		hi = min(hi, float64(p.d)-drift*float64(p.x-h.x0))
	}
	for _, p := range h.down {
		lo = max(lo, float64(p.d)-drift*float64(p.x-h.x0))
	}
	return hi - lo, lo, hi
}

// farthest is the drift at which the hulls are the farthest apart.
func (h *hulls) farthest() float64 {
	lo, hi := -widestSlopes, widestSlopes
	for range 100 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		ga, _, _ := h.gap(a)
		gb, _, _ := h.gap(b)
		if ga < gb {
			lo = a
		} else {
			hi = b
		}
	}
	return (lo + hi) / 2
}

// fit lays the line through the middle between the hulls of a stretch.
func (r *clockReader) fit(list []int32) segment {
	if len(list) == 0 {
		return segment{offset: r.p.usual(), bound: -1}
	}
	s := segment{x0: r.get(list[0]).x, x1: r.get(list[len(list)-1]).x}
	fastest := r.fastest(list, &s.pairs)
	h := hullsOf(&s, fastest)
	switch {
	case s.sided():
		_, lo, hi := h.gap(0)
		s.bound = -1
		if s.offset = hi; s.pairs[0] == 0 {
			s.offset = lo
		}
		return s
	case abs(s.x1-s.x0) >= shortest:
		s.drift = h.drift(fastest)
	}
	g, lo, hi := h.gap(s.drift)
	s.offset, s.bound = (lo+hi)/2, g/2
	return s
}

// hullsOf are the hulls of a stretch.
func hullsOf(s *segment, fastest [2][]sample) *hulls {
	h := &hulls{x0: s.x0, x1: s.x1, up: lowest(slices.Clone(fastest[0])), down: lowest(slices.Clone(fastest[1]))}
	for i := range h.down {
		h.down[i].d = -h.down[i].d
	}
	return h
}

// drift is the slope of the line: that of the middles between both directions, where the hulls are about as
// far apart as can be. Where they are not there are queues, and the hulls alone tell.
func (h *hulls) drift(fastest [2][]sample) float64 {
	best := h.farthest()
	slope, noise, ok := h.middles(fastest)
	if !ok {
		return best
	}
	most, _, _ := h.gap(best)
	if g, _, _ := h.gap(slope); g < most-fitNoise*noise-leastNoise {
		return best
	}
	return slope
}

// A middle is the fastest samples of both directions in a window.
type middle struct {
	least [2]sample
	next  [2]int64 // delay of the second fastest
	n     [2]int
}

func (w *middle) add(dir int, s sample) {
	switch {
	case w.n[dir] == 0 || s.d < w.least[dir].d:
		w.next[dir], w.least[dir] = w.least[dir].d, s
	case w.n[dir] == 1 || s.d < w.next[dir]:
		w.next[dir] = s.d
	}
	w.n[dir]++
}

// windows are the middles of parts of a stretch with as many samples each.
func (h *hulls) windows(fastest [2][]sample) []middle {
	n := len(fastest[0]) + len(fastest[1])
	windows := make([]middle, max(1, min(mostWindows, len(fastest[0])/leastInWindow, len(fastest[1])/leastInWindow)))
	for i, at := 0, [2]int{}; i < n; i++ {
		dir := 0
		if at[0] == len(fastest[0]) || at[1] < len(fastest[1]) && fastest[1][at[1]].x < fastest[0][at[0]].x {
			dir = 1
		}
		windows[i*len(windows)/n].add(dir, fastest[dir][at[dir]])
		at[dir]++
	}
	return windows
}

// middles is the slope between the middles of windows that are far apart, 0 where it is within its noise,
// and by how much the fastest samples of a window differ.
func (h *hulls) middles(fastest [2][]sample) (slope, noise float64, ok bool) {
	tilts, noise := h.tilts(fastest)
	if len(tilts) < leastSlopes || math.IsNaN(noise) {
		return 0, 0, false
	}
	for i := range tilts {
		tilts[i].apart = 1
	}
	return within(tilts, h.middle()), noise, true
}

// tilts are the slopes between the middles of windows that are far apart, and by how much the fastest samples of a
// window differ, NaN where none has two.
func (h *hulls) tilts(fastest [2][]sample) (tilts []tilt, noise float64) {
	var x, y, spread []float64
	for _, w := range h.windows(fastest) {
		if w.n[0] == 0 || w.n[1] == 0 {
			continue
		}
		x = append(x, float64(w.least[0].x-h.x0+w.least[1].x-h.x0)/2)
		y = append(y, float64(w.least[0].d-w.least[1].d)/2)
		for dir := range w.n {
			if w.n[dir] > 1 {
				spread = append(spread, float64(w.next[dir]-w.least[dir].d))
			}
		}
	}
	for i := range x {
		for k := i + 1; k < len(x); k++ {
			if dx := x[k] - x[i]; dx > (x[len(x)-1]-x[0])/4 {
				tilts = append(tilts, tilt{(y[k] - y[i]) / dx, dx})
			}
		}
	}
	if len(spread) == 0 {
		return tilts, math.NaN()
	}
	slices.Sort(spread)
	return tilts, spread[len(spread)/2]
}

// middle is the slope of what lies in the middle between the hulls, over the middle half of the time that
// both tell of.
func (h *hulls) middle() float64 {
	from := max(h.up[0].x, h.down[0].x)
	quarter := (min(h.up[len(h.up)-1].x, h.down[len(h.down)-1].x) - from) / 4
	if quarter <= 0 {
		return 0
	}
	a, b := from+quarter, from+3*quarter
	return (height(h.up, b) + height(h.down, b) - height(h.up, a) - height(h.down, a)) / 2 / float64(b-a)
}

// height is that of a hull at a time.
func height(hull []sample, x int64) float64 {
	k := 1
	for k+1 < len(hull) && hull[k].x < x {
		k++
	}
	a, b := &hull[k-1], &hull[k]
	return float64(a.d) + float64(b.d-a.d)*float64(x-a.x)/float64(b.x-a.x)
}

// fastest are the samples of a stretch by direction, those of the second one with negative delays. Samples
// near in time are one, the one with the least delay.
func (r *clockReader) fastest(list []int32, pairs *[2]int64) (least [2][]sample) {
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
	return least
}

// lowest is the lower hull of samples, which are sorted.
func lowest(chosen []sample) (hull []sample) {
	stable.Sort(chosen, func(a, b sample) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.d, b.d)) })
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
