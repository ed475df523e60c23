package tracegen

import (
	"encoding/binary"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
)

// A HazelScenario is a Scenario of Hazel between two releases.
type HazelScenario struct {
	Name, Clause, Proves, Expect string

	Setup Setup
	A, B  hazelpeer.Config // client, server
	Play  func(t *HazelTrace)
}

// A HazelTrace is a HazelScenario at play.
type HazelTrace struct {
	*Trace
	World *hazelpeer.World
	A, B  *hazelpeer.Node
}

// Scenario is what all protocols have in common.
func (s HazelScenario) Scenario() Scenario {
	out := Scenario{Name: s.Name, Clause: s.Clause, Proves: s.Proves, Expect: s.Expect, Setup: s.Setup}
	if out.Setup.Port == 0 {
		out.Setup.Port = hazelPort
	}
	out.Play = func(t *Trace) { s.Play(hazelStage(t, s.A, s.B)) }
	return out
}

// hazelPort is the port of Among Us.
const hazelPort = 22023

// hazelStage puts a client and a server on a trace.
func hazelStage(t *Trace, a, b hazelpeer.Config) *HazelTrace {
	h := &HazelTrace{Trace: t, World: &hazelpeer.World{Net: t.Net, Book: t.Book, Rand: t.Dice}}
	h.A = hazelpeer.NewNode(h.World, t.Hosts[0], a)
	h.B = hazelpeer.NewNode(h.World, t.Hosts[1], b)
	h.B.Listen = true
	if a.Frames() && b.Frames() {
		t.Frame = framed
	}
	for _, n := range []*hazelpeer.Node{h.A, h.B} {
		n.Gone = t.unreachable
		n.OnMessage = func(_ *hazelpeer.Peer, data []byte) { t.delivered(data) }
	}
	return h
}

// framed puts a text into the messages of Hazel's own writer: two of them where
// there is room (Hazel be3f2d8 MessageWriter.cs).
func framed(text []byte) (out []byte) {
	half := len(text)
	if half > 12 {
		half /= 2
	}
	for i, part := range [][]byte{text[:half], text[half:]} {
		if i > 0 && len(part) == 0 {
			break
		}
		out = binary.LittleEndian.AppendUint16(out, uint16(len(part)))
		out = append(append(out, 5+byte(i)), part...) // GameData, GameDataTo
	}
	return out
}

// bustle is the traffic of a game over Hazel.
func bustle(n int) Traffic {
	return Traffic{N: n, Every: 40 * time.Millisecond, Burst: 2, Min: 5, Max: 40, Reliable: 0.6, User: 0.1}
}

// calls connects A with B and lets both speak; end is called at A when both have
// nothing left to say.
func (t *HazelTrace) calls(a, b Traffic, end func(p *hazelpeer.Peer)) {
	left := 2
	var client *hazelpeer.Peer
	finished := func() {
		if left--; left == 0 && end != nil {
			end(client)
		}
	}
	for i, n := range []*hazelpeer.Node{t.A, t.B} {
		plan := []Traffic{a, b}[i]
		n.Established = func(p *hazelpeer.Peer) { t.speak(p, plan, finished) }
	}
	client = t.A.Connect(t.B)
}

// bye ends a connection without a reason.
func bye(p *hazelpeer.Peer) { p.Close(nil) }

// later ends it after a pause.
func (t *HazelTrace) later(d time.Duration) func(*hazelpeer.Peer) {
	return func(p *hazelpeer.Peer) { t.pause(d, func() { p.Close(nil) }) }
}

// reason is the data of a Disconnect of Among Us: forced, and a message with a
// reason of one byte.
func reason(code byte) []byte { return []byte{1, 1, 0, 0, code} }

// told is a custom reason: its number, and a text for players of less than 128 bytes.
func told(text string) []byte {
	return append([]byte{1, byte(2 + len(text)), 0, 0, 8, byte(len(text))}, text...)
}
