package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/knet"
)

// A KnetScenario is a Scenario of kNet between two endpoints.
type KnetScenario struct {
	Name, Clause, Proves, Expect string

	Setup Setup
	A, B  knetpeer.Config // client, server
	Play  func(t *KnetTrace)
}

// A KnetTrace is a KnetScenario at play.
type KnetTrace struct {
	*Trace
	World *knetpeer.World
	A, B  *knetpeer.Node
}

// knetPort is the port of the library's samples.
const knetPort = 2345

// Scenario is what all protocols have in common.
func (s KnetScenario) Scenario() Scenario {
	out := Scenario{Name: s.Name, Clause: s.Clause, Proves: s.Proves, Expect: s.Expect, Setup: s.Setup}
	if out.Setup.Port == 0 {
		out.Setup.Port = knetPort
	}
	out.Play = func(t *Trace) { s.Play(knetStage(t, s.A, s.B)) }
	return out
}

// knetStage puts a client and a server on a trace.
func knetStage(t *Trace, a, b knetpeer.Config) *KnetTrace {
	k := &KnetTrace{Trace: t, World: &knetpeer.World{Net: t.Net, Book: t.Book, Rand: t.Dice}}
	k.A = knetpeer.NewNode(k.World, t.Hosts[0], a)
	k.B = knetpeer.NewNode(k.World, t.Hosts[1], b)
	k.B.Listen = true
	for _, n := range []*knetpeer.Node{k.A, k.B} {
		n.Gone = t.unreachable
		n.OnMessage = func(_ *knetpeer.Peer, data []byte) { t.delivered(data) }
	}
	return k
}

// arena is the traffic of a game over the library.
func arena(n int) Traffic {
	return Traffic{N: n, Every: 60 * time.Millisecond, Burst: 3, Together: 0.6, Min: 4, Max: 60, Reliable: 0.6, Sequential: 0.5, User: 0.6}
}

// council is traffic that fits the page's 15 datagrams a second.
func council(n int) Traffic {
	return Traffic{N: n, Every: 220 * time.Millisecond, Burst: 3, Together: 0.8, Min: 4, Max: 60, Reliable: 0.6, Sequential: 0.6, User: 0.5}
}

// calls connects A with B and lets both speak; end is called at A when both have
// nothing left to say.
func (t *KnetTrace) calls(a, b Traffic, end func(p *knetpeer.Peer)) {
	left := 2
	var client *knetpeer.Peer
	finished := func() {
		if left--; left == 0 && end != nil {
			end(client)
		}
	}
	for i, n := range []*knetpeer.Node{t.A, t.B} {
		plan := []Traffic{a, b}[i]
		n.Established = func(p *knetpeer.Peer) {
			if plan.Sequential == 0 {
				t.speak(unordered{p}, plan, finished)
				return
			}
			t.speak(p, plan, finished)
		}
	}
	client = t.A.Connect(t.B)
}

// unordered is an end whose application asks for no order, not even among large
// messages.
type unordered struct{ *knetpeer.Peer }

func (u unordered) Say(data []byte, reliable, _ bool, channel int) *note.Message {
	return u.Peer.Say(data, reliable, false, channel)
}

// parts ends a connection of kNet from the client after a pause in which what is
// late arrives.
func (t *KnetTrace) parts(d time.Duration) func(*knetpeer.Peer) {
	return func(p *knetpeer.Peer) { t.pause(d, p.Close) }
}

// farewell ends it soon.
func (t *KnetTrace) farewell() func(*knetpeer.Peer) { return t.parts(300 * time.Millisecond) }

// server is the server's end of the connection, or nil.
func (t *KnetTrace) server() *knetpeer.Peer { return t.B.Peer(t.Hosts[0]) }

// worsen changes the paths once the connection stands: the library knows no
// second connect datagram.
func (t *KnetTrace) worsen(paths [2]sim.Path) {
	t.At(150*time.Millisecond, func() {
		t.Paths = paths
		for side, p := range paths {
			t.Net.SetPath(side, p)
		}
	})
}

// raw sends bytes in a side's name, from its socket or by a third party, without
// the endpoint's knowledge.
func (t *KnetTrace) raw(side int, payload []byte, third bool, tell func(n *note.Note)) {
	n := note.New(t.Book.Conns[0], side, "DATAGRAM")
	tell(n)
	t.Net.Send(&sim.Datagram{From: t.Hosts[side], To: t.Hosts[1-side], Payload: payload, Note: n, Injected: third})
}

// garbage sends each of some datagrams that are none, from alternating sides.
func (t *KnetTrace) garbage(from time.Duration, third bool, all [][]byte) {
	for i, b := range all {
		t.At(from+time.Duration(70*i)*time.Millisecond, func() {
			t.raw(i%2, b, third, func(n *note.Note) { n.Malformed = true })
		})
	}
}

// bystander lets two other hosts exchange a datagram: the capture goes on until then,
// which shows that others were silent.
func (t *KnetTrace) bystander(at time.Duration) {
	hosts := [2]*sim.Host{t.Host("192.0.2.77:40021", 0), t.Host("198.51.100.88:40022", 1)}
	t.At(at, func() {
		n := note.New(nil, 0, "")
		n.Neighbour = "udp"
		t.Net.Send(&sim.Datagram{From: hosts[0], To: hosts[1], Payload: []byte("still here\n"), Note: n})
	})
}

// late is a configuration in the middle of a long connection: its counters are
// near the ends of their ranges.
func late(c knetpeer.Config, packet, number int64) knetpeer.Config {
	c.FirstID, c.FirstNumber = 1<<knet.PacketIDBits-packet, 1<<knet.NumberBits-number
	return c
}
