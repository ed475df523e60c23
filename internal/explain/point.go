package explain

// near is the share of the round trip from the capture point to one side, below which the
// capture was made at that side; closeBy is how long that may take at most, ns.
const (
	nearShare = 0.15
	closeBy   = 5e6
)

// point says where the capture was made: what a sends and what comes back for it has been
// to b, so the least round trip of a's frames is that between the capture point and b. A capture
// that misses packets may have missed the first transmission of what it seems to see answered at
// once: at one side many answers in a row are as soon.
func (s *subject) point() Point {
	p := Point{Near: "unknown"}
	toB, toA := s.side(0).Trips, s.side(1).Trips
	if toB.Known {
		p.ToB = oneWayOf(toB.Least)
	}
	if toA.Known {
		p.ToA = oneWayOf(toA.Least)
	}
	if !toA.Known || !toB.Known {
		return p
	}
	whole := float64(toA.Least + toB.Least)
	switch a, b := float64(toA.Least), float64(toB.Least); {
	case a < nearShare*whole && a < closeBy:
		if !s.misses() || toA.Slow < closeBy {
			p.Near = "a"
		}
	case b < nearShare*whole && b < closeBy:
		if !s.misses() || toB.Slow < closeBy {
			p.Near = "b"
		}
	case a > 2*nearShare*whole && b > 2*nearShare*whole:
		p.Near = "middle"
	}
	return p
}

// oneWayOf is half a round trip, in ms.
func oneWayOf(ns int64) *float64 {
	ms := float64(ns/2) / 1e6
	return &ms
}
