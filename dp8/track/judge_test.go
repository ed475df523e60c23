package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session/conform"
)

// The text's own example breaks nothing: bMsgID goes on counting (AMB-DP8-03),
// KeepAlives cross (AMB-DP8-43).
func TestMC_DPL8R_4_1_ExampleBreaksNothing(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	for _, x := range []struct {
		from  dissect.Dir
		bytes string
	}{
		{0, "88 01 00 00 06 00 01 00 C6 AE C9 79 9D 36 67 23"},
		{1, "88 02 00 00 06 00 01 00 C6 AE C9 79 E1 DF 04 00"},
		{0, "80 02 01 00 06 00 01 00 C6 AE C9 79 9D 36 67 23"},
		{0, "3F 02 00 00 C6 AE C9 79"},
		{1, "3F 02 00 00 C6 AE C9 79"},
	} {
		s.Raw(x.from, dissecttest.Unhex(t, x.bytes))
	}
	s.End()
	for _, f := range s.findings() {
		t.Errorf("%s at frame %d: %s", f.Rule.ID, f.Frame, f.Message)
	}
}

// Coalesced payloads as the text describes them break nothing.
func TestMC_DPL8R_2_2_3_Vectors(t *testing.T) {
	for _, bytes := range []string{
		"37 04 02 00 03 06 02 05 41 42 43 00 44 45",
		"33 04 02 00 03 02 02 02 01 01 00 00 41 42 43 00 44 45 00 00 46",
	} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		s.send(0, keepAlive(0, 0, 7))
		s.send(0, data(1, 0, "x"))
		n := len(s.findings())
		s.Raw(0, dissecttest.Unhex(t, bytes))
		s.End()
		for _, f := range s.findings()[n:] {
			if f.Rule.Severity != conform.Note {
				t.Errorf("%s: %s: %s", bytes, f.Rule.ID, f.Message)
			}
		}
	}
}

// Times cut to a grain prove less than they seem to.
func TestGrain(t *testing.T) {
	for _, c := range []struct{ a, b, want int64 }{
		{3e9, 5e9, 1e9}, {3e9, 5.1e9, 1e8}, {12e6, 25e6, 1e6}, {12e6, 25e6 + 1, 0},
	} {
		if got := track.GrainOf(c.a, c.b); got != c.want {
			t.Errorf("GrainOf(%d, %d) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestMC_DPL8R_2_2_1_1_ChangedIDWithinASecond: a CONNECT with bMsgID 1 under another session id,
// up to a second after the one before, goes on with that attempt: nobody gives up so soon. A
// user is told that the id changed; after that it may be a new attempt, and it is inconclusive.
func TestMC_DPL8R_2_2_1_1_ChangedIDWithinASecond(t *testing.T) {
	for after, broken := range map[int64]bool{1e9 - 1: true, 1e9: true, 1e9 + 1: false} {
		s := newScene(t, track.Options{}, true)
		s.Now++ // a clock that counts ns, so that nothing is rounded
		s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
		again := command(dp8.OpConnect, true, 8, dp8.Version16)
		again.Handshake.MsgID = 1
		s.Now += after - sessiontest.Step
		s.send(0, again)
		s.End()
		got := false
		for _, f := range s.findings() {
			got = got || f.Rule.ID == "DP8-2.2.1.1-SESSID-CONST"
		}
		if got != broken {
			t.Errorf("after %d ns: found %v, want %v", after, got, broken)
		}
	}
}
