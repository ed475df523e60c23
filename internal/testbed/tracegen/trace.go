package tracegen

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Setup is the network of a trace.
type Setup struct {
	Paths     [2]sim.Path // from side 0, from side 1
	Tap       sim.Tap
	Addrs     [2]string // of the two hosts; "" for the documentation's with Port
	Port      uint16    // 0: 2302
	MTU       int       // 0: 1500
	IPv6      bool
	ZeroID    bool // IPv4 identification is always 0
	HideState bool // the capture does not tell how the connection ended
	Frayed    bool // network and capture are as bad in the beginning as later
	PcapNG    bool // write pcapng instead of pcap
	Compact   bool // keep nothing that grows with the capture
}

// A Trace is a scenario at play.
type Trace struct {
	Setup
	Net   *sim.Network
	Hosts [2]*sim.Host
	Book  *note.Book
	Rand  *rand.Rand // the applications' dice
	Dice  *rand.Rand // the endpoints'

	// Frame, when not nil, is what the applications put around what they say.
	Frame func(b []byte) []byte

	truthWatch *truthWatch
	failed     error                      // of the capture file
	sent       map[string][]*note.Message // handed over, not delivered
}

func newTrace(s Setup, seed uint64) *Trace {
	net := sim.NewNetwork(&sim.Clock{}, rand.New(rand.NewPCG(seed, 1)), s.Paths)
	net.Tap = s.Tap
	if s.MTU > 0 {
		net.MTU = s.MTU
	}
	t := &Trace{Setup: s, Net: net, Book: &note.Book{Compact: s.Compact}, sent: map[string][]*note.Message{},
		Rand: rand.New(rand.NewPCG(seed, 2)), Dice: rand.New(rand.NewPCG(seed, 3))}
	t.truthWatch = newTruthWatch(net, s.Compact)
	net.Observer = t.truthWatch
	t.Hosts = t.hosts()
	return t
}

// Host adds a host on a side.
func (t *Trace) Host(addr string, side int) *sim.Host {
	h := &sim.Host{Addr: netip.MustParseAddrPort(addr), Side: side, MAC: [6]byte{2, 0, 0, 0, 1, byte(len(t.Book.Conns))}, ZeroID: t.ZeroID, Tick: t.Rand.Uint32() >> 4}
	h.SetID(uint16(t.Rand.Uint32()) >> 2)
	return h
}

// hosts makes the two hosts, with addresses of the documentation ranges.
func (t *Trace) hosts() [2]*sim.Host {
	addrs := [2]string{"192.0.2.10", "198.51.100.20"}
	if t.IPv6 {
		addrs = [2]string{"2001:db8:1::10", "2001:db8:2::20"}
	}
	port := uint16(2302)
	if t.Port != 0 {
		port = t.Port
	}
	var out [2]*sim.Host
	for i, a := range addrs {
		addr := netip.AddrPortFrom(netip.MustParseAddr(a), port)
		if t.Addrs[i] != "" {
			addr = netip.MustParseAddrPort(t.Addrs[i])
		}
		out[i] = &sim.Host{Addr: addr, Side: i, MAC: [6]byte{2, 0, 0, 0, 0, byte(i + 1)},
			ZeroID: t.ZeroID, Tick: t.Rand.Uint32() >> 4}
		out[i].SetID(uint16(t.Rand.Uint32()) >> 2)
	}
	return out
}

// delivered finds the message that was delivered.
func (t *Trace) delivered(data []byte) {
	if t.Compact {
		return
	}
	key := string(data)
	if waiting := t.sent[key]; len(waiting) > 0 {
		waiting[0].Delivered = true
		t.sent[key] = waiting[1:]
	}
}

// At runs f at a time since the start.
func (t *Trace) At(at time.Duration, f func()) { t.Net.Clock.Do(at-t.Net.Clock.Now(), f) }

// pause lets a pause pass before f.
func (t *Trace) pause(d time.Duration, f func()) { t.Net.Clock.Do(d, f) }

// blackout loses everything a side sends in a span of time, after the capture.
func (t *Trace) blackout(side int, from, to time.Duration) {
	normal, dark := t.Paths[side], t.Paths[side]
	dark.Far.Loss = 1
	t.At(from, func() { t.Net.SetPath(side, dark) })
	t.At(to, func() { t.Net.SetPath(side, normal) })
}

// unreachable answers for a port on which nobody listens.
func (t *Trace) unreachable(d *sim.Datagram) {
	if n := d.Note.(note.Remark).Neutral(); d.Proto != sim.ProtoICMP {
		t.Net.Unreachable(d, note.New(n.Conn, 1-n.Side, "ICMP"))
	}
}

// passer lets a datagram of something else pass, so that the capture goes on
// when the endpoints have fallen silent.
func (t *Trace) passer(at time.Duration) {
	n := note.New(nil, 0, "")
	n.Neighbour = "udp"
	from, to := t.Host("192.0.2.99:51000", 0), t.Host("198.51.100.53:53", 1)
	query := []byte("\x4d\x21\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03org\x00\x00\x01\x00\x01")
	t.At(at, func() { t.Net.Send(&sim.Datagram{From: from, To: to, Payload: query, Note: n}) })
}
