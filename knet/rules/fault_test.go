package rules

import (
	"testing"

	"github.com/dpdissect/dpdissect/knet/track"
)

// TestEveryFaultIsSaid: what may be wrong with a datagram by itself breaks a rule each.
func TestEveryFaultIsSaid(t *testing.T) {
	for k := range track.FaultKinds {
		if breaches[k].say == nil {
			t.Errorf("nothing is said of fault %d", k)
		}
	}
}
