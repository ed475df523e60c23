package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
)

// What was acknowledged is not sent again. That its side knew shows in the bNRcv of the retry,
// as far as the other side's numbers were captured: what runs ahead of them, or comes when the
// other side had been silent for so long that its numbers may have gone round, proves nothing.
func TestMC_DPL8R_3_1_5_2_2_RetryOfWhatItKnewAcknowledged(t *testing.T) {
	for _, c := range []struct {
		name  string
		nrcv  uint8 // of the retry
		pause int64 // ms before it
		want  int
	}{
		{"it had received the acknowledgement", 2, 100, 1},
		{"it had not", 1, 100, 0},
		{"it claims more than was captured", 3, 100, 0},
		{"numbers may have gone round", 2, 60_000, 0},
	} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		s.send(0, keepAlive(0, 0, 7))
		s.send(1, keepAlive(0, 1, 7))
		s.send(0, data(1, 1, "x"))
		s.send(1, data(1, 2, "y"))
		s.Wait(c.pause)
		s.send(0, dataAs(whole, dp8.CtlRetry, 1, c.nrcv, "x"))
		if got := len(s.failed("DP8-3.1.5.2.2-ACKEDRETRY")); got != c.want {
			t.Errorf("%s: %d findings, want %d", c.name, got, c.want)
		}
	}
}
