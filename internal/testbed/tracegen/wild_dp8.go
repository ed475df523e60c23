package tracegen

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A WildDP8 is a random DirectPlay 8 session and what the dice said of it.
type WildDP8 struct {
	Scenario Scenario
	Signing  string
	Version  uint32 // the lower of the two
	Unseen   bool   // the capture misses one direction
	Midway   bool   // the capture starts after the session

	ending  string
	silence time.Duration // before the end
	again   bool          // the same ends connect once more
	another bool          // somebody else connects meanwhile
}

// DrawDP8 draws the parameters of a session of one connection.
func DrawDP8(seed uint64) *WildDP8 { return drawDP8(seed, nil) }

// wildDP8 is a session that may fall silent, start again, or be one of two.
func wildDP8(seed uint64, c *Conditions) Scenario {
	w := drawDP8(seed, c)
	r := rand.New(rand.NewPCG(seed, 79))
	if chance(r, 0.2) {
		w.silence = between(r, time.Second, 90*time.Second)
	}
	w.again = chance(r, 0.15)
	w.another = chance(r, 0.15) && !w.Scenario.Setup.IPv6
	return w.Scenario
}

func drawDP8(seed uint64, under *Conditions) *WildDP8 {
	r := rand.New(rand.NewPCG(seed, 77))
	w := &WildDP8{}
	c := dp8peer.DefaultConfig()
	switch n := r.IntN(10); {
	case n < 5:
		w.Signing = "none"
	case n < 7:
		w.Signing, c.Signing = "fast", dp8peer.Fast
	default:
		w.Signing, c.Signing = "full", dp8peer.Full
		c.Derive = []string{"sha1", "sha1", "sha1-reversed", "raw8", "last8", "xor", "unchanged", "unknown"}[r.IntN(8)]
	}
	c.MaxPayload = []int{120, 240, 1000, 1372}[r.IntN(4)]
	c.Window = []int{2, 16, 64, 64}[r.IntN(4)]
	c.Coalesce, c.EndOnLast = chance(r, 0.6), chance(r, 0.3)
	c.Poll, c.Correlate = r.Float64()*0.5, r.Float64()*0.3
	s := DP8Setup{A: c, B: c, Setup: Setup{IPv6: chance(r, 0.2), ZeroID: chance(r, 0.2)}}
	if w.Signing == "none" {
		minors := []uint32{4, 5, 6, 6}
		s.A.Version, s.B.Version = 0x10000|minors[r.IntN(4)], 0x10000|minors[r.IntN(4)]
	}
	w.Version = min(s.A.Version, s.B.Version)
	s.Paths = wildPaths(r)
	w.tap(r, &s.Tap)
	if under != nil {
		under.impose(&s.Setup, seed)
	}
	w.ending = []string{"a", "b", "crossing", "hard-a", "hard-b", "none", "a"}[r.IntN(7)]
	plans := [2]Traffic{wildDP8Traffic(r), wildDP8Traffic(r)}
	for i := range plans {
		if w.Midway || w.Unseen { // an empty message is a KeepAlive to who does not know the version
			plans[i].Min = max(plans[i].Min, 1)
		}
	}
	w.Scenario = DP8Scenario{Name: fmt.Sprintf("wild-%d", seed), Seed: seed, Setup: s, Play: w.play(plans)}.Scenario()
	return w
}

func (w *WildDP8) tap(r *rand.Rand, t *sim.Tap) {
	switch r.IntN(8) {
	case 0, 1:
		t.Loss = r.Float64() * 0.1
	case 2:
		t.Start, w.Midway = between(r, 200*time.Millisecond, 1500*time.Millisecond), true
	case 3:
		t.Start, w.Midway = between(r, 200*time.Millisecond, 1500*time.Millisecond), true
		t.Loss = r.Float64() * 0.1
	case 4:
		t.Stop = between(r, 400*time.Millisecond, 2*time.Second)
	case 5:
		if chance(r, 0.5) {
			t.Unseen[r.IntN(2)], w.Unseen = true, true
		}
	}
	t.Link = []sim.Link{sim.Ethernet, sim.VLAN, sim.Raw, sim.SLL2}[r.IntN(4)]
}

func wildDP8Traffic(r *rand.Rand) Traffic {
	t := Traffic{N: 10 + r.IntN(150), Every: between(r, 5*time.Millisecond, 40*time.Millisecond), Burst: 1 + r.IntN(5),
		Together: r.Float64(), Min: r.IntN(8), Reliable: r.Float64(), Sequential: r.Float64(), User: 0.1}
	t.Max = t.Min + 2 + r.IntN(100)
	if chance(r, 0.1) {
		t.N = 500 // wraps
	}
	for range r.IntN(4) {
		t.Large = append(t.Large, 100+r.IntN(9000))
	}
	return t
}

// play is a dialogue of two applications.
func (w *WildDP8) play(plans [2]Traffic) func(t *DP8Trace) {
	return func(t *DP8Trace) {
		silent := map[*dp8peer.Conn]int{}
		done := func(p *dp8peer.Peer) {
			if silent[p.Conn()]++; silent[p.Conn()] == 2 {
				w.finish(t, p.Conn())
			}
		}
		for i, n := range []*dp8peer.Node{t.A, t.B} {
			n.Established = func(p *dp8peer.Peer) {
				s := &talker{t: t, p: p, plan: plans[i], large: plans[i].Large, done: done}
				t.pause(sim.Wait(t.Rand, s.plan.Every), s.burst)
			}
		}
		first := t.A.Connect(t.B)
		if w.another {
			second := t.client("192.0.2.11:2302", t.Setup.A)
			second.Established = t.A.Established
			t.pause(between(t.Rand, 0, 2*time.Second), func() { second.Connect(t.B) })
		}
		if w.again {
			t.pause(10*time.Second, func() { w.reconnect(t, first) })
		}
	}
}

// reconnect connects once more when all of the first connection is long over.
func (w *WildDP8) reconnect(t *DP8Trace, first *dp8peer.Peer) {
	if !first.Ended() {
		t.pause(10*time.Second, func() { w.reconnect(t, first) })
		return
	}
	t.pause(40*time.Second, func() { t.A.Connect(t.B) })
}

// finish ends a connection, at once or after a silence.
func (w *WildDP8) finish(t *DP8Trace, c *dp8peer.Conn) {
	if w.silence == 0 {
		w.end(t, c)
		return
	}
	t.pause(w.silence, func() { w.end(t, c) })
}

func (w *WildDP8) end(t *DP8Trace, c *dp8peer.Conn) {
	switch w.ending {
	case "a":
		c.Peers[0].Close()
	case "b":
		c.Peers[1].Close()
	case "crossing":
		c.Peers[0].Close()
		c.Peers[1].Close()
	case "hard-a":
		c.Peers[0].HardClose()
	case "hard-b":
		c.Peers[1].HardClose()
	case "none":
		t.Net.Tap.Stop = t.Net.Clock.Now() + 1
	}
}

// A talker is one application that talks of everything there is: empty messages,
// large ones without promise, commands of all kinds.
type talker struct {
	t     *DP8Trace
	p     *dp8peer.Peer
	plan  Traffic
	large []int
	said  int
	done  func(p *dp8peer.Peer)
}

func (s *talker) burst() {
	switch {
	case !s.p.Open():
		return
	case s.said >= s.plan.N && s.p.Drained():
		s.done(s.p)
		return
	case s.said < s.plan.N && s.p.Queued() < 300:
		talk := func() {
			for n := 1 + s.t.Rand.IntN(s.plan.Burst); n > 0; n-- {
				s.say()
			}
		}
		if chance(s.t.Rand, s.plan.Together) {
			s.p.Together(talk)
		} else {
			talk()
		}
	}
	s.t.pause(sim.Wait(s.t.Rand, s.plan.Every), s.burst)
}

func (s *talker) say() {
	r := s.t.Rand
	size, reliable, sequential := s.plan.Min+r.IntN(s.plan.Max-s.plan.Min), chance(r, s.plan.Reliable), chance(r, s.plan.Sequential)
	if s.said++; len(s.large) > 0 && chance(r, 0.05) {
		size, s.large = s.large[0], s.large[1:]
		reliable = reliable || chance(r, 0.8)
	}
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	if size > 0 {
		b[0] = 'G' // no message type of the core protocol
	}
	s.p.Send(b, reliable, sequential, []dp8.Command{0, 0, 0, dp8.User1, dp8.User2}[r.IntN(5)])
}
