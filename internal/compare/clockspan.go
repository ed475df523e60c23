package compare

import "math"

// spanAll says from when until when each line holds. Beside a cut it holds as far as the clock that was set showed its time:
// what was on its way then left, or arrived, when the other line held.
func (r *clockReader) spanAll() {
	k := &r.p.clocks
	for i, list := range r.parts() {
		if s := &k.segments[i]; len(k.cuts) > 0 && len(list) > 0 {
			from, to := s.x0, s.x1
			if i > 0 {
				from = r.edge(s, list, &k.cuts[i-1], 1)
			}
			if i < len(k.cuts) {
				to = r.edge(s, list, &k.cuts[i], -1)
			}
			if from > to { // nothing lies between the two cuts alone
				from = to + (from-to)/2
				to = from
			}
			s.offset += s.drift * float64(from-s.x0)
			s.x0, s.x1 = from, to
		}
	}
}

// edge is when the clock of a cut showed the first sample after it, or, backward, the last one before it; where it is not known
// whose clock it was, both have to have shown it.
func (r *clockReader) edge(s *segment, list []int32, c *cut, sign int64) int64 {
	seen := [2]int64{math.MaxInt64, math.MaxInt64}
	for _, i := range list {
		mine, other := r.mine[i].time, s.toChosen(r.others[r.mate[i]].time)
		seen[r.p.canon] = min(seen[r.p.canon], sign*mine)
		seen[1-r.p.canon] = min(seen[1-r.p.canon], sign*other)
	}
	if c.known {
		return sign * seen[c.point]
	}
	return sign * max(seen[0], seen[1])
}
