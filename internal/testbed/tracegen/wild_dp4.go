package tracegen

import (
	"math/rand/v2"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp4peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// wildDP4 is two implementations of any habits, and up to three pairs of players.
func wildDP4(r *rand.Rand, seed uint64, c *Conditions) Scenario {
	s := DP4Scenario{Setup: wildSetup(r, seed, c), A: wildDP4Config(r), B: wildDP4Config(r)}
	if seed >= rarerFrom {
		s.A, s.B = rarerDP4(s.A, seed), rarerDP4(s.B, seed+1<<40)
	}
	s.Setup.HideState = true // nothing on the wire ends a connection
	s.Setup.MTU = 9000
	if s.B.SP = s.A.SP; s.A.SP {
		s.Setup.Port = 2300
	}
	if s.Setup.Tap.Start > 0 {
		// Of a message whose beginning is not captured, no serial tells whether it
		// counts retries.
		s.A.MaxPayload, s.B.MaxPayload = 8000, 8000
	}
	plans := [][2]Traffic{{wildTraffic(r), wildTraffic(r)}}
	for chance(r, 0.25) && len(plans) < 3 {
		plans = append(plans, [2]Traffic{wildTraffic(r), wildTraffic(r)})
	}
	indexes := []uint32{1, 2, 3, 129, 16384, 65535}
	r.Shuffle(len(indexes), func(i, k int) { indexes[i], indexes[k] = indexes[k], indexes[i] })
	smooth := between(r, 100*time.Millisecond, 400*time.Millisecond)
	s.Play = func(t *DP4Trace) {
		t.frays(smooth)
		for i, plan := range plans {
			_, q := t.join(indexes[2*i], indexes[2*i+1], plan[0], plan[1])
			t.say(q, t.text(9), true, true, 0)
		}
	}
	return s.Scenario()
}

func wildDP4Config(r *rand.Rand) dp4peer.Config {
	c := dp4peer.Windows()
	if chance(r, 0.5) {
		c = dp4peer.Eager()
	}
	c.First = int64(r.IntN(2))
	c.SP = chance(r, 0.2)
	c.MaxPayload = 100 + r.IntN(1300)
	c.MaxFlight = 30 + r.IntN(31)
	c.OwnSerial, c.RetryAll = chance(r, 0.2), chance(r, 0.2)
	c.Order, c.FullMask = dp4.Order(r.IntN(2)), chance(r, 0.3)
	if chance(r, 0.5) {
		c.NACKDelay = between(r, 5*time.Millisecond, 40*time.Millisecond)
	}
	c.AckDelay = between(r, 0, 80*time.Millisecond)
	c.AckUnreliable = chance(r, 0.5)
	return c
}

// rarerFrom is the first seed whose sessions have habits of rarerDP4: those of lower ones are
// named by tests.
const rarerFrom = 10_000_000

// rarerDP4 gives some endpoints habits that the text allows and few have.
func rarerDP4(c dp4peer.Config, seed uint64) dp4peer.Config {
	r := rand.New(rand.NewPCG(seed, 4))
	if !chance(r, 0.5) {
		return c
	}
	c.Reack, c.ShortRTO, c.Rash = chance(r, 0.6), chance(r, 0.4), chance(r, 0.3)
	if c.NACK {
		c.NACKEach = chance(r, 0.5)
	}
	c.NewBytes = chance(r, 0.3)
	return c
}

// frays makes network and capture perfect at first: a connection whose first
// packets were lost began for some readers, and for others it did not.
func (t *DP4Trace) frays(after time.Duration) {
	if t.Frayed {
		return
	}
	paths, loss := t.Paths, t.Net.Tap.Loss
	set := func(p [2]sim.Path, loss float64) {
		t.Net.Tap.Loss = loss
		for side := range p {
			t.Net.SetPath(side, p[side])
		}
	}
	set(each(paths, func(s *sim.Segment) { s.Loss, s.Dup, s.Late = 0, 0, 0 }), 0)
	t.At(after, func() { set(paths, loss) })
}
