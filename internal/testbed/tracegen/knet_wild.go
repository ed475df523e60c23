package tracegen

import (
	"math/rand/v2"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
)

// wildKnet is any of the endpoints with another of its kind.
func wildKnet(r *rand.Rand, seed uint64, c *Conditions) Scenario {
	s := KnetScenario{Setup: wildSetup(r, seed, c)}
	kinds := []func() knetpeer.Config{knetpeer.Library, knetpeer.Library, knetpeer.Library2010, knetpeer.Page, knetpeer.PageLate}
	kind := kinds[r.IntN(len(kinds))]
	s.A, s.B = kind(), kind()
	library := s.A.FirstID > 0 || s.A.Reply == nil
	a, b := wildTraffic(r), wildTraffic(r)
	a.N, b.N = a.N*2/3, b.N*2/3
	if !library {
		a, b = unhurried(a, r), unhurried(b, r)
		// Where a capture has gaps, nothing tells fragments sent before their start
		// from those of an older transfer with that id.
		scatter := chance(r, 0.5) && s.Setup.Tap.Loss == 0 && s.Setup.Tap.Start == 0
		s.A.Scatter, s.B.Scatter = scatter, scatter
		word := seed%8 == 4
		s.A.WordFirst, s.B.WordFirst = word, word
	} else if chance(r, 0.2) {
		s.A.Skips, s.B.Skips = true, true
	}
	if s.Setup.Tap.Start > 0 && chance(r, 0.5) {
		s.A, s.B = late(s.A, r.Int64N(60), r.Int64N(60)), late(s.B, r.Int64N(60), r.Int64N(60))
	}
	ending, silence := r.IntN(9), between(r, 0, 400*time.Millisecond)
	if library && chance(r, 0.3) {
		s.A.Hello = []byte("robin:let me in")[:1+r.IntN(15)]
	}
	if chance(r, 0.3) {
		silence = between(r, time.Second, 20*time.Second)
	}
	paths := s.Setup.Paths
	if ending == 3 && paths[0].Near.Loss > 0 {
		s.Setup.HideState = true // the last tries may be lost
	}
	if library {
		s.Setup.Paths = calm()
	}
	s.Play = func(t *KnetTrace) {
		if library {
			t.worsen(paths)
		}
		end := func(p *knetpeer.Peer) { t.pause(silence, func() { t.wildEnd(p, ending) }) }
		t.calls(a, b, end)
	}
	return s.Scenario()
}

// unhurried fits the page's rate, and has no order that a reader could not know of
// where something is missing.
func unhurried(t Traffic, r *rand.Rand) Traffic {
	t.N /= 2
	t.Every = between(r, 150*time.Millisecond, 400*time.Millisecond)
	t.Sequential = 0
	return t
}

func (t *KnetTrace) wildEnd(p *knetpeer.Peer, ending int) {
	server := t.server()
	switch {
	case ending == 0 && server != nil:
		server.Close()
	case ending == 1:
		t.crossing()(p)
	case ending == 2:
		t.Net.Tap.Stop = t.Net.Clock.Now() + 1
	case ending == 3, ending == 4:
		n := []*knetpeer.Node{t.A, t.B}[t.Rand.IntN(2)]
		if ending == 3 {
			n.Gone = nil
		}
		n.Kill()
		t.bystander(t.Net.Clock.Now() + 40*time.Second)
	case ending == 5 && t.Net.Tap.Stop == 0 && t.Net.Tap.Loss == 0:
		p.Close()
		t.pause(between(t.Rand, 6*time.Second, 9*time.Second), t.wildAgain)
	default:
		p.Close()
	}
}

// wildAgain connects once more when the server knows that the first connection is
// over.
func (t *KnetTrace) wildAgain() {
	if t.server() != nil {
		return
	}
	more := unchained(8)
	for _, n := range []*knetpeer.Node{t.A, t.B} {
		n.Config.FirstID, n.Config.FirstNumber = min(n.Config.FirstID, 1), 0
	}
	t.calls(more, more, t.farewell())
}

// KnetStride is a connection of two endpoints, for those that count in a way of their
// own.
func KnetStride(a, b knetpeer.Config, lossy bool) *Scenario {
	s := KnetScenario{Name: "stride", Setup: Setup{Paths: calm()}, A: a, B: b}
	s.Play = func(t *KnetTrace) {
		if lossy {
			t.worsen(rough(0.05, 0.02, 0.02))
		}
		t.calls(unchained(60), unchained(60), t.farewell())
	}
	x := s.Scenario()
	return &x
}
