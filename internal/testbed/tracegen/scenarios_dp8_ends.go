package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
)

// connectRetries loses the first CONNECTs on the far side of the capture.
func connectRetries() DP8Scenario {
	return DP8Scenario{Name: "connect-retries", Clause: "MC-DPL8R 3.1.4.2, 3.1.6.1",
		Proves: "repeated CONNECTs are one attempt", Expect: "one connection; bMsgID grows, dwSessID stays",
		Setup: setup(dp8peer.Unsigned, calm()),
		Play: func(t *DP8Trace) {
			t.blackout(0, 0, 700*time.Millisecond)
			t.dialogue(game(20), game(20), gracefully)
		}}
}

// confirmationLost loses the connector's CONNECTED; the listener repeats its own.
func confirmationLost() DP8Scenario {
	return DP8Scenario{Name: "confirmation-lost", Clause: "MC-DPL8R 3.1.5.1.1, 3.1.5.1.2",
		Proves: "a repeated CONNECTED is answered again; data before it is ignored",
		Expect: "established; the first data frames are retried",
		Setup:  setup(dp8peer.Unsigned, calm()),
		Play: func(t *DP8Trace) {
			t.blackout(0, 45*time.Millisecond, 75*time.Millisecond)
			t.dialogue(game(20), game(20), gracefully)
		}}
}

// confirmationLostSigned loses the connector's CONNECTED_SIGNED; its KeepAlive
// prompts the listener, which kept no state, to ask again.
func confirmationLostSigned() DP8Scenario {
	return DP8Scenario{Name: "confirmation-lost-signed", Clause: "MC-DPL8R 3.1.5.1.3",
		Proves: "a stateless listener completes the handshake late",
		Expect: "the same secrets twice; every signature valid",
		Setup:  setup(dp8peer.Full, calm()),
		Play: func(t *DP8Trace) {
			t.blackout(0, 45*time.Millisecond, 75*time.Millisecond)
			t.dialogue(game(20), game(20), gracefully)
		}}
}

// unanswered calls a host that is silent.
func unanswered() DP8Scenario {
	return DP8Scenario{Name: "unanswered", Clause: "MC-DPL8R 3.1.6.1",
		Proves: "an attempt without any answer", Expect: "timed-out; CONNECTs only",
		Setup: setup(dp8peer.Unsigned, calm()),
		Play: func(t *DP8Trace) {
			t.B.Kill()
			t.A.Connect(t.B)
		}}
}

// refused calls a host where nobody listens.
func refused() DP8Scenario {
	s := setup(dp8peer.Unsigned, calm())
	s.A.ConnectRetries = 5
	return DP8Scenario{Name: "refused", Clause: "contract: state",
		Proves: "ICMP port unreachable before any answer is a refusal", Expect: "refused; one ICMP message a CONNECT",
		Setup: s, Play: func(t *DP8Trace) {
			t.B.Host.Receive = t.unreachable
			t.A.Connect(t.B)
		}}
}

// killedPeer loses its partner in mid sentence.
func killedPeer() DP8Scenario {
	return DP8Scenario{Name: "killed-peer", Clause: "MC-DPL8R 3.1.6.5 (maximum number of retries)",
		Proves: "ten retries, then silence", Expect: "timed-out",
		Setup: setup(dp8peer.Unsigned, calm()),
		Play: func(t *DP8Trace) {
			t.dialogue(game(150), game(150), gracefully)
			t.At(900*time.Millisecond, t.B.Kill)
		}}
}

// killedProcess loses the partner's process; its host answers for it.
func killedProcess() DP8Scenario {
	return DP8Scenario{Name: "killed-process", Clause: "contract: state",
		Proves: "ICMP port unreachable ends an established connection",
		Expect: "reset; retries go on, each answered by ICMP",
		Setup:  setup(dp8peer.Unsigned, calm()),
		Play: func(t *DP8Trace) {
			t.dialogue(game(100), game(100), gracefully)
			t.At(600*time.Millisecond, func() {
				t.B.Kill()
				t.B.Host.Receive = t.unreachable
			})
		}}
}

// hardDisconnect ends at once.
func hardDisconnect() DP8Scenario {
	return DP8Scenario{Name: "hard-disconnect", Clause: "MC-DPL8R 3.1.4.5, 3.1.5.1.4",
		Proves: "three HARD_DISCONNECTs and the answering three are one end", Expect: "reset, closed by a",
		Setup: setup(dp8peer.Unsigned, calm()),
		Play:  func(t *DP8Trace) { t.dialogue(game(40), game(40), (*dp8peer.Peer).HardClose) }}
}

// hardDisconnectSigned ends at once, signed, at a number past a wrap.
func hardDisconnectSigned() DP8Scenario {
	return DP8Scenario{Name: "hard-disconnect-signed", Clause: "MC-DPL8R 2.2.1.4, 3.1.4.5",
		Proves: "a HARD_DISCONNECT is signed with the secret of bRspId", Expect: "reset, closed by b; every signature valid",
		Setup: setup(dp8peer.Full, calm()).both(noCoalescing),
		Play: func(t *DP8Trace) {
			t.dialogue(chatter(270), chatter(270), func(p *dp8peer.Peer) { p.Conn().Peers[1].HardClose() })
		}}
}

// crossingClose ends on both sides within a round trip.
func crossingClose() DP8Scenario {
	return DP8Scenario{Name: "crossing-close", Clause: "MC-DPL8R 3.1.4.3",
		Proves: "neither END_STREAM is the answer to the other", Expect: "closed by both",
		Setup: setup(dp8peer.Unsigned, calm()),
		Play: func(t *DP8Trace) {
			t.dialogue(game(30), game(30), func(p *dp8peer.Peer) {
				p.Close()
				t.pause(5*time.Millisecond, p.Conn().Peers[1].Close)
			})
		}}
}

// endOnData ends with the flag on the last message.
func endOnData() DP8Scenario {
	return DP8Scenario{Name: "end-on-data", Clause: "MC-DPL8R 3.1.4.3 (it can be the final queued data packet)",
		Proves: "END_STREAM with payload carries a message", Expect: "closed by a; the last message counts",
		Setup: setup(dp8peer.Unsigned, calm()).both(func(c *dp8peer.Config) { c.EndOnLast, c.Window, c.Coalesce = true, 2, false }),
		Play: func(t *DP8Trace) {
			t.dialogue(game(30), game(30), func(p *dp8peer.Peer) {
				for range 5 {
					t.say(p, t.text(20), true, true, 0)
				}
				p.Close()
			})
		}}
}

// addressReuse has two connections between the same addresses.
func addressReuse() DP8Scenario {
	return DP8Scenario{Name: "address-reuse", Clause: "contract: a connection",
		Proves: "the session id tells connections apart, numbers start again", Expect: "two connections, each closed by a",
		Setup: setup(dp8peer.Unsigned, lossy(0.01)),
		Play: func(t *DP8Trace) {
			t.dialogue(game(40), game(40), gracefully)
			t.At(40*time.Second, func() { t.dialogue(game(40), game(40), gracefully) })
		}}
}

// keepAlives has long pauses.
func keepAlives() DP8Scenario {
	return DP8Scenario{Name: "keepalives", Clause: "MC-DPL8R 3.1.2.6, 3.1.6.6",
		Proves: "KeepAlives after 25 s of silence, numbered like data", Expect: "KeepAlives are counted apart and are no messages",
		Setup: setup(dp8peer.Full, lossy(0.03)),
		Play:  func(t *DP8Trace) { t.dialogue(game(15), game(15), t.lateClose(3*time.Minute)) }}
}

// largeMessage is one message of 358 packets.
func largeMessage() DP8Scenario {
	return DP8Scenario{Name: "large-message", Clause: "MC-DPL8R 3.1.4.4, 3.1.5.2.6",
		Proves: "a message longer than the window and than the number space is put together",
		Expect: "one message of 358 parts among small ones",
		Setup:  setup(dp8peer.Unsigned, lossy(0.01)).both(func(c *dp8peer.Config) { c.MaxPayload = 240 }),
		Play: func(t *DP8Trace) {
			a := game(10)
			a.Large = []int{357*240 + 100}
			t.dialogue(a, game(10), gracefully)
		}}
}

// unreliable loses messages that are not sent again.
func unreliable() DP8Scenario {
	return DP8Scenario{Name: "unreliable", Clause: "MC-DPL8R 3.1.5.2.4, 3.1.6.3, 3.1.6.5",
		Proves: "send masks, relative to the frame's own number, in data frames, retries and SACKs",
		Expect: "given-up numbers are missing or lost after the capture point, never not captured",
		Setup:  setup(dp8peer.Unsigned, lossy(0.04)),
		Play: func(t *DP8Trace) {
			mix := game(220)
			mix.Reliable, mix.Sequential = 0.25, 0.8
			t.dialogue(mix, mix, gracefully)
		}}
}

// modifier is a rotation whose modifier is derived in a way of its own; the text
// leaves it open.
func modifier(name string) DP8Scenario {
	return DP8Scenario{Name: "modifier-" + name, Clause: "MC-DPL8R 3.1.4.4 (AMB-DP8-12)",
		Proves: "the derivation is found by verifying, or not at all",
		Expect: "every signature valid; with the unknown derivation epoch 1 unverifiable, none invalid",
		Setup:  setup(dp8peer.Full, calm()).both(noCoalescing).both(func(c *dp8peer.Config) { c.Derive = name }),
		Play:   func(t *DP8Trace) { t.dialogue(chatter(290), chatter(20), gracefully) }}
}

// modifierReused has no reliable payload before the wrap.
func modifierReused() DP8Scenario {
	return DP8Scenario{Name: "modifier-reused", Clause: "MC-DPL8R 3.1.4.4 (the previous modifier is reused)",
		Proves: "the rotation without a payload needs no guess", Expect: "every signature valid",
		Setup: setup(dp8peer.Full, calm()).both(noCoalescing),
		Play: func(t *DP8Trace) {
			a := chatter(290)
			a.Reliable = 0
			t.dialogue(a, chatter(20), gracefully)
		}}
}

// twoClients calls one listener from two hosts at once.
func twoClients() DP8Scenario {
	return DP8Scenario{Name: "two-clients", Clause: "contract: a connection",
		Proves: "connections of one listener are told apart by their addresses", Expect: "two connections, each closed by a",
		Setup: setup(dp8peer.Full, lossy(0.01)),
		Play: func(t *DP8Trace) {
			t.dialogue(game(50), game(50), nil)
			second := t.client("192.0.2.11:2302", t.Setup.A)
			t.At(200*time.Millisecond, func() { second.Connect(t.B) })
			second.Established = t.A.Established
			t.At(20*time.Second, func() {
				for _, c := range t.World.Conns {
					c.Peers[0].Close()
				}
			})
		}}
}
