package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// knetScenarios is every trace of kNet.
func knetScenarios() (out []Scenario) {
	for _, s := range knetList() {
		out = append(out, s.Scenario())
	}
	return out
}

func knetList() []KnetScenario {
	return []KnetScenario{
		knetClean(), knetLossy(), knet2010(), knetHello(), knetTransfers(), knetTransfersLossy(), knetSkips(), knetFlowIgnored(), knetWrap(),
		knetPage(), knetPageLossy(), knetPageLate(), knetPageWordFirst(), knetPageTransfers(), knetPageCodes(), knetPageOrder(), knetPageNewIDs(), knetPageFlow(), knetPageWrap(),
		knetMidstream(), knetPageMidstream(), knetOneDirection(), knetPageOneDirection(), knetCaptureLoss(), knetPageCaptureLoss(), knetEarlyStop(),
		knetCopies(), knetPageCopies(), knetPageZeroID(), knetZeroID(), knetIPv6(), knetPageIPv6(), knetMalformed(), knetPageMalformed(), knetThirdParty(),
		knetNobody(), knetNobodyThere(), knetTurnedAway(), knetKilledLate(), knetPageUnanswered(), knetRefused(), knetHandshakeLost(), knetKilled(), knetPageKilled(), knetKilledICMP(), knetPageKilledICMP(),
		knetKicked(), knetCrossing(), knetPageCrossing(), knetEarly(), knetNoAnswer(), knetUnheard(), knetStray(), knetAgain(), knetPageAgain(),
	}
}

// knetClean is the plainest session of the library.
func knetClean() KnetScenario {
	return KnetScenario{Name: "clean-reference", Clause: "kNet 715850d UDPMessageConnection.cpp",
		Proves: "the connect datagram, both pings of the server, reliable numbers, acknowledgements, Disconnect",
		Expect: "nothing lost, no retry; closed by a",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) { t.calls(arena(60), arena(60), t.parts(5*time.Second)) }}
}

// knetLossy has every accident of a path.
func knetLossy() KnetScenario {
	return KnetScenario{Name: "lossy-reference", Clause: "kNet 715850d UDPMessageConnection.cpp 248-258",
		Proves: "messages travel again in datagrams with new PacketIDs, together with others",
		Expect: "retries of messages, not of datagrams; closed by a",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.worsen(each(rough(0.07, 0.02, 0.05), func(s *sim.Segment) { s.LateBy = 300 * time.Millisecond }))
			long := arena(70)
			long.Every = 250 * time.Millisecond // new messages are there when old ones leave again
			t.calls(long, long, t.farewell())
		}}
}

// knet2010 is the library before 2011-02.
func knet2010() KnetScenario {
	return KnetScenario{Name: "clean-2010", Clause: "kNet a8a8c41 (2010-09)",
		Proves: "ids 0 to 3, first PacketID 0", Expect: "pings and acknowledgements are seen; closed by a",
		Setup: Setup{Paths: calm()}, A: knetpeer.Library2010(), B: knetpeer.Library2010(),
		Play: func(t *KnetTrace) {
			t.worsen(lossy(0.01))
			t.calls(arena(50), arena(50), t.parts(4*time.Second))
		}}
}

// knetHello connects with a text of the application.
func knetHello() KnetScenario {
	a := knetpeer.Library()
	a.Hello = []byte("join room 7 as robin")
	return KnetScenario{Name: "connect-text", Clause: "kNet 715850d Network.cpp 776-799",
		Proves: "a connect datagram may hold anything", Expect: "complete; its first frame is the connect datagram",
		Setup: Setup{Paths: calm(), Port: 41234}, A: a, B: knetpeer.Library(),
		Play: func(t *KnetTrace) { t.calls(arena(40), arena(40), t.farewell()) }}
}

// knetTransfers sends large messages.
func knetTransfers() KnetScenario {
	return KnetScenario{Name: "transfers-reference", Clause: "kNet 715850d MessageConnection.cpp 681-688, FragmentedTransferManager.cpp",
		Proves: "fragments of 318 bytes, four a datagram; the same transfer id again and again, and several at once",
		Expect: "every large message put together; closed by a",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			a, b := arena(30), arena(30)
			a.Large, b.Large = []int{1369, 4000, 3000, 6000}, []int{1368, 2500, 9000}
			t.calls(a, b, t.farewell())
		}}
}

// knetTransfersLossy loses and swaps fragments.
func knetTransfersLossy() KnetScenario {
	return KnetScenario{Name: "transfers-lossy-reference", Clause: "kNet page, Fragmented Transfers",
		Proves: "fragments that come before their start, or again in other datagrams",
		Expect: "every large message that is visible put together in the order of fragments",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.worsen(rough(0.06, 0.02, 0.25))
			a, b := arena(24), arena(24)
			a.Large, b.Large = []int{4000, 2000, 5000, 3000}, []int{2500, 7000, 2000}
			t.calls(a, b, t.farewell())
		}}
}

// knetSkips replaces messages that were not sent yet.
func knetSkips() KnetScenario {
	c := knetpeer.Library()
	c.Skips = true
	return KnetScenario{Name: "replaced-messages", Clause: "kNet 715850d MessageConnection.cpp 970-1005",
		Proves: "reliable numbers that were never sent are no loss", Expect: "nothing missing",
		Setup: Setup{Paths: calm()}, A: c, B: c,
		Play: func(t *KnetTrace) { t.calls(arena(50), arena(50), t.farewell()) }}
}

// knetFlowIgnored has applications that ask for a rate.
func knetFlowIgnored() KnetScenario {
	return KnetScenario{Name: "flow-control-reference", Clause: "kNet 715850d UDPMessageConnection.cpp 964-987",
		Proves: "a FlowControlRequest with a reliable number is no application message, and the library ignores it",
		Expect: "messages without the requests; closed by b",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.calls(arena(40), arena(40), func(*knetpeer.Peer) { t.pause(200*time.Millisecond, t.server().Close) })
			t.At(300*time.Millisecond, func() { t.server().Ask(0) })
			t.At(500*time.Millisecond, func() { t.A.Peer(t.Hosts[1]).Ask(30) })
		}}
}

// knetWrap passes the ends of all ranges under loss.
func knetWrap() KnetScenario {
	s := Setup{Paths: calm()}
	s.Tap.Start = 100 * time.Millisecond
	return KnetScenario{Name: "wrap-reference", Clause: "kNet 715850d NetworkMessage.h 37-40",
		Proves: "PacketIDs wrap at 2^22 and reliable numbers at 2^31", Expect: "no gap at the wraps; message numbers go on from 2^31",
		Setup: s, A: late(knetpeer.Library(), 40, 30), B: late(knetpeer.Library(), 60, 25),
		Play: func(t *KnetTrace) {
			t.worsen(rough(0.03, 0.01, 0.05))
			t.calls(arena(90), arena(80), t.farewell())
		}}
}

// knetCopies has a network that doubles.
func knetCopies() KnetScenario {
	return KnetScenario{Name: "copies-reference", Clause: "contract: duplicates",
		Proves: "a PacketID twice is a copy, whatever its identification", Expect: "no copy is a retry or a second message",
		Setup: Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.worsen(rough(0.01, 0.08, 0.06))
			t.calls(arena(60), arena(60), t.farewell())
		}}
}

// knetZeroID has no identification to go by.
func knetZeroID() KnetScenario {
	s := Setup{Paths: calm(), ZeroID: true}
	s.Tap.Link = sim.Raw
	return KnetScenario{Name: "copies-zero-id-reference", Clause: "contract: duplicates",
		Proves: "PacketIDs alone tell copies", Expect: "as with identification",
		Setup: s, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.worsen(rough(0.02, 0.08, 0.06))
			t.calls(arena(60), arena(60), t.farewell())
		}}
}

// knetIPv6 is the library's format over IPv6, which the library itself does not
// know.
func knetIPv6() KnetScenario {
	s := Setup{Paths: calm(), IPv6: true}
	s.Tap.Link = sim.VLAN
	return KnetScenario{Name: "ipv6-reference", Clause: "contract: duplicates",
		Proves: "IPv6 and a VLAN tag are looked through; PacketIDs tell copies", Expect: "as over IPv4",
		Setup: s, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.worsen(rough(0.02, 0.03, 0.03))
			t.calls(arena(50), arena(50), t.farewell())
		}}
}
