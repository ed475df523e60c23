// Package sessiontest plays captures to a tracker, datagram by datagram, and keeps what
// the tracker says: what the tests of all protocols share.
package sessiontest

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

const (
	Start = int64(1e15) // time at which a scene begins, in ns
	Step  = int64(5e6)  // what passes before each datagram, in ns
)

// A Scene is a capture of two hosts, 0 and 1, that a test plays to a tracker.
type Scene struct {
	Table  *session.Table
	Now    int64  // the clock of the capture, in ns
	IPID   uint16 // IPv4 identification of the latest datagram of Raw or Cut
	NoIPID bool   // Raw and Cut give none

	Sent []*dissect.Datagram // all that was captured; the first one is frame 1

	// What the tracker said. It shows the frames of a pair once it has recognised the pair,
	// and no later than at the end of the capture, even where a protocol is forced.
	Frames   []dissect.Frame // without their trees
	ConnOf   []*session.Conn // the connection of each of Frames, nil for none
	Messages []session.Message
	Findings []session.Finding
	AckedBy  map[uint64]uint64 // of a frame, the one that acknowledges it; 0: none does
	Sessions []session.Session // those that the protocols made, in order

	t      testing.TB
	hosts  [2]dissect.Endpoint
	closed bool
}

// Hosts makes two endpoints of addresses like "10.0.0.1:2302".
func Hosts(a, b string) [2]dissect.Endpoint {
	return [2]dissect.Endpoint{dissect.MakeEndpoint(netip.MustParseAddrPort(a)), dissect.MakeEndpoint(netip.MustParseAddrPort(b))}
}

// Force is the setting that makes all address pairs speak a protocol; the dialect may be "".
func Force(p *session.Protocol, dialect string) []session.Force {
	return []session.Force{{Lo: 0, Hi: 65535, Protocol: p, Dialect: dialect}}
}

// New begins a scene of a table that is set up as cfg says, with the scene as its sink.
// The protocols of cfg are changed: from now on they tell the scene of their sessions.
func New(t testing.TB, hosts [2]dissect.Endpoint, cfg session.Config) *Scene {
	s := &Scene{t: t, hosts: hosts, Now: Start, AckedBy: map[uint64]uint64{}}
	for _, p := range cfg.Protocols {
		follow := p.NewSession
		p.NewSession = func(f *session.Flow, learned session.Probe) session.Session {
			x := follow(f, learned)
			s.Sessions = append(s.Sessions, x)
			return x
		}
	}
	cfg.Sink = (*sink)(s)
	s.Table = session.NewTable(cfg)
	return s
}

// Wait lets time pass, in ms.
func (s *Scene) Wait(ms int64) { s.Now += ms * 1e6 }

// Add captures a datagram of a host, a Step after the one before. Its number, time and
// addresses are set here, and its length when it is 0.
func (s *Scene) Add(from dissect.Dir, d dissect.Datagram) {
	s.Now += Step
	d.Frame, d.Time, d.HasTime = uint64(len(s.Sent)+1), s.Now, true
	d.Src, d.Dst = s.hosts[from], s.hosts[from.Other()]
	if d.Length == 0 {
		d.Length = len(d.Payload)
	}
	s.Sent = append(s.Sent, &d)
	s.Table.Add(&d)
}

// Raw captures a datagram with the next identification.
func (s *Scene) Raw(from dissect.Dir, payload []byte) { s.Cut(from, payload, 0) }

// Cut captures a datagram whose last n bytes the capture left out.
func (s *Scene) Cut(from dissect.Dir, payload []byte, n int) {
	s.IPID++
	d := dissect.Datagram{Payload: payload[:len(payload)-n], Length: len(payload), IPID: s.IPID}
	if s.NoIPID {
		d.IPID = 0
	}
	s.Add(from, d)
}

// Copy captures a copy that the network made of a datagram.
func (s *Scene) Copy(d *dissect.Datagram) { s.Add(s.side(d), *d) }

// Again captures a copy that the network made of the latest datagram.
func (s *Scene) Again() { s.Copy(s.Sent[len(s.Sent)-1]) }

// ICMP captures a notice to a host: what it sent could not be delivered.
func (s *Scene) ICMP(to dissect.Dir) { s.Add(to, dissect.Datagram{Kind: dissect.Unreachable}) }

// End ends the capture and gives its connections.
func (s *Scene) End() []*session.Conn {
	if !s.closed {
		s.closed = true
		s.Table.Close(s.Now)
		session.Number(s.Table.Conns())
	}
	return s.Table.Conns()
}

// One ends the capture and gives its only connection.
func (s *Scene) One() *session.Conn {
	s.t.Helper()
	conns := s.End()
	if len(conns) != 1 {
		s.t.Fatalf("%d connections, want 1", len(conns))
	}
	return conns[0]
}

// Apart plays what was captured to another table, and says what its connections differ in
// from those of the scene: all counters, states and dialects. "" is nothing.
func (s *Scene) Apart(cfg session.Config) string {
	other := New(s.t, s.hosts, cfg)
	for _, d := range s.Sent {
		x := *d
		other.Table.Add(&x)
	}
	other.Now = s.Now
	a, b := s.End(), other.End()
	if len(a) != len(b) {
		return fmt.Sprintf("%d connections, not %d", len(b), len(a))
	}
	for i := range a {
		if got, want := numbers(b[i]), numbers(a[i]); got != want {
			return fmt.Sprintf("connection %d: %s, not %s", i, got, want)
		}
	}
	return ""
}

// numbers is all that is counted of a connection.
func numbers(c *session.Conn) string {
	var p seq.Packer
	p.PackSides(c.Dir)
	return fmt.Sprintf("%v %v %q %v %x %+v %+v", c.State, c.ClosedBy, c.Dialect, c.Complete, p.Packed(), counters(&c.Dir[0]), counters(&c.Dir[1]))
}

// counters are those of a side that people read.
func counters(d *seq.Direction) []uint64 {
	lost := d.Lost()
	return []uint64{d.Frames, d.Acks, d.Retries, d.UnneededRetries, d.Duplicates, d.OutOfOrder, d.Gaps, d.Messages, d.Missing(), lost.BeforeCapture, lost.AfterCapture, lost.NotCaptured}
}

// RecognisedAfter shows a probe all datagrams and gives how many of them it needs, 0 when
// all are too few.
func (s *Scene) RecognisedAfter(p session.Probe) (n int) {
	for i, d := range s.Sent {
		if p.Observe(d, s.side(d)) >= session.LockBits && n == 0 {
			n = i + 1
		}
	}
	return n
}

// side is the host that sent a datagram.
func (s *Scene) side(d *dissect.Datagram) dissect.Dir {
	if d.Src == s.hosts[1] {
		return 1
	}
	return 0
}
