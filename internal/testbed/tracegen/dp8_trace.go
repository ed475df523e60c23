package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
)

// DP8Setup is a network and the two ends' habits.
type DP8Setup struct {
	Setup
	A, B dp8peer.Config // connector, listener
}

// A DP8Scenario is a Scenario of DirectPlay 8.
type DP8Scenario struct {
	Name, Clause, Proves, Expect string

	Seed  uint64
	Setup DP8Setup
	Play  func(t *DP8Trace)
}

// A DP8Trace is a DP8Scenario at play.
type DP8Trace struct {
	*Trace
	Setup DP8Setup
	World *dp8peer.World
	A, B  *dp8peer.Node
}

func newDP8Trace(s DP8Setup, seed uint64) *DP8Trace { return dp8Stage(newTrace(s.Setup, seed), s) }

// dp8Stage puts the two nodes on a trace.
func dp8Stage(t *Trace, s DP8Setup) *DP8Trace {
	t.truthWatch.extend = watchDP8
	d := &DP8Trace{Trace: t, Setup: s, World: &dp8peer.World{Net: t.Net, Rand: t.Dice, Keep: !t.Compact, Book: t.Book}}
	d.A = dp8peer.NewNode(d.World, t.Hosts[0], s.A)
	d.B = dp8peer.NewNode(d.World, t.Hosts[1], s.B)
	d.B.Listen = true
	for _, n := range []*dp8peer.Node{d.A, d.B} {
		n.OnMessage = d.delivered
	}
	return d
}

// Scenario is what all protocols have in common.
func (s DP8Scenario) Scenario() Scenario {
	return Scenario{Name: s.Name, Clause: s.Clause, Proves: s.Proves, Expect: s.Expect, Seed: s.Seed, Setup: s.Setup.Setup,
		Play: func(t *Trace) { s.Play(dp8Stage(t, s.Setup)) }}
}

func (t *DP8Trace) delivered(_ *dp8peer.Peer, data []byte, _ bool) { t.Trace.delivered(data) }

// client adds a host on A's side.
func (t *DP8Trace) client(addr string, c dp8peer.Config) *dp8peer.Node {
	n := dp8peer.NewNode(t.World, t.Host(addr, 0), c)
	n.OnMessage = t.delivered
	return n
}

// dialogue connects A with B and lets both speak; end is called at A when both
// have nothing left to say.
func (t *DP8Trace) dialogue(a, b Traffic, end func(p *dp8peer.Peer)) {
	left := 2
	finished := func(p *dp8peer.Peer) func() {
		return func() {
			if left--; left == 0 && end != nil {
				end(p.Conn().Peers[0])
			}
		}
	}
	for i, n := range []*dp8peer.Node{t.A, t.B} {
		plan := []Traffic{a, b}[i]
		n.Established = func(p *dp8peer.Peer) { t.speak(p, plan, finished(p)) }
	}
	t.A.Connect(t.B)
}

// gracefully ends a dialogue.
func gracefully(p *dp8peer.Peer) { p.Close() }

// lateClose ends gracefully after a pause.
func (t *DP8Trace) lateClose(d time.Duration) func(*dp8peer.Peer) {
	return func(p *dp8peer.Peer) { t.pause(d, p.Close) }
}

// whenSent runs f once the node has sent n data frames on its connection.
func (t *DP8Trace) whenSent(n *dp8peer.Node, seq int64, f func()) {
	if p := n.Peer(t.B.Host); p != nil && p.NextSend() >= seq {
		f()
		return
	}
	t.pause(5*time.Millisecond, func() { t.whenSent(n, seq, f) })
}

// conn is the first connection.
func (t *DP8Trace) conn() *dp8peer.Conn { return t.World.Conns[0] }
