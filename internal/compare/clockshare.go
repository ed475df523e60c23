package compare

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// A tilt is a slope between two middles of a stretch, by how far they are apart.
type tilt struct{ slope, apart float64 }

// shareDrift gives all stretches between steps one slope, as far as it fits each: who sets a clock does not make it
// faster or slower, and all of them together tell more than each.
func (r *clockReader) shareDrift() {
	k := &r.p.clocks
	if len(k.cuts) == 0 || !fitting(k.segments) {
		return
	}
	var all []tilt
	var sum, weight float64
	found := make([]*hulls, len(k.segments))
	noises := make([]float64, len(k.segments))
	for i, list := range r.parts() {
		s := &k.segments[i]
		if s.sided() || len(list) == 0 || abs(s.x1-s.x0) < shortest {
			continue
		}
		fastest := r.fastest(list, new([2]int64))
		h := hullsOf(s, fastest)
		tilts, noise := h.tilts(fastest)
		if len(tilts) < leastSlopes || math.IsNaN(noise) {
			continue
		}
		found[i], noises[i] = h, noise
		all = append(all, tilts...)
		w := math.Pow(float64(s.x1-s.x0), 3)
		sum, weight = sum+w*h.middle(), weight+w
	}
	if weight == 0 {
		return
	}
	slope := within(all, sum/weight/2+halfway(all)/2)
	for i, h := range found {
		if s := &k.segments[i]; h != nil {
			g, lo, hi := h.gap(slope)
			if most, _, _ := h.gap(h.farthest()); g >= most-fitNoise*noises[i]-leastNoise {
				s.drift, s.offset, s.bound = slope, (lo+hi)/2, g/2
			}
		}
	}
}

// within is a slope between the quartiles of others, 0 where these tell no drift.
func within(all []tilt, slope float64) float64 {
	byTilt(all)
	lo, hi := quantile(slices.All(all), all, 0.25), quantile(slices.Backward(all), all, 0.25)
	if lo > 0 || hi < 0 {
		return max(lo, min(hi, slope))
	}
	return 0
}

// halfway is the median of slopes.
func halfway(all []tilt) float64 {
	byTilt(all)
	return quantile(slices.All(all), all, 0.5)
}

func byTilt(all []tilt) {
	slices.SortFunc(all, func(a, b tilt) int { return cmp.Compare(a.slope, b.slope) })
}

// quantile is the slope at a share of a list in order, each counted by how far its middles are apart.
func quantile(list iter.Seq2[int, tilt], all []tilt, share float64) (slope float64) {
	total, seen := 0.0, 0.0
	for _, t := range all {
		total += t.apart
	}
	for _, t := range list {
		if seen += t.apart; seen > share*total {
			return t.slope
		}
	}
	return 0
}
