package tracegen

import (
	"net/netip"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// running is a release in the middle of a long connection.
func running(c hazelpeer.Config, id int64) hazelpeer.Config {
	c.FirstID, c.Running = id, true
	return c
}

// hazelWrap passes id 65535 under loss.
func hazelWrap() HazelScenario {
	s := Setup{Paths: rough(0.03, 0.01, 0.03)}
	s.Tap.Start = 60 * time.Millisecond
	return HazelScenario{Name: "wrap-current", Clause: "Hazel c6a228c Reliable.cs (ids)",
		Proves: "ids and histories across 65535 to 0", Expect: "no gap at the wrap; numbers go on from 65536",
		Setup: s, A: running(hazelpeer.Now(), 65510), B: running(hazelpeer.Now(), 65520),
		Play: func(t *HazelTrace) { t.calls(bustle(60), bustle(50), bye) }}
}

// hazelWrapOld passes id 65535 without history.
func hazelWrapOld() HazelScenario {
	s := Setup{Paths: lossy(0.03), Port: 4296}
	s.Tap.Start = 60 * time.Millisecond
	return HazelScenario{Name: "wrap-0.1", Clause: "Hazel v0.1.2 Reliable.cs (ids)",
		Proves: "ids across 65535 to 0 where acknowledgements have three bytes", Expect: "no gap at the wrap; numbers go on from 65536",
		Setup: s, A: running(hazelpeer.V012(), 65515), B: running(hazelpeer.V012(), 65500),
		Play: func(t *HazelTrace) { t.calls(bustle(50), bustle(60), bye) }}
}

// hazelMidstream starts in the middle.
func hazelMidstream() HazelScenario {
	s := Setup{Paths: lossy(0.02)}
	s.Tap.Start = 700 * time.Millisecond
	return HazelScenario{Name: "midstream-current", Clause: "contract: recognition",
		Proves: "a connection is recognised without its Hello", Expect: "not complete; roles inferred at best",
		Setup: s, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(70), bustle(70), bye) }}
}

// hazelMidstreamOld starts in the middle of an old release.
func hazelMidstreamOld() HazelScenario {
	s := Setup{Paths: calm(), Port: 4296}
	s.Tap.Start, s.Tap.Stop = 700*time.Millisecond, 1600*time.Millisecond
	return HazelScenario{Name: "midstream-spec", Clause: "contract: recognition",
		Proves: "acknowledgements of three bytes are enough", Expect: "not complete; state unknown, for the Disconnect is not captured",
		Setup: s, A: hazelpeer.PageLate(), B: hazelpeer.PageLate(),
		Play: func(t *HazelTrace) { t.calls(bustle(120), bustle(120), bye) }}
}

// hazelOneDirection hears the client alone.
func hazelOneDirection() HazelScenario {
	s := Setup{Paths: lossy(0.02), HideState: true}
	s.Tap.Unseen = [2]bool{false, true}
	return HazelScenario{Name: "one-direction", Clause: "contract: recognition",
		Proves: "half a conversation is counted and not judged", Expect: "nothing of the server; no finding",
		Setup: s, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(50), bustle(50), bye) }}
}

// hazelCaptureLoss misses 5% of what passes.
func hazelCaptureLoss() HazelScenario {
	s := Setup{Paths: lossy(0.01)}
	s.Tap.Loss = 0.05
	return HazelScenario{Name: "capture-loss", Clause: "contract: lost.not_captured",
		Proves: "what was acknowledged and never captured was missed by the capture", Expect: "no finding against either end",
		Setup: s, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(55), bustle(55), bye) }}
}

// hazelEarlyStop ends while both speak.
func hazelEarlyStop() HazelScenario {
	s := Setup{Paths: calm()}
	s.Tap.Stop = 900 * time.Millisecond
	return HazelScenario{Name: "early-stop", Clause: "contract: state",
		Proves: "silence at the end of a capture is no fault", Expect: "established; what is on the way at the end is not lost",
		Setup: s, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(100), bustle(100), bye) }}
}

// hazelCopies has a network that doubles; identification tells.
func hazelCopies() HazelScenario {
	return HazelScenario{Name: "copies", Clause: "contract: duplicates",
		Proves: "copies of data, acknowledgements and unreliable data by identification", Expect: "no copy is a retry or a second message",
		Setup: Setup{Paths: rough(0.01, 0.08, 0.04)}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(40), bustle(40), bye) }}
}

// hazelZeroID has the same network and senders without identification.
func hazelZeroID() HazelScenario {
	s := Setup{Paths: rough(0.01, 0.08, 0.04), ZeroID: true}
	s.Tap.Link = sim.Raw
	return HazelScenario{Name: "copies-zero-id", Clause: "contract: duplicates",
		Proves: "within 30 ms, equal packets of one id are copies; what has no id is none", Expect: "copies of acknowledgements and unreliable data count as sent",
		Setup: s, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(40), bustle(40), bye) }}
}

// hazelIPv6 is a session over IPv6 on a tagged network.
func hazelIPv6() HazelScenario {
	s := Setup{Paths: rough(0.02, 0.03, 0.03), IPv6: true}
	s.Tap.Link = sim.VLAN
	return HazelScenario{Name: "ipv6-vlan", Clause: "contract: duplicates",
		Proves: "IPv6 and a VLAN tag are looked through; copies by time alone", Expect: "as over IPv4 without identification",
		Setup: s, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(40), bustle(40), bye) }}
}

// hazelMalformed has an endpoint that sends what is not Hazel.
func hazelMalformed() HazelScenario {
	return HazelScenario{Name: "malformed", Clause: "Hazel 5ad23c8 UdpConnection.cs (unknown types are ignored)",
		Proves: "malformed datagrams are frames of the connection and nothing more", Expect: "six malformed; the rest as if they were not there",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(30), bustle(30), bye)
			for i, b := range [][]byte{{0x11, 0, 3, 'x'}, {0x88, 0, 4, 0}, {}, {1}, {0x0a, 0, 1, 0xff, 0xff}, {0x0c, 0}} {
				t.At(time.Duration(600+40*i)*time.Millisecond, func() { t.raw(i%2, b, func(n *note.Note) { n.Malformed = true }) })
			}
		}}
}

// raw sends bytes in a side's name and from its socket, without the endpoint's
// knowledge.
func (t *HazelTrace) raw(side int, payload []byte, tell func(n *note.Note)) {
	n := note.New(t.Book.Conns[0], side, "")
	tell(n)
	t.Net.Send(&sim.Datagram{From: t.Hosts[side], To: t.Hosts[1-side], Payload: payload, Note: n})
}

// hazelLAN has a game that announces itself.
func hazelLAN() HazelScenario {
	return HazelScenario{Name: "lan-announcement", Clause: "Hazel UdpBroadcaster.cs",
		Proves: "an announcement belongs to no connection", Expect: "five records of hazel-lan; the connection as if they were not there",
		Setup: Setup{Paths: calm(), Addrs: [2]string{"192.168.7.21:50301", "192.168.7.2:22023"}}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			all := &sim.Host{Addr: netip.MustParseAddrPort("255.255.255.255:47777"), MAC: [6]byte{255, 255, 255, 255, 255, 255}}
			crier := t.Host("192.168.7.2:50007", 1)
			for i := range 5 {
				t.At(time.Duration(i)*time.Second, func() {
					n := note.New(nil, 1, "")
					n.Neighbour = "hazel-lan"
					t.Net.Send(&sim.Datagram{From: crier, To: all, Payload: []byte("\x04\x02Robin's game~Open~3~"), Note: n})
				})
			}
			t.At(2500*time.Millisecond, func() { t.calls(bustle(20), bustle(20), bye) })
		}}
}

// hazelDTLS is a session in DTLS records that hide their version.
func hazelDTLS() HazelScenario {
	return HazelScenario{Name: "dtls", Clause: "Hazel d1c25ae Record.cs, AesGcmRecordProtection.cs",
		Proves: "Hazel's own records are recognised, and its short messages by their size", Expect: "dialect dtls; no messages; a Disconnect of 30 bytes closes",
		Setup: Setup{Paths: each(calm(), func(s *sim.Segment) { s.Jitter = 0 }), Port: 22026}, A: hazelpeer.Secure(), B: hazelpeer.Secure(),
		Play: func(t *HazelTrace) { t.calls(bustle(25), bustle(25), t.later(6*time.Second)) }}
}
