package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp4peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

func dp4Midstream() DP4Scenario {
	return windows("midstream", "MC-DPL4R 3.1.3",
		"a connection is recognised and counted without its start", "not complete; state unknown",
		Setup{Paths: lossy(0.02), Tap: sim.Tap{Start: 1500 * time.Millisecond}}).dialogues(match(130), match(130))
}

// dp4OneDirection loses a direction: from then on, B is not heard.
func dp4OneDirection() DP4Scenario {
	return eager("goes-deaf", "contract: recognition",
		"half a conversation is counted and not judged", "nothing of b behind the first second",
		Setup{Paths: lossy(0.01), HideState: true}).plays(func(t *DP4Trace) {
		t.join(1, 2, match(90), match(90))
		t.At(time.Second, func() { t.Net.Tap.Unseen[1] = true })
	})
}

func dp4CaptureLoss() DP4Scenario {
	s := Setup{Paths: lossy(0.01), Tap: sim.Tap{Loss: 0.05}}
	return eager("capture-misses", "contract: lost.not_captured",
		"what was acknowledged and never captured was missed by the capture", "no loss that was not", s).
		dialogues(match(75), match(75))
}

// beside is a path whose capture point lies beside A.
func beside() [2]sim.Path {
	here, far := sim.Segment{Delay: 50 * time.Microsecond}, sim.Segment{Delay: 25 * time.Millisecond, Jitter: 2 * time.Millisecond, Loss: 0.06}
	return [2]sim.Path{{Near: here, Far: far}, {Near: far, Far: here}}
}

func dp4NearSender() DP4Scenario {
	return eager("near-the-sender", "contract: lost",
		"losses behind the capture point show in what is sent again", "a loses behind the capture point alone",
		Setup{Paths: beside()}).dialogues(promised(90), promised(10))
}

func dp4NearReceiver() DP4Scenario {
	return eager("near-the-receiver", "contract: lost",
		"losses before the capture point show in what is reported missing", "b loses before the capture point alone",
		Setup{Paths: beside()}).dialogues(promised(10), promised(90))
}

func dp4IPv6() DP4Scenario {
	return windows("over-ipv6", "contract: a network copy",
		"without identification, the serial tells copies from retries", "as over IPv4",
		Setup{Paths: rough(0.02, 0.01, 0.02), IPv6: true}).dialogues(match(50), match(50))
}

func dp4ZeroID() DP4Scenario {
	s := Setup{Paths: rough(0.02, 0.04, 0.02), ZeroID: true, Tap: sim.Tap{Link: sim.Raw}}
	return eager("zero-identification", "contract: a network copy",
		"copies of data frames are told by their serial; acknowledgements have nothing that tells", "copies of data frames alone", s).
		dialogues(match(60), match(60))
}

// dp4Killed has B vanish; another search for sessions shows that time goes on.
func dp4Killed() DP4Scenario {
	return windows("peer-vanishes", "MC-DPL4R 3.1.6",
		"retries of one packet without an answer, then silence", "timed-out",
		Setup{Paths: calm()}).plays(func(t *DP4Trace) {
		talk := promised(120)
		talk.Burst = 2
		t.join(1, 2, talk, match(60))
		t.At(2*time.Second, t.B.Kill)
		t.searches(20, 4*time.Second)
	})
}

func dp4Unreachable() DP4Scenario {
	return windows("port-unreachable", "contract: state",
		"ICMP says that nobody listens any more", "reset",
		Setup{Paths: calm()}).plays(func(t *DP4Trace) {
		t.B.Gone = t.unreachable
		t.join(1, 2, promised(120), match(60))
		t.At(2*time.Second, t.B.Kill)
	})
}

// dp4Enumeration has messages of the core on the same and on other ports, before
// and within the session.
func dp4Enumeration() DP4Scenario {
	return windows("enumeration-beside", "MC-DPL4CS 2.2",
		"messages of the core that are not in the envelope belong to no connection", "two dozen neighbours",
		Setup{Paths: calm(), Port: 2300}).plays(func(t *DP4Trace) {
		a, b := t.Hosts[0], t.Hosts[1]
		t.searches(6, 600*time.Millisecond)
		for i := range 6 {
			t.At(time.Duration(i)*500*time.Millisecond, func() { t.asks(a, b, ping, t.text(8)) })
			t.At(time.Duration(i)*500*time.Millisecond+30*time.Millisecond, func() { t.asks(b, a, pingReply, t.text(8)) })
		}
		t.At(150*time.Millisecond, func() { t.join(1, 2, match(50), match(50)) })
	})
}

// dp4Extended has an endpoint that sends masks with its data, which the text
// draws and forbids.
func dp4Extended() DP4Scenario {
	return eager("extended-data-frames", "MC-DPL4R 2.2.2 (CMD with EXT; AMB-DP4-06)",
		"data frames with extended flags are shown and change nothing", "data frames that are no retries and fill no gap",
		Setup{Paths: calm()}).plays(func(t *DP4Trace) {
		p, q := t.join(1, 2, match(45), match(45))
		for i := range 8 {
			t.At(time.Duration(300+180*i)*time.Millisecond, func() { p.Extended(t.text(20), 0x05, i%4) })
			t.At(time.Duration(390+180*i)*time.Millisecond, func() { q.Extended(t.text(9), 0x0103, 3-i%4) })
		}
	})
}

// dp4Malformed has frames that end too soon, and an index that does not end.
func dp4Malformed() DP4Scenario {
	return windows("malformed-frames", "MC-DPL4R 2.2.1, 2.2.3, 2.2.4",
		"frames that can't be decoded are counted and change nothing", "six malformed datagrams",
		Setup{Paths: calm()}).plays(func(t *DP4Trace) {
		p, q := t.join(1, 2, match(45), match(45))
		for i, f := range []func(p *dp4peer.Peer){
			func(p *dp4peer.Peer) { p.Truncated(dp4.ACK, 4) },
			func(p *dp4peer.Peer) { p.Truncated(dp4.ACK|dp4.EXT, 1) },
			func(p *dp4peer.Peer) { p.Broken([]byte{0xfe, 0xff, 0x83, 1, 0x38, 1, 1, 0, 0}) },
		} {
			t.At(time.Duration(700+300*i)*time.Millisecond, func() { f(p) })
			t.At(time.Duration(800+300*i)*time.Millisecond, func() { f(q) })
		}
	})
}
