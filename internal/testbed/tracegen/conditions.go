package tracegen

import (
	"math/rand/v2"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Conditions are chosen, not random, of a random trace: those of which accuracy is
// measured.
type Conditions struct {
	CaptureLoss float64 // share of the packets that pass and are not captured
	Place       float64 // of the capture point on the way, 0 at side 0, 1 at side 1
	Loss        float64 // share lost on the whole way
	Dup         float64 // share doubled on the whole way
	Late        float64 // share overtaken on the whole way
	LateBy      time.Duration
}

// WildUnder is Wild under conditions, captured from the first packet on.
func WildUnder(proto string, seed uint64, c Conditions) (Scenario, bool) {
	return wild(proto, seed, &c)
}

// impose puts conditions on a network.
func (c *Conditions) impose(s *Setup, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 78))
	s.Tap = sim.Tap{Loss: c.CaptureLoss, Link: s.Tap.Link}
	s.Frayed = true
	delay := between(r, 10*time.Millisecond, 60*time.Millisecond)
	segment := func(share float64) sim.Segment {
		d := time.Duration(float64(delay) * share)
		return sim.Segment{Delay: d, Jitter: between(r, 0, d/8), Loss: c.Loss * share, Dup: c.Dup * share, Late: c.Late * share, LateBy: c.LateBy}
	}
	s.Paths[0] = sim.Path{Near: segment(c.Place), Far: segment(1 - c.Place)}
	s.Paths[1] = sim.Path{Near: segment(1 - c.Place), Far: segment(c.Place)}
}
