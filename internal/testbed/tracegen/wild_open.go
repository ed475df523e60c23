package tracegen

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
)

// WildOpen is a random trace of two ends that speak the dialect of the Hazel page under
// conditions, releases or others, which may send again ten times.
func WildOpen(seed uint64, c Conditions) Scenario {
	r := rand.New(rand.NewPCG(seed, 79))
	s := HazelScenario{Setup: Setup{Port: 4296, ZeroID: chance(r, 0.3), MTU: 9000}}
	c.impose(&s.Setup, seed)
	end := func() hazelpeer.Config {
		return [...]hazelpeer.Config{hazelpeer.Page(), hazelpeer.PageLate(), hazelpeer.Open(0), hazelpeer.Open(1)}[r.IntN(4)]
	}
	s.A, s.B = end(), end()
	if chance(r, 0.5) {
		s.A.Resends, s.B.Resends = 10, 10
	}
	a := Traffic{N: 50 + r.IntN(300), Every: between(r, 5*time.Millisecond, 60*time.Millisecond), Burst: 1 + r.IntN(4),
		Together: r.Float64(), Min: 4, Max: 100, Reliable: 0.5 + 0.5*r.Float64()}
	b := a
	if chance(r, 0.3) {
		b.N = 20
	}
	s.Play = func(t *HazelTrace) { t.calls(a, b, bye) }
	out := s.Scenario()
	out.Proto, out.Name, out.Seed = "hazel", fmt.Sprintf("open-%d", seed), seed
	return out
}
