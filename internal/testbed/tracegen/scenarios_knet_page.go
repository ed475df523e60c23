package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// knetPage is the plainest session of the page.
func knetPage() KnetScenario {
	return KnetScenario{Name: "clean-page", Clause: "kNet page, Session Management",
		Proves: "the handshake, reliable datagrams, dependencies, acknowledgements, Disconnect",
		Expect: "nothing lost, no retry; closed by a",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) { t.calls(council(50), council(50), t.parts(6*time.Second)) }}
}

// knetPageLossy has every accident of a path.
func knetPageLossy() KnetScenario {
	return KnetScenario{Name: "lossy-page", Clause: "kNet page, Reliable Datagrams",
		Proves: "a datagram sent again after 2 s is no copy", Expect: "counts as in the truth; closed by a",
		Setup: Setup{Paths: rough(0.05, 0.02, 0.05)}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) { t.calls(unchained(60), unchained(60), t.farewell()) }}
}

// unchained is council without an order among messages, so that they come as they
// are captured.
func unchained(n int) Traffic {
	c := council(n)
	c.Sequential = 0
	return c
}

// chained is council with one order for all reliable messages and those that depend
// on them.
func chained(n int) Traffic {
	c := council(n)
	c.Sequential, c.User = 1, 0
	return c
}

// knetPageLate has the ids of the later revision.
func knetPageLate() KnetScenario {
	return KnetScenario{Name: "clean-page-2011", Clause: "kNet page (2011-03), Reserved Messages",
		Proves: "ids 1 to 4", Expect: "pings and acknowledgements are seen; closed by b",
		Setup: Setup{Paths: calm()}, A: knetpeer.PageLate(), B: knetpeer.PageLate(),
		Play: func(t *KnetTrace) {
			t.calls(council(40), council(40), func(*knetpeer.Peer) { t.pause(6*time.Second, t.server().Close) })
		}}
}

// knetPageWordFirst reads the layout of a PacketAck as others do not.
func knetPageWordFirst() KnetScenario {
	c := knetpeer.Page()
	c.WordFirst = true
	return KnetScenario{Name: "acks-word-first-page", Clause: "kNet page, Reserved Messages (AMB-KN-06)",
		Proves: "the bits of acknowledgements that begin in the u32", Expect: "counts as in the truth; closed by a",
		Setup: Setup{Paths: rough(0.05, 0.02, 0.05)}, A: c, B: c,
		Play: func(t *KnetTrace) {
			quick := unchained(150)
			quick.Every, quick.Together, quick.Burst, quick.Reliable, quick.Min, quick.Max = 50*time.Millisecond, 0, 6, 0.9, 200, 400
			t.calls(quick, quick, t.farewell())
			t.At(time.Second, func() {
				for _, p := range []*knetpeer.Peer{t.server(), t.A.Peer(t.Hosts[1])} {
					if p != nil { // the connect datagrams came through
						p.Ask(200)
					}
				}
			})
		}}
}

// knetPageTransfers sends large messages whose fragments leave in any order.
func knetPageTransfers() KnetScenario {
	c := knetpeer.Page()
	c.Scatter = true
	return KnetScenario{Name: "transfers-page", Clause: "kNet page, Fragmented Transfers",
		Proves: "fragments of 470 bytes in any order, before their start too; transfer ids used again",
		Expect: "every large message put together; closed by a",
		Setup:  Setup{Paths: rough(0.03, 0.01, 0.1)}, A: c, B: c,
		Play: func(t *KnetTrace) {
			a, b := unchained(30), unchained(30)
			a.Large, b.Large = []int{900, 4000, 2500, 6000}, []int{3000, 3000, 1500}
			t.calls(a, b, t.farewell())
		}}
}

// knetPageCodes uses every InOrder code.
func knetPageCodes() KnetScenario {
	return KnetScenario{Name: "dependencies-page", Clause: "kNet page, InOrder Datagrams and Messages",
		Proves: "codes 0 to 7; one dependency by code, one by index, several by indexes",
		Expect: "messages in the order sent; closed by a",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) {
			t.A.Established = func(p *knetpeer.Peer) { t.chorus(p, 12, t.farewell()) }
			t.A.Connect(t.B)
		}}
}

// chorus says messages on all channels at once, and one that depends on all, a few
// times.
func (t *KnetTrace) chorus(p *knetpeer.Peer, times int, end func(*knetpeer.Peer)) {
	if times == 0 {
		end(p)
		return
	}
	p.Together(func() {
		for _, channel := range []int{0, 1, 2, 4, 5, 6, 7, 3} {
			t.say(p, t.text(8+t.Rand.IntN(20)), true, true, channel)
		}
		t.say(p, t.text(10), false, true, 3)
		t.say(p, t.text(12), false, false, 0)
	})
	t.pause(350*time.Millisecond, func() { t.chorus(p, times-1, end) })
}

// knetPageOrder loses what others depend on.
func knetPageOrder() KnetScenario {
	return KnetScenario{Name: "dependencies-lossy-page", Clause: "kNet page, InOrder Datagrams and Messages",
		Proves: "a message waits for those it depends on, unreliable ones too",
		Expect: "messages in the order of their dependencies; closed by a",
		Setup:  Setup{Paths: rough(0.06, 0.02, 0.1)}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) { t.calls(chained(60), chained(60), t.farewell()) }}
}

// knetPageNewIDs sends again under new PacketIDs.
func knetPageNewIDs() KnetScenario {
	c := knetpeer.Page()
	c.NewIDs = true
	s := Setup{Paths: calm()}
	s.Paths[0].Far.Loss = 0.12 // every first transmission is captured, and no acknowledgement is lost
	return KnetScenario{Name: "new-ids-page", Clause: `kNet page, Reliable Datagrams ("unique PacketID", AMB-KN-10)`,
		Proves: "a datagram sent again is known by its messages", Expect: "retries though no PacketID comes twice; closed by a",
		Setup: s, A: c, B: c,
		Play: func(t *KnetTrace) { t.calls(unchained(60), unchained(60), t.farewell()) }}
}

// knetPageFlow asks for more, and for less.
func knetPageFlow() KnetScenario {
	return KnetScenario{Name: "flow-control-page", Clause: "kNet page, Flow Control",
		Proves: "a FlowControlRequest is reliable and no application message",
		Expect: "the client is slow at first, then fast; closed by a",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) {
			quick := unchained(140)
			quick.Every, quick.Together, quick.Min, quick.Max = 30*time.Millisecond, 0, 200, 400
			t.calls(quick, unchained(10), t.farewell())
			t.At(time.Second, func() { t.server().Ask(8) })
			t.At(4*time.Second, func() { t.server().Ask(60) })
		}}
}

// knetPageWrap passes PacketID 2^22 under loss.
func knetPageWrap() KnetScenario {
	s := Setup{Paths: calm()}
	s.Tap.Start = 100 * time.Millisecond
	return KnetScenario{Name: "wrap-page", Clause: "kNet page, Datagram Byte Format (22 bits)",
		Proves: "PacketIDs, acknowledgements and dependencies across the wrap", Expect: "no gap at the wrap; message numbers go on from 2^22",
		Setup: s, A: late(knetpeer.Page(), 30, 0), B: late(knetpeer.Page(), 45, 0),
		Play: func(t *KnetTrace) {
			t.worsen(rough(0.04, 0.01, 0.05))
			t.calls(chained(70), chained(60), t.farewell())
		}}
}

// knetPageCopies has a network that doubles; identification tells.
func knetPageCopies() KnetScenario {
	return KnetScenario{Name: "copies-page", Clause: "contract: duplicates",
		Proves: "copies by identification, acknowledgements and pings too", Expect: "no copy is a retry or a second message",
		Setup: Setup{Paths: rough(0.02, 0.12, 0.05)}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) { t.calls(unchained(50), unchained(50), t.farewell()) }}
}

// knetPageZeroID has the same network and senders without identification.
func knetPageZeroID() KnetScenario {
	s := Setup{Paths: rough(0.03, 0.08, 0.05), ZeroID: true}
	s.Tap.Link = sim.Raw
	return KnetScenario{Name: "copies-zero-id-page", Clause: "contract: duplicates",
		Proves: "the same datagram within 30 ms is a copy, later it is sent again", Expect: "as with identification",
		Setup: s, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) { t.calls(unchained(50), unchained(50), t.farewell()) }}
}

// knetPageIPv6 is a session over IPv6, on the "any" device of Linux.
func knetPageIPv6() KnetScenario {
	s := Setup{Paths: rough(0.02, 0.03, 0.03), IPv6: true}
	s.Tap.Link = sim.SLL2
	return KnetScenario{Name: "ipv6-page", Clause: "contract: duplicates",
		Proves: "IPv6 and LINUX_SLL2 are looked through; copies by time alone", Expect: "as over IPv4 without identification",
		Setup: s, A: knetpeer.PageLate(), B: knetpeer.PageLate(),
		Play: func(t *KnetTrace) { t.calls(unchained(50), unchained(50), t.farewell()) }}
}
