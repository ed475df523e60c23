package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
)

func plainAnswer(fromListener bool) dp8.Frame {
	return command(dp8.OpConnected, fromListener, 7, dp8.Version16)
}

// TestMC_DPL8R_3_1_5_1_3_Mix: who answers in kind breaks nothing, what stands behind the
// mixture is judged, and nothing is called forged by it.
func TestMC_DPL8R_3_1_5_1_3_Mix(t *testing.T) {
	offer := signedAnswer(true, 7, connectorSecret, listenerSecret, dp8.SigningFull)
	confirm := signedAnswer(false, 7, connectorSecret, listenerSecret, dp8.SigningFull)
	neither := signedAnswer(false, 7, connectorSecret, listenerSecret, 0)
	for _, c := range []struct {
		name  string
		play  func(s *scene)
		rule  string
		frame uint64 // at fault, 0: none
	}{
		{"the listener turns round, the connector follows", func(s *scene) {
			s.send(1, offer)
			s.send(0, confirm)
			s.send(1, plainAnswer(true))
			s.send(0, plainAnswer(false))
		}, "DP8-3.1.5.1.3-MIX", 4},
		{"the connector answers in its own way", func(s *scene) {
			s.send(1, offer)
			s.send(0, plainAnswer(false))
			s.send(1, offer)
		}, "DP8-3.1.5.1.3-MIX", 3},
		{"the offer that the connector answers was not captured", func(s *scene) {
			s.send(0, plainAnswer(false))
			s.Wait(2e9)
			s.send(1, offer)
		}, "DP8-3.1.5.1.3-MIX", 0},
		{"signs in an unsigned handshake, in neither way", func(s *scene) {
			s.send(1, plainAnswer(true))
			s.send(0, neither)
		}, "DP8-2.2.1.3-OPTS-ONE", 3},
	} {
		s := newScene(t, track.Options{}, true)
		s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
		c.play(s)
		for n := range uint8(20) {
			s.send(0, data(n, n, "unsigned"))
			s.send(1, data(n, n+1, "unsigned"))
		}
		found := []session.Finding{}
		for _, f := range s.findings() {
			switch {
			case f.Rule.ID == c.rule:
				found = append(found, f)
			case f.Rule.ID[:7] == "DP8-SIG" && f.Rule.ID != "DP8-SIG-SECRETLEAK", f.Rule.ID == "DP8-2.2.2-SIG-PRESENT":
				t.Errorf("%s: found too: %s at %d: %s", c.name, f.Rule.ID, f.Frame, f.Message)
			}
		}
		if want := min(1, int(c.frame)); len(found) != want || want > 0 && found[0].Frame != c.frame {
			t.Errorf("%s: found %+v, want one at frame %d", c.name, found, c.frame)
		}
	}
}
