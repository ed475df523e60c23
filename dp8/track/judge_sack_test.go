package track_test

import (
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
)

// failed gives the findings of a rule that say that it was broken.
func (s *scene) failed(rule string) []session.Finding {
	s.End()
	return slices.DeleteFunc(s.findings(), func(f session.Finding) bool { return f.Rule.ID != rule || !f.Failed() })
}

// TestMC_DPL8R_2_2_1_5_NSeqTooHighIsProven: that a bNSeq was too high shows when a number below
// it is sent for the first time, later. The finding cites both: a user who sees the SACK
// alone can't tell why it was wrong.
func TestMC_DPL8R_2_2_1_5_NSeqTooHighIsProven(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	for n := range uint8(4) {
		s.Wait(1000)
		s.send(0, data(n, 0, "x"))
	}
	s.send(0, sack(6, 0, 0)) // 4 is next
	wrong := uint64(len(s.Sent))
	s.Wait(200)
	s.send(0, data(4, 0, "x"))
	if got := s.failed("DP8-2.2.1.5-NSEQ"); len(got) != 1 || !slices.Equal(got[0].Frames, []uint64{wrong, wrong + 1}) {
		t.Errorf("%+v, want one proven by frames %d and %d", got, wrong, wrong+1)
	}
}

// TestMC_DPL8R_3_1_5_2_3_SeveralMissingInARow: bit 0 of a SACK mask is bNRcv + 1, and is not set
// where that is missing, too. Who loses several in a row a few times breaks nothing: a user
// is not told that the masks of this receiver count from another number.
func TestMC_DPL8R_3_1_5_2_3_SeveralMissingInARow(t *testing.T) {
	for name, between := range map[string]bool{"the first comes alone": true, "all come at once": false} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		says := func(next uint8, mask uint64) {
			f := sack(0, next, mask)
			f.SACK.Timestamp = uint32(s.Now / 1e6) // the tick of its sender
			s.send(1, f)
		}
		for i := range uint8(9) { // fewer than half of the 20 that decide
			n := 5 * i
			for k := range uint8(5) {
				s.send(0, data(n+k, 0, "x"))
				s.Wait(25)
			}
			for range 3 {
				says(n+1, 1<<2) // n+1 to n+3 did not arrive, n+4 did
			}
			for k := range uint8(3) {
				s.send(0, dataAs(whole, dp8.CtlRetry, n+1+k, 0, "x"))
				if between && k == 0 {
					says(n+2, 1<<1)
				}
			}
			says(n+5, 0)
		}
		if got := s.failed("DP8-3.1.5.2.3-BASE"); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
