package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// calm is a round trip of about 40 ms without loss, captured half way.
func calm() [2]sim.Path {
	s := sim.Segment{Delay: 10 * time.Millisecond, Jitter: time.Millisecond}
	return [2]sim.Path{{Near: s, Far: s}, {Near: s, Far: s}}
}

// lossy loses a share of the packets on each segment.
func lossy(loss float64) [2]sim.Path {
	return each(calm(), func(s *sim.Segment) { s.Loss = loss })
}

// rough loses, doubles and swaps.
func rough(loss, dup, late float64) [2]sim.Path {
	return each(lossy(loss), func(s *sim.Segment) {
		s.Dup, s.Late, s.LateBy = dup, late, 12*time.Millisecond
	})
}

func each(p [2]sim.Path, f func(*sim.Segment)) [2]sim.Path {
	for i := range p {
		f(&p[i].Near)
		f(&p[i].Far)
	}
	return p
}

// setup is two 1.6 ends of a signing mode over paths.
func setup(mode uint32, paths [2]sim.Path) DP8Setup {
	c := dp8peer.DefaultConfig()
	c.Signing = mode
	return DP8Setup{A: c, B: c, Setup: Setup{Paths: paths}}
}

// versions sets what the ends report.
func (s DP8Setup) versions(a, b uint32) DP8Setup {
	s.A.Version, s.B.Version = 0x00010000|a, 0x00010000|b
	return s
}

// both changes both ends.
func (s DP8Setup) both(f func(c *dp8peer.Config)) DP8Setup {
	f(&s.A)
	f(&s.B)
	return s
}

func noCoalescing(c *dp8peer.Config) { c.Coalesce = false }

// Minor versions of mixed pairs.
const (
	minor14 = dp8.Version15&0xffff - 1
	minor16 = dp8.Version16 & 0xffff
)
