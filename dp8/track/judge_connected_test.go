package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
)

// bRspId of an answer may name a frame that was not captured: one for each 40 ms in which its
// side could repeat itself. A listener repeats itself and answers repeated CONNECTs, so that
// twice as many and one more may be its. What is further ahead was never sent.
func TestMC_DPL8R_2_2_1_2_RspIDOfWhatWasNotCaptured(t *testing.T) {
	for _, c := range []struct {
		name  string
		from  dissect.Dir
		after int64 // ms behind the frame that is answered
		rsp   uint8
		want  int // findings
	}{
		{"the listener names the CONNECT", 1, 100, 0, 0},
		{"the listener names the second of two that there was time for", 1, 100, 2, 0},
		{"… and a third", 1, 100, 3, 1},
		{"the connector names the answer", 0, 100, 0, 0},
		{"the connector names the fifth of five that there was time for", 0, 100, 5, 0},
		{"… and a sixth", 0, 100, 6, 1},
		{"at once the connector may name one more", 0, 10, 1, 0},
		{"… and no second one", 0, 10, 2, 1},
	} {
		s := newScene(t, track.Options{}, true)
		s.Now++ // a clock that counts ns, so that nothing is rounded
		s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
		if c.from == 0 {
			s.send(1, command(dp8.OpConnected, true, 7, dp8.Version16))
		}
		s.Wait(c.after - 5)
		f := command(dp8.OpConnected, c.from == 1, 7, dp8.Version16)
		f.Handshake.RspID = c.rsp
		s.send(c.from, f)
		if got := len(s.failed("DP8-2.2.1.2-RSPID")); got != c.want {
			t.Errorf("%s: %d findings, want %d", c.name, got, c.want)
		}
	}
}
