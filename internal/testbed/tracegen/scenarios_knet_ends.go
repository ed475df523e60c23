package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
)

// before has a connection that ends well, so that the addresses are known, and
// then tries another when then has changed the server.
func (t *KnetTrace) before(then func()) {
	t.calls(council(15), council(15), t.farewell())
	t.At(15*time.Second, func() {
		then()
		t.A.Established = nil
		t.A.Connect(t.B)
	})
}

// knetNobody calls a host where nobody listens.
func knetNobody() KnetScenario {
	return KnetScenario{Name: "refused-icmp-page", Clause: "contract: state",
		Proves: "ICMP port unreachable before any answer is a refusal", Expect: "two connections: one closed by a, one refused",
		Setup: Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) {
			t.before(func() {
				t.B.Kill()
				t.B.Gone, t.Hosts[1].Receive = nil, t.unreachable
			})
		}}
}

// knetKilledLate loses the server while nobody speaks.
func knetKilledLate() KnetScenario {
	return KnetScenario{Name: "killed-late-reference", Clause: "kNet 715850d UDPMessageConnection.cpp 373-387",
		Proves: "a server that dies while nobody speaks", Expect: "timed-out: the client pings until 15 s have passed",
		Setup: Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.calls(arena(20), arena(20), nil)
			t.B.Gone = nil
			t.At(9*time.Second, t.B.Kill)
			t.bystander(40 * time.Second)
		}}
}

// knetNobodyThere calls a host where nobody listens any more, as the library does.
func knetNobodyThere() KnetScenario {
	return KnetScenario{Name: "refused-icmp-reference", Clause: "kNet 715850d Network.cpp 776-799",
		Proves: "one connect datagram, one ICMP port unreachable", Expect: "two connections: one closed by a, one refused",
		Setup: Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.before(func() {
				t.B.Kill()
				t.B.Gone, t.Hosts[1].Receive = nil, t.unreachable
			})
		}}
}

// knetTurnedAway calls a server of the library that takes nobody.
func knetTurnedAway() KnetScenario {
	return KnetScenario{Name: "turned-away-reference", Clause: "kNet 715850d NetworkServer.cpp 296-311",
		Proves: "the library refuses by silence, and its client waits without end", Expect: "two connections: one closed by a, one opening",
		Setup: Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.before(func() { t.B.Door = knetpeer.Stealthy })
			t.bystander(60 * time.Second)
		}}
}

// knetPageUnanswered calls a host that is silent.
func knetPageUnanswered() KnetScenario {
	return KnetScenario{Name: "unanswered-page", Clause: "kNet page, Characteristic Values (ConnectTimeOut)",
		Proves: "an attempt without any answer", Expect: "two connections: one closed by a, one timed-out after ConnectSyns for 10 s",
		Setup: Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) {
			t.before(func() { t.Hosts[1].Receive = nil })
			t.bystander(30 * time.Second)
		}}
}

// knetRefused is turned away.
func knetRefused() KnetScenario {
	return KnetScenario{Name: "refused-page", Clause: "kNet page, Session Management (AMB-KN-24)",
		Proves: "a DisconnectAck in answer to ConnectSyn refuses", Expect: "two connections: one closed by a, one refused",
		Setup: Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) { t.before(func() { t.B.Door = knetpeer.Responsive }) }}
}

// knetHandshakeLost loses the first ConnectSyn and the first ConnectSynAck.
func knetHandshakeLost() KnetScenario {
	return KnetScenario{Name: "handshake-lost-page", Clause: "kNet page, Session Management",
		Proves: "a ConnectSyn sent again opens no second connection", Expect: "one connection; three ConnectSyns",
		Setup: Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) {
			t.blackout(0, 0, time.Second)
			t.blackout(1, 1500*time.Millisecond, 3*time.Second)
			t.calls(council(25), council(25), t.farewell())
		}}
}

// knetKilled loses the client's host.
func knetKilled() KnetScenario {
	return KnetScenario{Name: "killed-peer-reference", Clause: "kNet 715850d UDPMessageConnection.cpp 373-387",
		Proves: "messages sent again every 5 s, then silence without a Disconnect", Expect: "timed-out",
		Setup: Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.calls(arena(90), arena(50), nil)
			t.A.Gone = nil
			t.At(1200*time.Millisecond, t.A.Kill)
			t.bystander(30 * time.Second)
		}}
}

// knetPageKilled loses the server's host.
func knetPageKilled() KnetScenario {
	return KnetScenario{Name: "killed-peer-page", Clause: "kNet page, Characteristic Values (ConnectionLostTimeout)",
		Proves: "datagrams sent again every 2 s, silence after 15 s", Expect: "timed-out",
		Setup: Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) {
			t.calls(unchained(30), unchained(60), nil)
			t.B.Gone = nil
			t.At(3*time.Second, t.B.Kill)
			t.bystander(30 * time.Second)
		}}
}

// knetKilledICMP loses the server's process; its host answers for it.
func knetKilledICMP() KnetScenario {
	return KnetScenario{Name: "killed-process-reference", Clause: "contract: state",
		Proves: "ICMP port unreachable ends an established connection", Expect: "reset; the client closes at once",
		Setup: Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.calls(arena(80), arena(80), nil)
			t.At(1500*time.Millisecond, t.B.Kill)
		}}
}

// knetPageKilledICMP loses the client's process; a server's socket does not learn
// of it.
func knetPageKilledICMP() KnetScenario {
	return KnetScenario{Name: "killed-process-page", Clause: "contract: state",
		Proves: "datagrams go on, each answered by ICMP", Expect: "reset",
		Setup: Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) {
			t.calls(unchained(60), unchained(24), nil)
			t.At(2200*time.Millisecond, t.A.Kill)
		}}
}

// knetKicked is sent away by the server.
func knetKicked() KnetScenario {
	return KnetScenario{Name: "kicked-reference", Clause: "kNet 715850d UDPMessageConnection.cpp 612-632",
		Proves: "a Disconnect goes before what is queued, and has a reliable number that nobody acknowledges", Expect: "closed by b",
		Setup: Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.calls(arena(30), arena(30), func(*knetpeer.Peer) { t.server().Close() })
		}}
}

// knetCrossing ends on both sides within a round trip.
func knetCrossing() KnetScenario {
	return KnetScenario{Name: "crossing-close-reference", Clause: "contract: closed_by",
		Proves: "neither Disconnect is the answer to the other", Expect: "closed by both",
		Setup: Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) { t.calls(arena(25), arena(25), t.crossing()) }}
}

// crossing ends at both ends within a round trip.
func (t *KnetTrace) crossing() func(p *knetpeer.Peer) {
	return func(p *knetpeer.Peer) {
		t.pause(200*time.Millisecond, func() {
			server := t.server()
			p.Close()
			t.pause(6*time.Millisecond, server.Close)
		})
	}
}

// knetPageCrossing ends on both sides; each answers the other.
func knetPageCrossing() KnetScenario {
	return KnetScenario{Name: "crossing-close-page", Clause: "kNet page, Closing a Session (AMB-KN-11)",
		Proves: "an answer after the own Disconnect", Expect: "closed by both",
		Setup: Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) { t.calls(council(20), council(20), t.crossing()) }}
}

// knetEarly does not wait for the answer.
func knetEarly() KnetScenario {
	return KnetScenario{Name: "hasty-close-page", Clause: "kNet page, Closing a Session (3)",
		Proves: "ICMP in answer to the DisconnectAck is no reset", Expect: "closed by a",
		Setup: Setup{Paths: calm()}, A: knetpeer.PageLate(), B: knetpeer.PageLate(),
		Play: func(t *KnetTrace) {
			t.calls(council(25), council(25), func(p *knetpeer.Peer) { t.pause(300*time.Millisecond, p.CloseHastily) })
		}}
}

// knetNoAnswer waits for an answer that is lost.
func knetNoAnswer() KnetScenario {
	return KnetScenario{Name: "answer-lost-page", Clause: "kNet page, Closing a Session (2)",
		Proves: "a close needs no answer", Expect: "closed by a; the DisconnectAck is not captured",
		Setup: Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) {
			t.calls(council(25), council(25), func(p *knetpeer.Peer) {
				t.pause(300*time.Millisecond, func() {
					dark := t.Paths[1]
					dark.Near.Loss = 1
					t.Net.SetPath(1, dark)
					p.Close()
				})
			})
		}}
}

// knetUnheard loses the library's only Disconnect after the capture point.
func knetUnheard() KnetScenario {
	return KnetScenario{Name: "disconnect-lost-reference", Clause: "kNet 715850d UDPMessageConnection.cpp 612-621 (never sent again)",
		Proves: "the other side goes on for 15 s, and that is no new connection",
		Expect: "closed by a; pings of b after it, answered by ICMP",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.calls(arena(40), arena(40), func(p *knetpeer.Peer) {
				t.pause(300*time.Millisecond, func() {
					dark := t.Paths[0]
					dark.Far.Loss = 1
					t.Net.SetPath(0, dark)
					p.Close()
				})
			})
		}}
}

// knetStray has a ping that arrives after the end: the library's server takes its
// sender for someone new.
func knetStray() KnetScenario {
	return KnetScenario{Name: "second-series-reference", Clause: "kNet 715850d NetworkServer.cpp 223-354",
		Proves: "a second series of the server's PacketIDs is another connection",
		Expect: "two connections; the second one has datagrams of the server alone",
		Setup:  Setup{Paths: calm(), HideState: true}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.B.Reopens = true
			t.A.Gone = nil
			t.calls(arena(40), arena(40), func(p *knetpeer.Peer) {
				t.pause(300*time.Millisecond, func() {
					slow := t.Paths[0]
					slow.Far.Late, slow.Far.LateBy, slow.Far.Delay = 1, time.Millisecond, 400*time.Millisecond
					t.Net.SetPath(0, slow)
					t.B.Established = nil
					t.say(p, t.text(20), false, false, 0)
					t.pause(25*time.Millisecond, func() { t.Net.SetPath(0, t.Paths[0]) })
					t.pause(30*time.Millisecond, p.Close)
				})
			})
		}}
}

// knetAgain has two connections between the same addresses.
func knetAgain() KnetScenario {
	return KnetScenario{Name: "again-reference", Clause: "contract: a connection",
		Proves: "a connect datagram after a close opens another connection", Expect: "two connections, each closed by a",
		Setup: Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.calls(arena(25), arena(25), t.farewell())
			t.At(6*time.Second, func() { t.calls(arena(25), arena(25), t.farewell()) })
		}}
}

// knetPageAgain has two connections between the same addresses.
func knetPageAgain() KnetScenario {
	return KnetScenario{Name: "again-page", Clause: "contract: a connection",
		Proves: "a ConnectSyn after a close opens another connection", Expect: "two connections, each closed by a",
		Setup: Setup{Paths: lossy(0.01)}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) {
			t.calls(unchained(20), unchained(20), t.farewell())
			t.At(15*time.Second, func() { t.calls(unchained(20), unchained(20), t.farewell()) })
		}}
}
