package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
)

// hazelKeepAlives is silent for a while, under loss.
func hazelKeepAlives() HazelScenario {
	return HazelScenario{Name: "keepalives-current", Clause: "Hazel c6a228c KeepAlive.cs",
		Proves: "Pings use ids and are never sent again", Expect: "lost Pings leave numbers that are not acknowledged; no retry of them",
		Setup: Setup{Paths: lossy(0.04)}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(12), bustle(12), t.later(70*time.Second)) }}
}

// hazelKeepAlivesOld keeps alive with Hellos.
func hazelKeepAlivesOld() HazelScenario {
	return HazelScenario{Name: "keepalives-0.1", Clause: "Hazel v0.1.2 KeepAlive.cs",
		Proves: "a Hello on a live connection keeps it alive and opens none", Expect: "one connection; Hellos of four bytes counted as keep-alives",
		Setup: Setup{Paths: lossy(0.03), Port: 4296}, A: hazelpeer.V012(), B: hazelpeer.V012(),
		Play: func(t *HazelTrace) { t.calls(bustle(15), bustle(15), t.later(3*time.Minute)) }}
}

// hazelKeepAlivesBare keeps alive with Hellos of three bytes.
func hazelKeepAlivesBare() HazelScenario {
	return HazelScenario{Name: "keepalives-spec", Clause: "Hazel 5acdf3f KeepAlive.cs",
		Proves: "Hellos that are their id alone", Expect: "one connection; keep-alives of both sides",
		Setup: Setup{Paths: calm(), Port: 4296}, A: hazelpeer.Page(), B: hazelpeer.Page(),
		Play: func(t *HazelTrace) { t.calls(bustle(10), bustle(10), t.later(100*time.Second)) }}
}

// hazelKeepAlivesEmpty keeps alive with Reliables that hold nothing.
func hazelKeepAlivesEmpty() HazelScenario {
	return HazelScenario{Name: "keepalives-2016-05-14", Clause: "Hazel 55d0574 KeepAlive.cs",
		Proves: "an empty Reliable after a silence is a keep-alive and no message", Expect: "keep-alives of both sides; as many messages as were said",
		Setup: Setup{Paths: lossy(0.04), Port: 4296}, A: hazelpeer.May14(), B: hazelpeer.May14(),
		Play: func(t *HazelTrace) { t.calls(bustle(10), bustle(10), t.later(100*time.Second)) }}
}

// hazelPageOpen is another implementation of the page.
func hazelPageOpen() HazelScenario {
	return HazelScenario{Name: "open-spec", Clause: "Hazel page, Keepalive packets",
		Proves: "first ids and the interval of keep-alives, which the page leaves open", Expect: "dialect spec; empty Reliables every 2 s that are no messages",
		Setup: Setup{Paths: lossy(0.04), Port: 4296}, A: hazelpeer.Open(0), B: hazelpeer.Open(5000),
		Play: func(t *HazelTrace) { t.calls(bustle(15), bustle(15), t.later(60*time.Second)) }}
}

// hazelPageKilled sends one packet seven times, and says that it gives up.
func hazelPageKilled() HazelScenario {
	return HazelScenario{Name: "killed-open-spec", Clause: "Hazel page, Reliable Delivery",
		Proves: "a Disconnect when the doubled interval has run out is no close", Expect: "timed-out",
		Setup: Setup{Paths: calm(), Port: 4296}, A: hazelpeer.Open(1), B: hazelpeer.Open(1),
		Play: func(t *HazelTrace) {
			t.A.Gone = nil
			t.At(3*time.Second, t.A.Kill)
			t.calls(bustle(15), bustle(15), nil)
		}}
}

// hazelRefused is turned away.
func hazelRefused() HazelScenario {
	return HazelScenario{Name: "refused", Clause: "Hazel 5cfc61b ThreadLimitedUdpConnectionListener.cs",
		Proves: "a Disconnect before any acknowledgement refuses", Expect: "refused; the client answers",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.B.Refuse = reason(5)
			t.A.Connect(t.B)
		}}
}

// hazelNobody calls a host where nobody listens.
func hazelNobody() HazelScenario {
	return HazelScenario{Name: "refused-icmp", Clause: "contract: state",
		Proves: "ICMP port unreachable before any answer is a refusal", Expect: "refused; Hellos, each answered by ICMP, then a Disconnect",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.Hosts[1].Receive = t.unreachable
			t.A.Connect(t.B)
		}}
}

// hazelUnanswered calls a host that is silent.
func hazelUnanswered() HazelScenario {
	return HazelScenario{Name: "unanswered", Clause: "Hazel c6a228c Reliable.cs (5 s)",
		Proves: "an attempt without any answer", Expect: "timed-out; Hellos for 5 s, then a Disconnect that closes nothing",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.Hosts[1].Receive = nil
			t.A.Connect(t.B)
		}}
}

// hazelUnansweredOld calls a host that is silent, as the releases of 2016 did.
func hazelUnansweredOld() HazelScenario {
	return HazelScenario{Name: "unanswered-0.1", Clause: "Hazel v0.1.2 Reliable.cs (three resends)",
		Proves: "four Hellos, then silence", Expect: "timed-out; nothing but Hellos",
		Setup: Setup{Paths: calm(), Port: 4296}, A: hazelpeer.V012(), B: hazelpeer.V012(),
		Play: func(t *HazelTrace) {
			t.Hosts[1].Receive = nil
			t.A.Connect(t.B)
			t.passer(20 * time.Second)
		}}
}

// hazelKilled loses the client's host in mid sentence.
func hazelKilled() HazelScenario {
	return HazelScenario{Name: "killed-peer", Clause: "Hazel c6a228c Reliable.cs (5 s)",
		Proves: "retries for 5 s, then a Disconnect nobody hears", Expect: "timed-out",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(60), bustle(30), bye)
			t.A.Gone = nil
			t.At(700*time.Millisecond, t.A.Kill)
		}}
}

// hazelKilledICMP loses the client's process; its host answers for it.
func hazelKilledICMP() HazelScenario {
	return HazelScenario{Name: "killed-process", Clause: "contract: state",
		Proves: "ICMP port unreachable ends an established connection", Expect: "reset; retries go on, each answered by ICMP, then a Disconnect",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(60), bustle(24), bye)
			t.At(600*time.Millisecond, t.A.Kill)
		}}
}

// hazelKilledOld loses the server of an old release.
func hazelKilledOld() HazelScenario {
	return HazelScenario{Name: "killed-peer-spec", Clause: "Hazel e001519 Reliable.cs (three resends)",
		Proves: "three resends, then silence without a Disconnect", Expect: "timed-out",
		Setup: Setup{Paths: calm(), Port: 4296}, A: hazelpeer.PageLate(), B: hazelpeer.PageLate(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(60), bustle(60), bye)
			t.B.Gone = nil
			t.At(800*time.Millisecond, t.B.Kill)
			t.passer(20 * time.Second)
		}}
}

// hazelPingDeath loses the server while nobody speaks.
func hazelPingDeath() HazelScenario {
	return HazelScenario{Name: "ping-death", Clause: "Hazel c6a228c KeepAlive.cs (six Pings)",
		Proves: "six Pings without an answer, then a Disconnect", Expect: "timed-out",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(12), bustle(12), nil)
			t.B.Gone = nil
			t.At(8*time.Second, t.B.Kill)
		}}
}

// hazelKicked is sent away by the server with a reason.
func hazelKicked() HazelScenario {
	return HazelScenario{Name: "kicked", Clause: "Hazel 6a22870 NetworkConnection.cs",
		Proves: "the data of a Disconnect is no message", Expect: "closed by b; answered by a",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(20), bustle(20), func(*hazelpeer.Peer) { t.B.Peer(t.Hosts[0]).Close(reason(7)) })
		}}
}

// hazelHostile is sent away with a text that would colour a terminal, break a table, run a
// script in a ticket and turn a line around.
func hazelHostile() HazelScenario {
	text := "\x1b[31mred\x07 | `code` <script>alert(1)</script> [link](http://x) \u202eevil\u2066\r\n::error::=1+1"
	return HazelScenario{Name: "kicked-hostile", Clause: "Hazel 6a22870 NetworkConnection.cs",
		Proves: "what packets carry speaks to no terminal and no page", Expect: "closed by b; answered by a",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(6), bustle(6), func(*hazelpeer.Peer) { t.B.Peer(t.Hosts[0]).Close(told(text)) })
		}}
}

// hazelCrossing ends on both sides within a round trip.
func hazelCrossing() HazelScenario {
	return HazelScenario{Name: "crossing-close", Clause: "contract: closed_by",
		Proves: "neither Disconnect is the answer to the other", Expect: "closed by both",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(15), bustle(15), func(p *hazelpeer.Peer) {
				server := t.B.Peer(t.Hosts[0])
				p.Close(nil)
				t.pause(5*time.Millisecond, func() { server.Close(reason(7)) })
			})
		}}
}

// hazelRestart has two connections between the same addresses.
func hazelRestart() HazelScenario {
	return HazelScenario{Name: "restart", Clause: "contract: a connection",
		Proves: "a Hello with ids that start again opens another connection", Expect: "two connections, each closed by a",
		Setup: Setup{Paths: lossy(0.01)}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(25), bustle(25), bye)
			t.At(4*time.Second, func() { t.calls(bustle(25), bustle(25), bye) })
		}}
}

// hazelStrays has datagrams after the end.
func hazelStrays() HazelScenario {
	return HazelScenario{Name: "strays", Clause: "contract: a connection",
		Proves: "what comes after a Disconnect belongs to the connection that ended, and opens none", Expect: "one connection, closed by a",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(15), bustle(80), nil)
			t.At(time.Second, func() { t.A.Peer(t.Hosts[1]).Close(nil) })
			for i := range 3 {
				t.At(time.Duration(2000+700*i)*time.Millisecond, func() {
					t.raw(0, []byte{0, 3, 0, 5, 'l', 'a', 't'}, func(n *note.Note) {
						m := t.Book.Message(t.Book.Conns[0], 0, &note.Message{ID: 1000 + i, Data: []byte{3, 0, 5, 'l', 'a', 't'}, Number: -1, Sent: true})
						n.Type, n.Data, n.Parts = "NONE", true, []note.Part{{Message: m}}
					})
				})
			}
		}}
}
