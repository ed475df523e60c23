package tracegen

import (
	"encoding/binary"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp4peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A DP4Scenario is a Scenario of DirectPlay 4 between two implementations.
type DP4Scenario struct {
	Name, Clause, Proves, Expect string

	Setup Setup
	A, B  dp4peer.Config
	Play  func(t *DP4Trace)
}

// A DP4Trace is a DP4Scenario at play.
type DP4Trace struct {
	*Trace
	World *dp4peer.World
	A, B  *dp4peer.Node
}

// dp4Port lies among those of the TCP/IP service provider (MC-DPL4CS 2.1).
const dp4Port = 2350

// Scenario is what all protocols have in common.
func (s DP4Scenario) Scenario() Scenario {
	out := Scenario{Name: s.Name, Clause: s.Clause, Proves: s.Proves, Expect: s.Expect, Setup: s.Setup}
	if out.Setup.Port == 0 {
		out.Setup.Port = dp4Port
	}
	out.Play = func(t *Trace) { s.Play(dp4Stage(t, s.A, s.B)) }
	return out
}

// dp4Stage opens the sockets of two computers on a trace.
func dp4Stage(t *Trace, a, b dp4peer.Config) *DP4Trace {
	d := &DP4Trace{Trace: t, World: &dp4peer.World{Net: t.Net, Book: t.Book}}
	d.A = dp4peer.NewNode(d.World, t.Hosts[0], a)
	d.B = dp4peer.NewNode(d.World, t.Hosts[1], b)
	for _, n := range []*dp4peer.Node{d.A, d.B} {
		n.OnMessage = func(_ *dp4peer.Peer, data []byte) { t.delivered(data) }
	}
	t.Frame = d.mixed
	return d
}

// mixed makes some of what is said a message of the core: it sends its own
// through the same envelope (MC-DPL4R 1.4).
func (t *DP4Trace) mixed(text []byte) []byte {
	if t.Rand.IntN(8) > 0 {
		return text
	}
	return coreMessage([]uint16{0x16, 0x17, 0x2D, 0x10}[t.Rand.IntN(4)], text) // PING, PINGREPLY, CHAT, PLAYERNAMECHANGED
}

// coreMessage is a message of the core without the part in front of its
// signature, which is absent within the envelope (MC-DPL4CS 2.2.6).
func coreMessage(command uint16, body []byte) []byte {
	b := binary.LittleEndian.AppendUint16([]byte(dp4.Signature), command)
	return append(binary.LittleEndian.AppendUint16(b, 14), body...)
}

// match is the traffic of a game over DirectPlay 4.
func match(n int) Traffic {
	return Traffic{N: n, Every: 45 * time.Millisecond, Burst: 3, Min: 8, Max: 60, Reliable: 0.6}
}

// promised is traffic that is reliable alone.
func promised(n int) Traffic {
	m := match(n)
	m.Reliable = 1
	return m
}

// join makes two players known to each other and lets both speak, the one at A
// at once.
func (t *DP4Trace) join(a, b uint32, from, back Traffic) (*dp4peer.Peer, *dp4peer.Peer) {
	p, q := t.A.Join(t.B, a, b)
	t.say(p, t.text(12), true, true, 0)
	t.speak(p, from, nil)
	t.speak(q, back, nil)
	return p, q
}

// asks sends a message of the core by itself, as the search for sessions does:
// it is of no connection.
func (t *DP4Trace) asks(from, to *sim.Host, command uint16, body []byte) {
	f := dp4.CoreFrame{SP: dp4.SPHeader{Token: dp4.TokenRemote, Family: 2, Port: from.Addr.Port()}, Command: command, Version: 14, Body: body}
	f.SP.Size = uint32(len(f.Append(nil)))
	n := note.New(nil, from.Side, f.Type())
	n.Neighbour = "dpl4cs"
	t.Net.Send(&sim.Datagram{From: from, To: to, Payload: f.Append(nil), Note: n})
}

// Commands of the core (MC-DPL4CS 2.2).
const (
	enumSessionsReply = 0x01
	enumSessions      = 0x02
	ping              = 0x16
	pingReply         = 0x17
)

// searches looks for sessions again and again: another computer asks the one on
// the other side, which answers.
func (t *DP4Trace) searches(times int, every time.Duration) {
	asker, host := t.Host("192.0.2.77:2301", 0), t.Host("198.51.100.20:47624", 1)
	app, session := t.text(16), t.text(16)
	host.Receive = func(*sim.Datagram) { t.asks(host, asker, enumSessionsReply, sessionReply(session, app, "Skirmish")) }
	for i := range times {
		// No password, no flags (MC-DPL4CS 2.2).
		t.At(time.Duration(i)*every, func() { t.asks(asker, host, enumSessions, append(app[:16:16], make([]byte, 8)...)) })
	}
}

// sessionReply describes a session of two of eight players (MC-DPL4CS 2.2).
func sessionReply(session, app []byte, name string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 80)  // of the description
	b = binary.LittleEndian.AppendUint32(b, 0x2000) // the session uses MC-DPL4R
	b = append(append(b, session...), app...)
	b = binary.LittleEndian.AppendUint32(b, 8)
	b = binary.LittleEndian.AppendUint32(b, 2)
	b = append(b, make([]byte, 80-len(b))...)
	b = binary.LittleEndian.AppendUint32(b, 8+80+4) // of the name, from the signature
	for _, c := range name + "\x00" {
		b = binary.LittleEndian.AppendUint16(b, uint16(c))
	}
	return b
}
