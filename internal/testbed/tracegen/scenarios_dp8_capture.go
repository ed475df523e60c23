package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// ipv6VLAN is a session over IPv6 on a tagged network.
func ipv6VLAN() DP8Scenario {
	s := setup(dp8peer.Unsigned, lossy(0.02))
	s.IPv6, s.Tap.Link = true, sim.VLAN
	return DP8Scenario{Name: "ipv6-vlan", Clause: "MC-DPL8R 2.1",
		Proves: "IPv6 and a VLAN tag are looked through",
		Expect: "as over IPv4; no identification tells copies, and there are none",
		Setup:  s, Play: func(t *DP8Trace) { t.dialogue(game(80), game(80), gracefully) }}
}

// rawZeroID has neither link layer nor IPv4 identification.
func rawZeroID() DP8Scenario {
	s := setup(dp8peer.Unsigned, rough(0.02, 0.03, 0.02))
	s.ZeroID, s.Tap.Link = true, sim.Raw
	return DP8Scenario{Name: "raw-zero-id", Clause: "MC-DPL8R 2.1",
		Proves: "copies are told from retries by the retry bit and by time alone",
		Expect: "SACK copies are not counted as duplicates",
		Setup:  s, Play: func(t *DP8Trace) { t.dialogue(game(80), game(80), gracefully) }}
}

// cooked is captured on the "any" device of Linux.
func cooked() DP8Scenario {
	s := setup(dp8peer.Fast, calm())
	s.Tap.Link = sim.SLL2
	return DP8Scenario{Name: "linux-sll2", Clause: "MC-DPL8R 2.1",
		Proves: "LINUX_SLL2 is looked through", Expect: "as over Ethernet",
		Setup: s, Play: func(t *DP8Trace) { t.dialogue(game(40), game(40), gracefully) }}
}

// fragmented sends frames that are larger than the network's packets.
func fragmented() DP8Scenario {
	s := setup(dp8peer.Unsigned, lossy(0.01))
	s.MTU = 576
	return DP8Scenario{Name: "fragmented", Clause: "MC-DPL8R 2.2.2 (SHOULD be less than the MTU)",
		Proves: "IPv4 fragments are put together",
		Expect: "the large messages are visible; a datagram with a lost fragment does not count",
		Setup:  s, Play: func(t *DP8Trace) {
			a := game(40)
			a.Large = []int{9000, 12000}
			t.dialogue(a, game(40), gracefully)
		}}
}

// pcapNG is kept in the newer file format.
func pcapNG() DP8Scenario {
	s := setup(dp8peer.Full, lossy(0.02))
	s.PcapNG = true
	return DP8Scenario{Name: "pcapng", Clause: "contract: files",
		Proves: "pcapng gives what pcap gives", Expect: "as in pcap",
		Setup: s, Play: func(t *DP8Trace) { t.dialogue(game(60), game(60), gracefully) }}
}

// midstreamUnsigned starts in the middle.
func midstreamUnsigned() DP8Scenario {
	s := setup(dp8peer.Unsigned, lossy(0.02))
	s.Tap.Start = 1500 * time.Millisecond
	return DP8Scenario{Name: "midstream-unsigned", Clause: "MC-DPL8R 3.1.5.2",
		Proves: "a session is recognised and judged without its handshake",
		Expect: "not complete; version, signing and roles inferred at best",
		Setup:  s, Play: func(t *DP8Trace) { t.dialogue(game(160), game(160), gracefully) }}
}

// midstreamFull starts in the middle of an epoch of a fully signed session. The
// secrets in force are in the truth. The payload that makes the next modifier
// passed before the capture began, so the next epoch can't be verified.
func midstreamFull() DP8Scenario {
	s := setup(dp8peer.Full, lossy(0.01)).both(noCoalescing)
	s.Tap.Start = 3 * time.Second
	return DP8Scenario{Name: "midstream-full-signed", Clause: "MC-DPL8R 3.1.4.4, 3.1.5.2.7",
		Proves: "supplied secrets serve to the end of their epoch; after that unverifiable, not invalid",
		Expect: "no invalid signature; the connector's last epoch unverifiable",
		Setup:  s, Play: func(t *DP8Trace) { t.dialogue(chatter(620), chatter(60), gracefully) }}
}

// earlyStop ends while both speak.
func earlyStop() DP8Scenario {
	s := setup(dp8peer.Unsigned, calm())
	s.Tap.Stop = 800 * time.Millisecond
	return DP8Scenario{Name: "early-stop", Clause: "contract: state",
		Proves: "silence at the end of a capture is no fault",
		Expect: "established; what is on the way at the end is not lost",
		Setup:  s, Play: func(t *DP8Trace) { t.dialogue(game(120), game(120), gracefully) }}
}

// stopWhileClosing ends between the two ends of stream.
func stopWhileClosing() DP8Scenario {
	return DP8Scenario{Name: "stop-while-closing", Clause: "contract: state",
		Proves: "half a close", Expect: "closing, by a",
		Setup: setup(dp8peer.Unsigned, calm()),
		Play: func(t *DP8Trace) {
			t.dialogue(game(20), game(20), func(p *dp8peer.Peer) {
				p.Close()
				t.Net.Tap.Stop = t.Net.Clock.Now() + 20*time.Millisecond // half a round trip
			})
		}}
}

// captureLoss misses 5% of what passes.
func captureLoss() DP8Scenario {
	s := setup(dp8peer.Unsigned, lossy(0.01))
	s.Tap.Loss = 0.05
	return DP8Scenario{Name: "capture-loss", Clause: "contract: lost.not_captured",
		Proves: "what was acknowledged and never captured was missed by the capture",
		Expect: "no finding against either end",
		Setup:  s, Play: func(t *DP8Trace) { t.dialogue(game(150), game(150), gracefully) }}
}

// oneDirection hears the connector alone.
func oneDirection() DP8Scenario {
	s := setup(dp8peer.Unsigned, lossy(0.02))
	s.Tap.Unseen = [2]bool{false, true}
	s.HideState = true
	return DP8Scenario{Name: "one-direction", Clause: "contract: recognition",
		Proves: "half a conversation is counted and not judged", Expect: "nothing of b; no finding",
		Setup: s, Play: func(t *DP8Trace) { t.dialogue(game(120), game(120), gracefully) }}
}

// nearSender is captured beside the connector: all losses of a's frames come
// after the capture point, all losses of b's before.
func nearSender() DP8Scenario {
	here, far := sim.Segment{Delay: 50 * time.Microsecond}, sim.Segment{Delay: 30 * time.Millisecond, Jitter: 3 * time.Millisecond, Loss: 0.05}
	return DP8Scenario{Name: "near-sender", Clause: "contract: lost",
		Proves: "the side of a loss", Expect: "a loses after the capture point only, b before it only",
		Setup: setup(dp8peer.Unsigned, [2]sim.Path{{Near: here, Far: far}, {Near: far, Far: here}}),
		Play:  func(t *DP8Trace) { t.dialogue(game(120), game(120), gracefully) }}
}
