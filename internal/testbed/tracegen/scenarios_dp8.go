package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
)

// dp8Scenarios is every trace of DirectPlay 8 Reliable.
func dp8Scenarios() (out []Scenario) {
	for _, s := range dp8List() {
		out = append(out, s.Scenario())
	}
	return out
}

func dp8List() []DP8Scenario {
	all := []DP8Scenario{
		unsignedClean(), unsignedLossy(), fastSignedLossy(), fullSignedRotation(), fullSignedLossy(), fullSignedForged(), fastSignedForged(),
		version14(), versionMixed(), ipv6VLAN(), rawZeroID(), cooked(), fragmented(), pcapNG(),
		midstreamUnsigned(), midstreamFull(), earlyStop(), stopWhileClosing(), captureLoss(), oneDirection(), nearSender(),
		connectRetries(), confirmationLost(), confirmationLostSigned(), unanswered(), refused(),
		killedPeer(), killedProcess(), hardDisconnect(), hardDisconnectSigned(), crossingClose(), endOnData(), addressReuse(), twoClients(),
		largeMessage(), unreliable(), keepAlives(),
	}
	for _, name := range []string{"sha1", "sha1-reversed", "raw8", "last8", "xor", "unchanged", "unknown"} {
		all = append(all, modifier(name))
	}
	all = append(all, modifierReused())
	return all
}

// unsignedClean is the plainest session.
func unsignedClean() DP8Scenario {
	return DP8Scenario{Name: "unsigned-clean", Clause: "MC-DPL8R 3.1.4, 3.1.5",
		Proves: "handshake, data, piggy-backed and dedicated acknowledgements, graceful close",
		Expect: "no retry, no gap, nothing lost; all messages visible; closed by a",
		Setup:  setup(dp8peer.Unsigned, calm()),
		Play:   func(t *DP8Trace) { t.dialogue(game(60), game(60), gracefully) }}
}

// unsignedLossy has every accident of a path, on both sides of the capture.
func unsignedLossy() DP8Scenario {
	return DP8Scenario{Name: "unsigned-lossy", Clause: "MC-DPL8R 3.1.5.2.1-4, 3.1.6.5",
		Proves: "retries, network copies and reordering are told apart; losses before and after the capture point",
		Expect: "counts as in the truth; no finding against either end",
		Setup:  setup(dp8peer.Unsigned, rough(0.03, 0.02, 0.05)),
		Play:   func(t *DP8Trace) { t.dialogue(game(220), game(220), gracefully) }}
}

// fastSignedLossy signs with the secret itself.
func fastSignedLossy() DP8Scenario {
	return DP8Scenario{Name: "fast-signed-lossy", Clause: "MC-DPL8R 3.1.4.4 (fast signing)",
		Proves: "each side's frames carry its own secret, also in retries",
		Expect: "every signature valid",
		Setup:  setup(dp8peer.Fast, rough(0.03, 0.01, 0.03)),
		Play:   func(t *DP8Trace) { t.dialogue(game(120), game(120), gracefully) }}
}

// fullSignedRotation wraps several times under loss, so that retries of the last
// numbers of a cycle leave after the wrap.
func fullSignedRotation() DP8Scenario {
	return DP8Scenario{Name: "full-signed-rotation", Clause: "MC-DPL8R 3.1.4.4, 3.1.5.2.7",
		Proves: "the secret of a frame is that of its own number's epoch",
		Expect: "every signature valid; three rotations of a",
		Setup:  setup(dp8peer.Full, lossy(0.02)).both(noCoalescing),
		Play:   func(t *DP8Trace) { t.dialogue(chatter(800), chatter(40), gracefully) }}
}

// fullSignedLossy is a bit of everything: the capture the README shows.
func fullSignedLossy() DP8Scenario {
	return DP8Scenario{Name: "full-signed-lossy", Clause: "MC-DPL8R 3",
		Proves: "a lossy, fully signed session with a rotation, coalesced and large messages and a forged frame",
		Expect: "one invalid signature; everything else genuine; closed by a",
		Setup:  setup(dp8peer.Full, rough(0.025, 0.01, 0.02)),
		Play: func(t *DP8Trace) {
			a := Traffic{N: 360, Every: 24 * time.Millisecond, Burst: 2, Together: 0.3, Min: 8, Max: 60, Reliable: 0.75, Sequential: 0.95, User: 0.1, Large: []int{18000}}
			b := Traffic{N: 70, Every: 90 * time.Millisecond, Burst: 2, Min: 8, Max: 40, Reliable: 0.7, Sequential: 1, User: 0.1}
			t.dialogue(a, b, gracefully)
			t.whenSent(t.A, 200, func() { t.forge(t.conn(), forgery{"bad-signature", dp8.TypeDFrame, 0}) })
		}}
}

// fullSignedForged has a third party with wrong, old and no keys.
func fullSignedForged() DP8Scenario {
	return DP8Scenario{Name: "full-signed-forged", Clause: "MC-DPL8R 3.1.5.2.7, 3.1.5.1.4, 3.1.5.1.5",
		Proves: "forgeries change no state and are not held against the endpoints",
		Expect: "forgeries invalid, all else valid; the forged HARD_DISCONNECT ends nothing",
		Setup:  setup(dp8peer.Full, lossy(0.01)).both(noCoalescing),
		Play: func(t *DP8Trace) {
			t.dialogue(chatter(420), chatter(60), gracefully)
			for i, f := range []forgery{{"bad-signature", dp8.TypeDFrame, 0}, {"bad-signature", dp8.TypeSACK, 1},
				{"bad-signature", dp8.TypeHardDisconnect, 0}, {"unsigned", dp8.TypeSACK, 0}, {"unsigned", dp8.TypeHardDisconnect, 1}} {
				t.At(time.Duration(1000+150*i)*time.Millisecond, func() { t.forge(t.conn(), f) })
			}
			t.whenSent(t.A, 300, func() { t.forge(t.conn(), forgery{"stale-key", dp8.TypeDFrame, 0}) })
		}}
}

// fastSignedForged has a third party that does not know the secret.
func fastSignedForged() DP8Scenario {
	return DP8Scenario{Name: "fast-signed-forged", Clause: "MC-DPL8R 3.1.5.2.7 (fast signing)",
		Proves: "a wrong secret is noticed", Expect: "forgeries invalid, all else valid",
		Setup: setup(dp8peer.Fast, calm()),
		Play: func(t *DP8Trace) {
			t.dialogue(game(50), game(50), gracefully)
			t.At(400*time.Millisecond, func() { t.forge(t.conn(), forgery{"bad-signature", dp8.TypeDFrame, 1}) })
			t.At(500*time.Millisecond, func() { t.forge(t.conn(), forgery{"bad-signature", dp8.TypeHardDisconnect, 0}) })
		}}
}

// version14 is two old ends.
func version14() DP8Scenario {
	return DP8Scenario{Name: "version-1.4", Clause: "MC-DPL8R 2.2.2, 3.1.6.6 (versions below 1.5)",
		Proves: "bit 0x02 of bControl asks for an acknowledgement; KeepAlives have no payload",
		Expect: "no coalescence; two KeepAlives at the start, more in the pause",
		Setup:  setup(dp8peer.Unsigned, lossy(0.01)).versions(minor14, minor14).both(correlates),
		Play:   func(t *DP8Trace) { t.dialogue(game(60), game(60), t.lateClose(40*time.Second)) }}
}

func correlates(c *dp8peer.Config) { c.Correlate = 0.25 }

// versionMixed is an old and a new end.
func versionMixed() DP8Scenario {
	return DP8Scenario{Name: "version-mixed", Clause: "MC-DPL8R 2.2.1.1 (the lower of their two versions)",
		Proves: "the lower version rules both directions",
		Expect: "version 1.4; no coalescence by either side",
		Setup:  setup(dp8peer.Unsigned, calm()).versions(minor14, minor16).both(correlates),
		Play:   func(t *DP8Trace) { t.dialogue(game(60), game(60), t.lateClose(31*time.Second)) }}
}
