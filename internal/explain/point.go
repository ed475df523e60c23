package explain

import "github.com/dpdissect/dpdissect/dissect"

// near is the share of the round trip from the capture point to one side, below which the
// capture was made at that side; closeBy is how long that may take at most, ns.
const (
	nearShare = 0.15
	closeBy   = 5e6
)

// point says where the capture was made: what a sends and what comes back for it has been
// to b, so the least round trip of a's frames, by any measure, is that between the capture
// point and b. Some protocols' acknowledgements wait for others, and their pings do not. A
// capture that misses packets may have missed the first transmission of what it seems to see
// answered at once: at one side many answers in a row are as soon.
func (s *subject) point() Point {
	p := Point{Near: "unknown"}
	toB, toA := s.possible(0), s.possible(1)
	if toB > 0 {
		p.ToB = oneWayOf(toB)
	}
	if toA > 0 {
		p.ToA = oneWayOf(toA)
	}
	if toA == 0 || toB == 0 {
		return p
	}
	whole := float64(toA + toB)
	switch a, b := float64(toA), float64(toB); {
	case a < nearShare*whole && a < closeBy:
		if s.sureOf(1) {
			p.Near = "a"
		}
	case b < nearShare*whole && b < closeBy:
		if s.sureOf(0) {
			p.Near = "b"
		}
	case a > 2*nearShare*whole && b > 2*nearShare*whole:
		p.Near = "middle"
	}
	return p
}

// sureOf reports whether the least round trip of a side is no accident of what was missed.
func (s *subject) sureOf(dir dissect.Dir) bool {
	return !s.misses() || s.side(dir).Trips.Slow < closeBy
}

// oneWayOf is half a round trip, in ms.
func oneWayOf(ns int64) *float64 {
	ms := float64(ns/2) / 1e6
	return &ms
}
