package lab

import (
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// Paths on which so much is lost, before the capture point or after it.
var (
	lossyShares = []float64{0.15, 0.3, 0.45}
	lossyPlaces = []float64{0.2, 0.5, 0.8}
)

// TestLossyPathsCauseNoFinding has sessions in which a sixth, and more, of what is sent is
// lost on the way. There were false findings: 1 and 3 of HZ-REL-NORESEND and HZ-REL-BACKOFF, 197 of
// HZ-REL-ACK, 56 of HZ-REL-ACK-DUP, 98 of HZ-KA-SENT.
func TestLossyPathsCauseNoFinding(t *testing.T) {
	for _, seed := range []uint64{1, 3, 56, 98, 197} {
		judgeLossy(t, func(c tracegen.Conditions) tracegen.Scenario { return tracegen.WildOpen(seed, c) })
	}
}

func judgeLossy(t *testing.T, play func(tracegen.Conditions) tracegen.Scenario) {
	for _, loss := range lossyShares {
		for _, place := range lossyPlaces {
			s := play(tracegen.Conditions{Loss: loss, Place: place})
			sub, err := Conforming(&s)
			must(t, err)
			if len(sub.all) < 2 {
				continue
			}
			wrong, _ := sub.judge(nil)
			for _, f := range wrong {
				t.Errorf("%s, %v lost, captured at %v: frame %d: %s %s", sub, loss, place, f.Frame, f.Rule.ID, f.Message)
			}
		}
	}
}

// TestLossyRandomSessionsCauseNoFinding is the same for random sessions. There were false findings: of
// DP4-3.1.5.3-RETX, though reports of what was missing, or retries, got lost; of
// DP8-3.1.6.5-UNREL-MASK, though the side waited for lower numbers first.
func TestLossyRandomSessionsCauseNoFinding(t *testing.T) {
	for proto, seeds := range map[string][]uint64{"dp4": {3, 36}, "dp8": {33}} {
		for _, seed := range seeds {
			judgeLossy(t, func(c tracegen.Conditions) tracegen.Scenario {
				s, _ := tracegen.WildUnder(proto, seed, c)
				return s
			})
		}
	}
}
