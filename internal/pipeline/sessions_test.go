package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/tracegen"
	"github.com/dpdissect/dpdissect/internal/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/tracegen/sim"
)

// A wild session is a random one: nothing in it is chosen to prove anything.
type wild struct {
	seed     uint64
	scenario tracegen.Scenario
	signing  string
	version  uint32
	deaf     bool
	midway   bool // the capture starts after the session
	lossless bool // nothing was missed by the capture
	ending   string
}

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

func between(r *rand.Rand, lo, hi time.Duration) time.Duration {
	return lo + time.Duration(r.Int64N(int64(hi-lo)+1))
}

// newWild rolls the dice.
func newWild(seed uint64) *wild {
	r := rand.New(rand.NewPCG(seed, 77))
	w := &wild{seed: seed, lossless: true}
	c := dp8peer.DefaultConfig()
	switch n := r.IntN(10); {
	case n < 5:
		w.signing = "none"
	case n < 7:
		w.signing, c.Signing = "fast", dp8peer.Fast
	default:
		w.signing, c.Signing = "full", dp8peer.Full
		c.Derive = []string{"sha1", "sha1", "sha1-reversed", "raw8", "last8", "xor", "unchanged", "unknown"}[r.IntN(8)]
	}
	c.MaxPayload = []int{120, 240, 1000, 1372}[r.IntN(4)]
	c.Window = []int{2, 16, 64, 64}[r.IntN(4)]
	c.Coalesce, c.EndOnLast = chance(r, 0.6), chance(r, 0.3)
	c.Poll, c.Correlate = r.Float64()*0.5, r.Float64()*0.3
	s := tracegen.DP8Setup{A: c, B: c, Setup: tracegen.Setup{IPv6: chance(r, 0.2), ZeroID: chance(r, 0.2)}}
	if w.signing == "none" {
		minors := []uint32{4, 5, 6, 6}
		s.A.Version, s.B.Version = 0x10000|minors[r.IntN(4)], 0x10000|minors[r.IntN(4)]
	}
	w.version = min(s.A.Version, s.B.Version)
	s.Paths = wildPaths(r)
	w.wildTap(r, &s.Tap)
	session := tracegen.DP8Scenario{Name: fmt.Sprintf("wild-%d", seed), Seed: seed, Setup: s}
	w.ending = []string{"a", "b", "crossing", "hard-a", "hard-b", "none", "a"}[r.IntN(7)]
	plans := [2]tracegen.Traffic{wildTraffic(r), wildTraffic(r)}
	for i := range plans {
		if w.midway || w.deaf { // an empty message is a KeepAlive to who does not know the version
			plans[i].Min = max(plans[i].Min, 1)
		}
	}
	session.Play = w.play(plans)
	w.scenario = session.Scenario()
	return w
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

func (w *wild) wildTap(r *rand.Rand, t *sim.Tap) {
	switch r.IntN(8) {
	case 0, 1:
		t.Loss, w.lossless = r.Float64()*0.1, false
	case 2:
		t.Start, w.midway = between(r, 200*time.Millisecond, 1500*time.Millisecond), true
	case 3:
		t.Start, w.midway = between(r, 200*time.Millisecond, 1500*time.Millisecond), true
		t.Loss, w.lossless = r.Float64()*0.1, false
	case 4:
		t.Stop = between(r, 400*time.Millisecond, 2*time.Second)
	case 5:
		if chance(r, 0.5) {
			t.Deaf[r.IntN(2)], w.deaf, w.lossless = true, true, false
		}
	}
	t.Link = []sim.Link{sim.Ethernet, sim.VLAN, sim.Raw, sim.SLL2}[r.IntN(4)]
}

func wildTraffic(r *rand.Rand) tracegen.Traffic {
	t := tracegen.Traffic{N: 10 + r.IntN(150), Every: between(r, 5*time.Millisecond, 40*time.Millisecond), Burst: 1 + r.IntN(5),
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
func (w *wild) play(plans [2]tracegen.Traffic) func(t *tracegen.DP8Trace) {
	return func(t *tracegen.DP8Trace) {
		left := 2
		done := func(p *dp8peer.Peer) {
			if left--; left == 0 {
				w.end(t, p.Conn())
			}
		}
		for i, n := range []*dp8peer.Node{t.A, t.B} {
			n.Established = func(p *dp8peer.Peer) {
				s := &talker{t: t, p: p, plan: plans[i], large: plans[i].Large, done: done}
				t.Net.Clock.Do(sim.Wait(t.Rand, s.plan.Every), s.burst)
			}
		}
		t.A.Connect(t.B)
	}
}

func (w *wild) end(t *tracegen.DP8Trace, c *dp8peer.Conn) {
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

// A talker is one application.
type talker struct {
	t     *tracegen.DP8Trace
	p     *dp8peer.Peer
	plan  tracegen.Traffic
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
	s.t.Net.Clock.Do(sim.Wait(s.t.Rand, s.plan.Every), s.burst)
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

// generate makes the capture; path is a file to write it to.
func (w *wild) generate(tb testing.TB, path string) ([]dissect.Datagram, *tracegen.Truth) {
	tb.Helper()
	file, truth, err := w.scenario.Generate()
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o666); err != nil {
		tb.Fatal(err)
	}
	return readAll(tb, path), truth
}

func wildFile(tb testing.TB) string { return filepath.Join(tb.TempDir(), "wild.pcap") }

// readAll reads what a tracker is shown of a capture: datagrams and ICMP notices.
func readAll(tb testing.TB, path string) (all []dissect.Datagram) {
	tb.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer src.Close()
	for {
		p, ok := src.Next()
		if !ok {
			return all
		}
		if p.Class == capture.UDP || p.Class == capture.Unreachable {
			d := p.Datagram
			d.Payload = append([]byte(nil), d.Payload...)
			all = append(all, d)
		}
	}
}
