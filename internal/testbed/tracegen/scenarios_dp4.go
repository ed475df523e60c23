package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp4peer"
)

// dp4Scenarios is every trace of DirectPlay 4.
func dp4Scenarios() (out []Scenario) {
	for _, s := range dp4List() {
		out = append(out, s.Scenario())
	}
	return out
}

func dp4List() []DP4Scenario {
	return []DP4Scenario{
		dp4Clean(), dp4CleanEager(), dp4Lossy(), dp4LossyAll(), dp4NACKs(dp4.LSBFirst), dp4NACKs(dp4.MSBFirst), dp4WideMasks(),
		dp4Disorder(), dp4Wraps(), dp4Parts(), dp4PartsOwn(), dp4Unreliable(), dp4Blind(),
		dp4Pairs(), dp4Indexes(), dp4SP(), dp4FirstZero(),
		dp4Midstream(), dp4OneDirection(), dp4CaptureLoss(), dp4NearSender(), dp4NearReceiver(), dp4IPv6(), dp4ZeroID(),
		dp4Killed(), dp4Unreachable(), dp4Enumeration(), dp4Extended(), dp4Malformed(),
	}
}

// windows is a scenario between two Windows computers.
func windows(name, clause, proves, expect string, s Setup) DP4Scenario {
	return DP4Scenario{Name: name, Clause: clause, Proves: proves, Expect: expect, Setup: s, A: dp4peer.Windows(), B: dp4peer.Windows()}
}

// eager is one between two of the other kind.
func eager(name, clause, proves, expect string, s Setup) DP4Scenario {
	return DP4Scenario{Name: name, Clause: clause, Proves: proves, Expect: expect, Setup: s, A: dp4peer.Eager(), B: dp4peer.Eager()}
}

// habits changes both ends.
func (s DP4Scenario) habits(f func(c *dp4peer.Config)) DP4Scenario {
	f(&s.A)
	f(&s.B)
	return s
}

// plays sets what happens.
func (s DP4Scenario) plays(f func(t *DP4Trace)) DP4Scenario {
	s.Play = f
	return s
}

// dialogues lets player 1 at A and player 2 at B speak.
func (s DP4Scenario) dialogues(a, b Traffic) DP4Scenario {
	return s.plays(func(t *DP4Trace) { t.join(1, 2, a, b) })
}

// parted is traffic with messages of several packets.
func parted(n int, sizes ...int) Traffic {
	m := match(n)
	m.Large = sizes
	return m
}

// pieces makes frames small, so that messages take several.
func pieces(c *dp4peer.Config) { c.MaxPayload = 200 }

func dp4Clean() DP4Scenario {
	return windows("windows-clean", "MC-DPL4R 2.2.2, 2.2.4, appendix A <8>",
		"messageids, sequences, serials; ACKs by SAK and by time; a message of several packets",
		"nothing lost, no retry; established", Setup{Paths: calm()}).
		dialogues(parted(60, 4000), match(50))
}

func dp4CleanEager() DP4Scenario {
	return eager("eager-clean", "MC-DPL4R 3.1.5.2",
		"a SAK with every message, unreliable ones included, each answered at once",
		"nothing lost, no retry, no NACK; established", Setup{Paths: calm()}).
		dialogues(match(50), match(50))
}

func dp4Lossy() DP4Scenario {
	return windows("windows-lossy", "MC-DPL4R 3.1.2, appendix A <2>",
		"retries by time alone: nothing is ever reported missing", "counts as in the truth",
		Setup{Paths: lossy(0.03)}).dialogues(match(70), match(70))
}

func dp4LossyAll() DP4Scenario {
	return windows("windows-retry-all", "MC-DPL4R 3.1.2",
		"all that waits behind a lost packet is sent again, though it arrived", "many retries that are not needed",
		Setup{Paths: lossy(0.03)}).habits(func(c *dp4peer.Config) { c.RetryAll = true }).dialogues(promised(70), promised(40))
}

func dp4NACKs(o dp4.Order) DP4Scenario {
	name := map[dp4.Order]string{dp4.LSBFirst: "nacks-lsb-first", dp4.MSBFirst: "nacks-msb-first"}[o]
	return eager(name, "MC-DPL4R 2.2.3 (AMB-DP4-05)",
		"NACKs without mask and with one byte; the order of bits in the extended flags is read from the length",
		"what is reported missing is sent again", Setup{Paths: lossy(0.05)}).
		habits(func(c *dp4peer.Config) { c.Order = o }).dialogues(promised(75), promised(60))
}

// dp4WideMasks loses all that is sent in spans of time, after the capture point.
func dp4WideMasks() DP4Scenario {
	s := eager("nacks-wide-masks", "MC-DPL4R 2.2.2, 2.2.3 (AMB-DP4-04)",
		"NACK masks of two and three bytes, least significant byte first",
		"bursts of losses behind the capture point, all reported", Setup{Paths: calm()})
	s.B.FullMask = true
	return s.plays(func(t *DP4Trace) {
		talk := promised(66)
		talk.Every, talk.Burst = 20*time.Millisecond, 5
		t.join(1, 2, talk, talk)
		t.blackout(1, 150*time.Millisecond, 230*time.Millisecond)
		t.blackout(0, 300*time.Millisecond, 345*time.Millisecond)
	})
}

func dp4Disorder() DP4Scenario {
	return eager("copies-disorder", "MC-DPL4R 2.2.2 (serial), 3.1.3 (bytes received)",
		"a copy has the serial of the original, a retry the next one", "copies and reordering beside retries",
		Setup{Paths: rough(0.01, 0.05, 0.1)}).
		habits(func(c *dp4peer.Config) { c.NACKDelay = 15 * time.Millisecond }).dialogues(match(65), match(65))
}

// dp4Wraps starts shortly before the tick count wraps, too.
func dp4Wraps() DP4Scenario {
	return windows("wraps", "MC-DPL4R 2.2.2, 3.1.3 (AMB-DP4-20)",
		"messageids, sequences and tick counts begin anew", "message numbers go on above 255",
		Setup{Paths: lossy(0.005)}).plays(func(t *DP4Trace) {
		t.Hosts[1].Tick = 1<<32 - 1500
		talk := match(560)
		talk.Every, talk.Max, talk.Reliable = 25*time.Millisecond, 24, 0.5
		t.join(1, 2, talk, match(30))
	})
}

func dp4Parts() DP4Scenario {
	return windows("parts-lossy", "MC-DPL4R 2.2.2 (serial of messages that span packets)",
		"parts are joined; one serial counts all sendings of a message", "large messages complete in spite of losses",
		Setup{Paths: lossy(0.03)}).habits(pieces).
		dialogues(parted(45, 1500, 2800, 900), parted(40, 700, 2100))
}

func dp4PartsOwn() DP4Scenario {
	return eager("parts-own-serials", "MC-DPL4R 4.1.4 (AMB-DP4-13)",
		"each packet counts its own sendings, as the example has it", "as with the other count",
		Setup{Paths: lossy(0.03)}).habits(pieces).habits(func(c *dp4peer.Config) { c.OwnSerial = true }).
		dialogues(parted(45, 1500, 2800, 900), parted(40, 700, 2100))
}

func dp4Unreliable() DP4Scenario {
	mix := match(64)
	mix.Reliable, mix.Min, mix.Max = 0.25, 30, 500
	return windows("unreliable-losses", "MC-DPL4R 3.1.5.2 (unreliable messages)",
		"what is not reliable is lost for good, in parts, too; acknowledgements pass over it", "incomplete messages",
		Setup{Paths: lossy(0.04)}).habits(pieces).dialogues(mix, mix)
}

func dp4Blind() DP4Scenario {
	mix := match(84)
	mix.Reliable = 0.35
	return eager("nacks-of-unreliable", "MC-DPL4R 2.2.3, 3.1.5.2 (AMB-DP4-11)",
		"a receiver reports packets that will not be sent again, for it can't know", "missing numbers",
		Setup{Paths: lossy(0.04)}).habits(func(c *dp4peer.Config) { c.Blind = true }).dialogues(mix, mix)
}

func dp4Pairs() DP4Scenario {
	return windows("player-pairs", "MC-DPL4R 2.2.1",
		"pairs of players between the same addresses are connections of their own, with their own counts",
		"three connections; two share a player", Setup{Paths: lossy(0.02)}).plays(func(t *DP4Trace) {
		t.join(1, 2, match(35), match(30))
		t.At(300*time.Millisecond, func() { t.join(3, 4, match(25), match(25)) })
		t.At(700*time.Millisecond, func() { t.join(1, 4, match(20), match(20)) })
	})
}

func dp4Indexes() DP4Scenario {
	return eager("wide-indexes", "MC-DPL4R 2.2.1 (AMB-DP4-17)",
		"player indexes of one, two and three bytes", "bytes received leave them out",
		Setup{Paths: lossy(0.02)}).plays(func(t *DP4Trace) {
		t.join(300, 0xfffe, match(35), match(35))
		t.At(200*time.Millisecond, func() { t.join(16384, 127, match(30), match(30)) })
	})
}

func dp4SP() DP4Scenario {
	return eager("service-provider-header", "MC-DPL4CS 2.2.6",
		"twenty bytes of the service provider in front of every frame", "bytes received leave them out",
		Setup{Paths: lossy(0.02), Port: 2300}).habits(func(c *dp4peer.Config) { c.SP = true }).dialogues(parted(60, 3000), match(50))
}

func dp4FirstZero() DP4Scenario {
	s := eager("first-ids-0", "MC-DPL4R 4.1.1 (AMB-DP4-01, AMB-DP4-02)",
		"messageids and sequences that start with 0 at one side, with 1 at the other", "complete",
		Setup{Paths: lossy(0.01)})
	s.A.First = 0
	return s.dialogues(match(40), match(40))
}
