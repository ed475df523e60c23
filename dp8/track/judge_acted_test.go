package track_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/rules"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// TestMC_DPL8R_3_1_5_2_7_ActedOnWhatMustBeIgnored: who acknowledges a frame with a wrong signature, or
// a KeepAlive of another session, acted on it. Nobody is told so of whom the capture may have
// missed the good frame, or another connection have begun: what is doubtful of the frame is so of
// its acknowledgement.
func TestMC_DPL8R_3_1_5_2_7_ActedOnWhatMustBeIgnored(t *testing.T) {
	signed := func(f dp8.Frame, by dp8.Secret) dp8.Frame {
		if f.Type == dp8.TypeSACK {
			f.SACK.HasSignature, f.SACK.Signature = true, by
		} else {
			f.DFrame.HasSignature, f.DFrame.Signature = true, by
		}
		return f
	}
	otherID := func(s *scene) { s.send(0, keepAlive(3, 0, 8)) }
	for _, c := range []struct {
		name   string
		rule   string
		signed bool
		play   func(s *scene)
		want   string // passes, failures, and those without verdict for CLEAN and LIFE
	}{
		{"a forged frame", "DP8-SIG-ACTED", true, func(s *scene) { s.forge(3) }, "0 1 0 0"},
		{"… and the good one was captured before it", "DP8-SIG-ACTED", true, func(s *scene) {
			s.send(0, signed(data(3, 0, "x"), connectorSecret))
			s.forge(3)
		}, "1 0 0 0"},
		{"… after it", "DP8-SIG-ACTED", true, func(s *scene) {
			s.forge(3)
			s.send(0, signed(data(3, 0, "x"), connectorSecret))
		}, "1 0 0 0"},
		{"… a frame is missing", "DP8-SIG-ACTED", true, func(s *scene) {
			s.send(0, signed(data(8, 0, "x"), connectorSecret))
			s.forge(3)
		}, "0 0 1 0"},
		{"… the side was silent for so long that it may be another connection's", "DP8-SIG-ACTED", true, func(s *scene) {
			s.Wait(11000)
			s.forge(3)
		}, "0 0 0 1"},
		{"… and the good one is captured behind the acknowledgement", "DP8-SIG-ACTED", true, func(s *scene) {
			s.forge(3)
			s.send(1, signed(sack(0, 4, 0), listenerSecret))
			s.send(0, signed(data(3, 0, "x"), connectorSecret))
		}, "1 0 0 0"},
		{"a KeepAlive of another session", "DP8-2.2.2-KA-ACTED", false, otherID, "0 1 0 0"},
		{"… whose id comes again", "DP8-2.2.2-KA-ACTED", false, func(s *scene) {
			otherID(s)
			s.send(1, sack(0, 4, 0))
			s.send(0, keepAlive(4, 0, 8))
		}, "0 0 0 1"},
	} {
		p := rules.New(track.Options{})
		s := &scene{sessiontest.New(t, hosts, session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})}
		sign := func(f dp8.Frame, by dp8.Secret) dp8.Frame { return f }
		if c.signed {
			s.meetSigned(dp8.SigningFast)
			sign = signed
		} else {
			s.meet(7, dp8.Version16, dp8.Version16)
		}
		for n := range uint8(3) {
			s.send(0, sign(data(n, 0, "x"), connectorSecret))
			s.Wait(50)
		}
		c.play(s)
		s.Wait(50)
		s.send(1, sign(sack(0, 4, 0), listenerSecret))
		s.Wait(300)
		for n := range uint8(3) {
			s.send(0, sign(data(4+n, 0, "x"), connectorSecret))
			s.Wait(300)
		}
		s.End()
		x := s.Table.Tallies(p)[slices.IndexFunc(rules.Rules, func(r conform.Rule) bool { return r.ID == c.rule })]
		if got := fmt.Sprint(x.Pass, x.Fail, x.Blocked[conform.GuardClean], x.Blocked[conform.GuardLife]); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
