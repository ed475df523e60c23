package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
)

// bMsgID of HARD_DISCONNECT counts on from the side's command frame before. The listener of a
// signed handshake keeps no state, so that its counter may begin with it: 0 is right there only.
func TestMC_DPL8R_2_2_1_4_MsgIDOfListener(t *testing.T) {
	for _, c := range []struct {
		name        string
		before, now uint8
		want        bool
	}{
		{"one more", 20, 21, false},
		{"the same is a copy", 20, 20, false},
		{"0 behind 20", 20, 0, true},
		{"far ahead", 20, 40, true},
	} {
		s := newScene(t, track.Options{}, true)
		s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
		f := command(dp8.OpConnected, true, 7, dp8.Version16)
		f.Handshake.MsgID = c.before
		s.send(1, f)
		s.send(0, command(dp8.OpConnected, false, 7, dp8.Version16))
		s.send(0, keepAlive(0, 0, 7))
		s.send(1, keepAlive(0, 1, 7))
		f = command(dp8.OpHardDisconnect, false, 7, dp8.Version16)
		f.Handshake.MsgID, f.Handshake.RspID = c.now, 1
		s.send(1, f)
		s.End()
		got := false
		for _, x := range s.Findings {
			got = got || x.Rule.ID == "DP8-2.2.1.4-MSGID" && x.Failed()
		}
		if got != c.want {
			t.Errorf("%s: told %v, want %v", c.name, got, c.want)
		}
	}
}

// HARD_DISCONNECTs that answer others leave at once. Three of them in no time break the rule when
// the other side's first one, which by its bMsgID is its first, comes so much later that it can't
// have been on its way.
func TestMC_DPL8R_3_1_2_4_SpacingOfAnswers(t *testing.T) {
	for wait, want := range map[int64]int{20: 0, 300: 1} {
		s := newScene(t, track.Options{}, true)
		s.Now++ // a clock that counts ns, so that nothing is rounded
		s.meet(7, dp8.Version16, dp8.Version16)
		s.send(0, keepAlive(0, 0, 7))
		s.send(1, keepAlive(0, 1, 7))
		hard := func(from dissect.Dir, msgID uint8) {
			f := command(dp8.OpHardDisconnect, false, 7, dp8.Version16)
			f.Handshake.MsgID = msgID
			s.send(from, f)
		}
		for n := range uint8(3) {
			hard(1, 1+n)
			s.Now -= 4e6 // 1 ms between two
		}
		s.Wait(wait)
		hard(0, 1)
		if got := len(s.failed("DP8-3.1.2.4-SPACING")); got != want {
			t.Errorf("%d ms later: %d findings, want %d", wait, got, want)
		}
	}
}
