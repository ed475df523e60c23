package track

import (
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
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
		s := newScene(t, Options{}, true)
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
