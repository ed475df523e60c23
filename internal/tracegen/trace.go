package tracegen

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/dpdissect/dpdissect/internal/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/tracegen/sim"
)

// Setup is the network of a trace and the two ends' habits.
type Setup struct {
	A, B      dp8peer.Config // connector, listener
	Paths     [2]sim.Path    // from A, from B
	Tap       sim.Tap
	MTU       int  // 0: 1500
	IPv6      bool //
	ZeroID    bool // IPv4 identification is always 0
	HideState bool // the capture does not tell how the connection ended
	PcapNG    bool // write pcapng instead of pcap
	Lean      bool // keep nothing that grows with the capture
}

// A Trace is a scenario at play.
type Trace struct {
	Setup
	Net   *sim.Network
	World *dp8peer.World
	Rand  *rand.Rand // the applications' dice
	A, B  *dp8peer.Node

	ledger *ledger
	failed error                         // of the capture file
	sent   map[string][]*dp8peer.Message // handed over, not delivered
}

func newTrace(s Setup, seed uint64) *Trace {
	net := sim.NewNetwork(&sim.Clock{}, rand.New(rand.NewPCG(seed, 1)), s.Paths)
	net.Tap = s.Tap
	if s.MTU > 0 {
		net.MTU = s.MTU
	}
	t := &Trace{Setup: s, Net: net, Rand: rand.New(rand.NewPCG(seed, 2)), sent: map[string][]*dp8peer.Message{}}
	t.ledger = newLedger(net, s.Lean)
	net.Observer = t.ledger
	t.World = &dp8peer.World{Net: net, Rand: rand.New(rand.NewPCG(seed, 3)), Keep: !s.Lean}
	hosts := t.hosts()
	t.A = dp8peer.NewNode(t.World, hosts[0], s.A)
	t.B = dp8peer.NewNode(t.World, hosts[1], s.B)
	t.B.Listen = true
	for _, n := range []*dp8peer.Node{t.A, t.B} {
		n.OnMessage = t.delivered
	}
	return t
}

// client adds a host on A's side.
func (t *Trace) client(addr string, c dp8peer.Config) *dp8peer.Node {
	h := &sim.Host{Addr: netip.MustParseAddrPort(addr), MAC: [6]byte{2, 0, 0, 0, 1, byte(len(t.World.Conns))}, ZeroID: t.ZeroID, Tick: t.Rand.Uint32() >> 4}
	h.SetID(uint16(t.Rand.Uint32()) >> 2)
	n := dp8peer.NewNode(t.World, h, c)
	n.OnMessage = t.delivered
	return n
}

// hosts makes the two hosts, with addresses of the documentation ranges.
func (t *Trace) hosts() [2]*sim.Host {
	addrs := [2]string{"192.0.2.10:2302", "198.51.100.20:2302"}
	if t.IPv6 {
		addrs = [2]string{"[2001:db8:1::10]:2302", "[2001:db8:2::20]:2302"}
	}
	var out [2]*sim.Host
	for i, a := range addrs {
		out[i] = &sim.Host{Addr: netip.MustParseAddrPort(a), Side: i, MAC: [6]byte{2, 0, 0, 0, 0, byte(i + 1)},
			ZeroID: t.ZeroID, Tick: t.Rand.Uint32() >> 4}
		out[i].SetID(uint16(t.Rand.Uint32()) >> 2)
	}
	return out
}

// delivered finds the message that was delivered.
func (t *Trace) delivered(_ *dp8peer.Peer, data []byte, _ bool) {
	key := string(data)
	if waiting := t.sent[key]; len(waiting) > 0 {
		waiting[0].Delivered = true
		t.sent[key] = waiting[1:]
	}
}

// At runs f at a time since the start.
func (t *Trace) At(at time.Duration, f func()) { t.Net.Clock.Do(at-t.Net.Clock.Now(), f) }
