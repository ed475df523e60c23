package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
)

// A side that ended its stream acknowledges until its peer ends. What the capture missed
// long before the frame that was sent again takes nothing from the proof.
func TestMC_DPL8R_3_1_4_3_KeepsAcknowledging(t *testing.T) {
	for _, c := range []struct {
		name   string
		missed bool // the capture missed a frame, 5 s before
		tries  int
		want   int
	}{
		{"ten tries", false, 10, 1},
		{"nine tries", false, 9, 0},
		{"ten tries, and something was missed before", true, 10, 1},
	} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		s.send(0, keepAlive(0, 0, 7))
		s.send(1, keepAlive(0, 1, 7))
		if !c.missed {
			s.send(0, data(1, 1, "x"))
		}
		s.send(0, data(2, 1, "y"))
		s.send(1, sack(1, 3, 0))
		s.Wait(5000)
		s.send(0, dataAs(whole, dp8.CtlEndStream, 3, 1, ""))
		s.send(1, sack(1, 4, 0))
		for i := range c.tries {
			f := data(1, 4, "are you there?")
			if i > 0 {
				f.DFrame.Control |= dp8.CtlRetry
			}
			s.send(1, f)
			s.Wait(200)
			s.send(0, sack(4, 1, 0))
		}
		s.End()
		if got := len(s.failed("DP8-3.1.4.3-KEEPACK")); got != c.want {
			t.Errorf("%s: %d findings, want %d", c.name, got, c.want)
		}
	}
}
