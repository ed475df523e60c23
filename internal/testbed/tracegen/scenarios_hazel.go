package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// hazelScenarios is every trace of Hazel.
func hazelScenarios() (out []Scenario) {
	for _, s := range hazelList() {
		out = append(out, s.Scenario())
	}
	return out
}

func hazelList() []HazelScenario {
	return []HazelScenario{
		hazelMay14(), hazelMay30(), hazelPage(), hazelPageLossy(), hazelV01(), hazelV01Lossy(), hazelV01Fragments(), hazelAck3Early(), hazelAck3(),
		hazelCurrent(), hazelCurrentLossy(), hazelFirstOne(), hazelFE(), hazelLate(), hazelSkeld(), hazelFork(), hazelMixedIDs(), hazelMixedOld(),
		hazelWrap(), hazelWrapOld(), hazelMidstream(), hazelMidstreamOld(), hazelOneDirection(), hazelCaptureLoss(), hazelEarlyStop(),
		hazelCopies(), hazelZeroID(), hazelIPv6(), hazelMalformed(), hazelLAN(), hazelDTLS(),
		hazelKeepAlives(), hazelKeepAlivesOld(), hazelKeepAlivesBare(), hazelKeepAlivesEmpty(),
		hazelRefused(), hazelNobody(), hazelUnanswered(), hazelUnansweredOld(), hazelKilled(), hazelKilledICMP(), hazelKilledOld(), hazelPingDeath(),
		hazelPageOpen(), hazelPageKilled(), hazelKicked(), hazelCrossing(), hazelRestart(), hazelStrays(),
		hazelHostile(),
	}
}

// hazelMay14 speaks the first format that has a name.
func hazelMay14() HazelScenario {
	return HazelScenario{Name: "clean-2016-05-14", Clause: "Hazel 55d0574 SendOptionInternal.cs",
		Proves: "the type values of 2016-05-14", Expect: "closed by a with one byte, FE, that is not answered",
		Setup: Setup{Paths: calm(), Port: 4296}, A: hazelpeer.May14(), B: hazelpeer.May14(),
		Play: func(t *HazelTrace) { t.calls(bustle(30), bustle(30), bye) }}
}

// hazelMay30 has the values of the fortnight after.
func hazelMay30() HazelScenario {
	return HazelScenario{Name: "lossy-2016-05-30", Clause: "Hazel 544fedd SendOptionInternal.cs",
		Proves: "the type values of 2016-05-30; retries double from 200 ms", Expect: "counts as in the truth; closed by a",
		Setup: Setup{Paths: lossy(0.03), Port: 4296}, A: hazelpeer.May30(), B: hazelpeer.May30(),
		Play: func(t *HazelTrace) { t.calls(bustle(40), bustle(40), bye) }}
}

// hazelPage is the page, with a Hello of three bytes.
func hazelPage() HazelScenario {
	return HazelScenario{Name: "clean-spec", Clause: "Hazel page, Reliable Delivery",
		Proves: "ids, acknowledgements of three bytes, unreliable data without a number", Expect: "nothing lost, no retry; closed by a",
		Setup: Setup{Paths: calm(), Port: 4296}, A: hazelpeer.Page(), B: hazelpeer.Page(),
		Play: func(t *HazelTrace) { t.calls(bustle(30), bustle(30), bye) }}
}

// hazelPageLossy has every accident of a path.
func hazelPageLossy() HazelScenario {
	return HazelScenario{Name: "lossy-spec", Clause: "Hazel page, Reliable Delivery",
		Proves: "retries, copies and reordering are told apart without history", Expect: "counts as in the truth; closed by a",
		Setup: Setup{Paths: rough(0.03, 0.02, 0.05), Port: 4296}, A: hazelpeer.PageLate(), B: hazelpeer.PageLate(),
		Play: func(t *HazelTrace) { t.calls(bustle(45), bustle(45), bye) }}
}

// hazelV01 is the first release.
func hazelV01() HazelScenario {
	return HazelScenario{Name: "clean-0.1", Clause: "Hazel v0.1.2 Reliable.cs",
		Proves: "a lone fragment is a message of its own", Expect: "dialect 0.1; closed by b",
		Setup: Setup{Paths: calm(), Port: 4296}, A: hazelpeer.V012(), B: hazelpeer.V012(),
		Play: func(t *HazelTrace) {
			t.calls(bustle(40), bustle(30), func(*hazelpeer.Peer) { t.B.Peer(t.Hosts[0]).Close(nil) })
		}}
}

// hazelV01Lossy repeats within two round trips.
func hazelV01Lossy() HazelScenario {
	quick := each(lossy(0.03), func(s *sim.Segment) { s.Delay, s.Jitter = 3*time.Millisecond, time.Millisecond })
	return HazelScenario{Name: "lossy-0.1", Clause: "Hazel v0.1.2 Reliable.cs",
		Proves: "quick retries are no copies", Expect: "counts as in the truth; closed by a",
		Setup: Setup{Paths: quick, Port: 4296}, A: hazelpeer.V012(), B: hazelpeer.V012(),
		Play: func(t *HazelTrace) { t.calls(bustle(45), bustle(45), bye) }}
}

// hazelV01Fragments sends messages above 65,500 bytes.
func hazelV01Fragments() HazelScenario {
	return HazelScenario{Name: "fragments-0.1", Clause: "Hazel v0.1.2 Fragmented.cs",
		Proves: "fragments of a message, each in fragments of IPv4", Expect: "a message of three fragments; closed by a",
		Setup: Setup{Paths: calm(), Port: 4296}, A: hazelpeer.V012(), B: hazelpeer.V012(),
		Play: func(t *HazelTrace) {
			a := bustle(12)
			a.Large = []int{2*65500 + 40}
			t.calls(a, bustle(12), bye)
		}}
}

// hazelAck3Early repeats its Pings.
func hazelAck3Early() HazelScenario {
	return HazelScenario{Name: "pings-ack3", Clause: "Hazel adf9b30 (2019-03), KeepAlive.cs",
		Proves: "Pings are sent again like data; acknowledgements of three bytes", Expect: "dialect ack3; keep-alives among the retries; closed by a, not answered",
		Setup: Setup{Paths: lossy(0.06)}, A: hazelpeer.Ack3Early(), B: hazelpeer.Ack3Early(),
		Play: func(t *HazelTrace) { t.calls(bustle(15), bustle(15), t.later(50*time.Second)) }}
}

// hazelAck3 is the last release with acknowledgements of three bytes.
func hazelAck3() HazelScenario {
	return HazelScenario{Name: "lossy-ack3", Clause: "Hazel 2019-10, Reliable.cs",
		Proves: "a Disconnect that is answered", Expect: "dialect ack3; closed by a",
		Setup: Setup{Paths: rough(0.03, 0.01, 0.03)}, A: hazelpeer.Ack3(), B: hazelpeer.Ack3(),
		Play: func(t *HazelTrace) { t.calls(bustle(40), bustle(40), t.later(5*time.Second)) }}
}

// hazelCurrent is the plainest session of today.
func hazelCurrent() HazelScenario {
	return HazelScenario{Name: "clean-current", Clause: "Hazel c6a228c Reliable.cs",
		Proves: "ids from 0, history, Disconnect and its answer, ICMP after the end", Expect: "nothing lost, no retry; closed by a",
		Setup: Setup{Paths: calm()}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(40), bustle(40), bye) }}
}

// hazelCurrentLossy has every accident of a path.
func hazelCurrentLossy() HazelScenario {
	return HazelScenario{Name: "lossy-current", Clause: "Hazel c6a228c Reliable.cs",
		Proves: "the history acknowledges what a lost acknowledgement did not", Expect: "counts as in the truth; closed by a",
		Setup: Setup{Paths: rough(0.04, 0.02, 0.05)}, A: hazelpeer.Now(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(45), bustle(45), bye) }}
}

// hazelFirstOne counts from 1 and so leaves 0 missing for ever.
func hazelFirstOne() HazelScenario {
	return HazelScenario{Name: "first-id-1", Clause: "Hazel 885ce22 Reliable.cs",
		Proves: "the history of the first eight ids denies id 0, which never was", Expect: "no gap, nothing missing",
		Setup: Setup{Paths: lossy(0.02)}, A: hazelpeer.One(), B: hazelpeer.One(),
		Play: func(t *HazelTrace) { t.calls(bustle(30), bustle(30), bye) }}
}

// hazelFE has the release whose history is always FE.
func hazelFE() HazelScenario {
	return HazelScenario{Name: "history-fe", Clause: "Hazel 2ceee1f (2020-04) Reliable.cs",
		Proves: "a history that lies acknowledges, and proves no loss", Expect: "reliable messages that are lost for good; nothing claimed lost that was not",
		Setup: Setup{Paths: lossy(0.04)}, A: hazelpeer.FE(), B: hazelpeer.FE(),
		Play: func(t *HazelTrace) { t.calls(bustle(45), bustle(45), bye) }}
}

// hazelLate has the releases whose history lags after.
func hazelLate() HazelScenario {
	return HazelScenario{Name: "history-late", Clause: "Hazel a8b72ec (2020-04) Reliable.cs",
		Proves: "the acknowledgement that jumps a gap claims it was received", Expect: "counts as in the truth",
		Setup: Setup{Paths: rough(0.04, 0.01, 0.04)}, A: hazelpeer.Sep20(), B: hazelpeer.Sep20(),
		Play: func(t *HazelTrace) { t.calls(bustle(45), bustle(45), bye) }}
}

// hazelSkeld has a client whose history means nothing.
func hazelSkeld() HazelScenario {
	return HazelScenario{Name: "skeldjs", Clause: "SkeldJS client",
		Proves: "a history of zeros denies nothing", Expect: "counts as in the truth; closed by a",
		Setup: Setup{Paths: lossy(0.02)}, A: hazelpeer.Skeld(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(35), bustle(35), bye) }}
}

// hazelFork is the fork with fragments of its own.
func hazelFork() HazelScenario {
	return HazelScenario{Name: "fragments-fork36", Clause: "Hazel pull request 36",
		Proves: "fragments with a little-endian message id; MTU tests are no data", Expect: "dialect fork36; large messages put together; closed by a",
		Setup: Setup{Paths: rough(0.02, 0.01, 0.02)}, A: hazelpeer.Fork(), B: hazelpeer.Fork(),
		Play: func(t *HazelTrace) {
			a, b := bustle(20), bustle(20)
			a.Large, b.Large = []int{3500, 8000}, []int{1900}
			t.calls(a, b, bye)
		}}
}

// hazelMixedIDs is an older client at a server of today.
func hazelMixedIDs() HazelScenario {
	return HazelScenario{Name: "mixed-ids", Clause: "Hazel 40d1d69, Reliable.cs",
		Proves: "first ids and histories are each side's own", Expect: "ids of a from 1, of b from 0",
		Setup: Setup{Paths: lossy(0.03)}, A: hazelpeer.Sep20(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(35), bustle(35), bye) }}
}

// hazelMixedOld is a client of 2019 at a server of today.
func hazelMixedOld() HazelScenario {
	return HazelScenario{Name: "mixed-ack3-current", Clause: "Hazel 2ceee1f Reliable.cs",
		Proves: "each direction has a dialect of its own", Expect: "a is ack3, b is current",
		Setup: Setup{Paths: lossy(0.02)}, A: hazelpeer.Ack3(), B: hazelpeer.Now(),
		Play: func(t *HazelTrace) { t.calls(bustle(30), bustle(30), t.later(4*time.Second)) }}
}
