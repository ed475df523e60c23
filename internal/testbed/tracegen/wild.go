package tracegen

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Wild gives a random trace of a protocol: nothing in it is chosen to prove
// anything. It reports false for a protocol it has no such traces of.
func Wild(proto string, seed uint64) (Scenario, bool) { return wild(proto, seed, nil) }

func wild(proto string, seed uint64, c *Conditions) (Scenario, bool) {
	r := rand.New(rand.NewPCG(seed, 77))
	var s Scenario
	switch proto {
	case "dp8":
		s = wildDP8(seed, c)
	case "dp4":
		s = wildDP4(r, seed, c)
	case "hazel":
		s = wildHazel(r, seed, c)
	case "knet":
		s = wildKnet(r, seed, c)
	default:
		return s, false
	}
	s.Proto, s.Name, s.Seed = proto, fmt.Sprintf("wild-%d", seed), seed
	return s, true
}

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

func between(r *rand.Rand, lo, hi time.Duration) time.Duration {
	return lo + time.Duration(r.Int64N(int64(hi-lo)+1))
}

// wildSetup is any network and any capture.
func wildSetup(r *rand.Rand, seed uint64, c *Conditions) Setup {
	s := Setup{IPv6: chance(r, 0.2), ZeroID: chance(r, 0.2), Paths: wildPaths(r)}
	s.Tap.Link = []sim.Link{sim.Ethernet, sim.VLAN, sim.Raw, sim.SLL2}[r.IntN(4)]
	s.HideState = true
	if s.ZeroID {
		s.MTU = 9000 // who sends fragments identifies them
	}
	switch r.IntN(8) {
	case 0, 1:
		s.Tap.Loss = r.Float64() * 0.1
	case 2:
		s.Tap.Start = between(r, 200*time.Millisecond, 1500*time.Millisecond)
	case 3:
		s.Tap.Start = between(r, 200*time.Millisecond, 1500*time.Millisecond)
		s.Tap.Loss = r.Float64() * 0.1
	case 4:
		s.Tap.Stop = between(r, 400*time.Millisecond, 2*time.Second)
	default:
		s.HideState = false
	}
	if c != nil {
		c.impose(&s, seed)
	}
	return s
}

func wildPaths(r *rand.Rand) (p [2]sim.Path) {
	near, far := between(r, 50*time.Microsecond, 40*time.Millisecond), between(r, 50*time.Microsecond, 40*time.Millisecond)
	kind := r.IntN(3)
	segment := func(d time.Duration) sim.Segment {
		s := sim.Segment{Delay: d, Jitter: between(r, 0, d/4)}
		if kind > 0 {
			s.Loss = r.Float64() * 0.06
		}
		if kind > 1 {
			s.Dup, s.Late, s.LateBy = r.Float64()*0.05, r.Float64()*0.1, between(r, time.Millisecond, 25*time.Millisecond)
		}
		return s
	}
	p[0] = sim.Path{Near: segment(near), Far: segment(far)}
	p[1] = sim.Path{Near: segment(far), Far: segment(near)}
	return p
}

func wildTraffic(r *rand.Rand) Traffic {
	t := Traffic{N: 10 + r.IntN(120), Every: between(r, 5*time.Millisecond, 60*time.Millisecond), Burst: 1 + r.IntN(4),
		Together: r.Float64(), Min: 4 + r.IntN(8), Reliable: 0.2 + 0.8*r.Float64(), Sequential: r.Float64(), User: 0.1}
	t.Max = t.Min + 2 + r.IntN(100)
	for range r.IntN(4) {
		t.Large = append(t.Large, 100+r.IntN(5000))
	}
	return t
}

// wildHazel is two releases that understand each other.
func wildHazel(r *rand.Rand, seed uint64, c *Conditions) Scenario {
	s := HazelScenario{Setup: wildSetup(r, seed, c)}
	eras := [][]func() hazelpeer.Config{
		{hazelpeer.May14}, {hazelpeer.May30}, {hazelpeer.Page, hazelpeer.PageLate}, {hazelpeer.V012}, {hazelpeer.Fork},
		{hazelpeer.Ack3Early, hazelpeer.Ack3, hazelpeer.FE, hazelpeer.Sep20, hazelpeer.One, hazelpeer.Now},
		{hazelpeer.Now}, {hazelpeer.One, hazelpeer.Now, hazelpeer.Skeld}, {hazelpeer.Sep20, hazelpeer.Now},
	}
	era := eras[r.IntN(len(eras))]
	s.A, s.B = era[r.IntN(len(era))](), era[r.IntN(len(era))]()
	if s.A.Silent() {
		s.Setup.MTU = 9000 // what is lost of fragments shows nothing of a side that falls silent
	}
	if s.Setup.Tap.Start > 0 && chance(r, 0.5) {
		s.A, s.B = running(s.A, 65400+r.Int64N(136)), running(s.B, 65400+r.Int64N(136))
	}
	a, b := wildTraffic(r), wildTraffic(r)
	ending := r.IntN(5)
	silence := time.Duration(0)
	if chance(r, 0.3) {
		silence = between(r, time.Second, 30*time.Second)
	}
	s.Play = func(t *HazelTrace) {
		t.lateTap()
		t.calls(a, b, func(p *hazelpeer.Peer) { t.pause(silence, func() { t.wildEnd(p, ending) }) })
	}
	return s.Scenario()
}

// lateTap lets a capture that begins in the middle begin after the handshake:
// a Hello that is captured late is no keep-alive, and cannot be told from one.
func (t *HazelTrace) lateTap() {
	tap := &t.Net.Tap
	if tap.Start == 0 {
		return
	}
	start := tap.Start
	tap.Start = limit
	var wait func()
	wait = func() {
		p := t.A.Peer(t.Hosts[1])
		switch {
		case p == nil:
			tap.Start = 0 // never established: all that is left is seen
		case p.Open() && t.Net.Clock.Now() >= start:
			tap.Start = t.Net.Clock.Now() + 100*time.Millisecond
		default:
			t.pause(20*time.Millisecond, wait)
		}
	}
	t.pause(20*time.Millisecond, wait)
}

func (t *HazelTrace) wildEnd(p *hazelpeer.Peer, ending int) {
	server := t.B.Peer(t.Hosts[0])
	switch {
	case ending == 0 && server != nil:
		server.Close(nil)
	case ending == 1 && server != nil && t.B.Config.Frames():
		server.Close(reason(3))
	case ending == 2:
		t.Net.Tap.Stop = t.Net.Clock.Now() + 1
	default:
		p.Close(nil)
	}
}
