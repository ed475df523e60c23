package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/pairs"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// TestLiveTruth: what identifications tell of the datagrams of real sessions is what the
// relay between the two capture points logged of each flow.
func TestLiveTruth(t *testing.T) {
	folder := os.Getenv(pcaps.Variable)
	if folder == "" {
		t.Skipf("%s names no folder of further captures", pcaps.Variable)
	}
	sessions, err := LiveSessions(filepath.Join(folder, "ends"))
	must(t, err)
	if len(sessions) == 0 {
		t.Skip("there are no sessions captured at both sides among the captures made elsewhere")
	}
	for _, s := range sessions {
		p := pairs.Take(s.Log, pairs.Plan{At: [2]sim.Place{0, 1}}, 1)
		lost, passed := map[string]int{}, map[string]int{}
		for i := range p.Truth.Datagrams {
			d := &p.Truth.Datagrams[i]
			if !d.UDP {
				continue
			}
			name := s.Log.Sent[d.Index].From.Addr().String() + " to server"
			if d.Side == 1 {
				name = s.Log.Sent[d.Index].To.Addr().String() + " to client"
			}
			if d.Fate == pairs.LostBetween {
				lost[name]++
			} else {
				passed[name]++
			}
		}
		relayed := map[string][2]int{}
		for flow, fates := range s.Relayed {
			address, direction, _ := strings.Cut(flow, " ")
			flow = hostOf(address) + " " + direction
			want := relayed[flow]
			for fate, n := range fates {
				if strings.HasPrefix(fate, "DROP") {
					want[0] += n
				} else {
					want[1] += n
				}
			}
			relayed[flow] = want
		}
		for flow, want := range relayed {
			got := [2]int{lost[flow], passed[flow]} // the captures may end a little before the relay
			if got[0] < want[0]-2 || got[0] > want[0]+2 || got[1] < want[1]-2 || got[1] > want[1] {
				t.Errorf("%s: %s: %d lost and %d passed, the relay says %d", s.Name, flow, got[0], got[1], want)
			}
		}
	}
	if t.Logf("%d sessions", len(sessions)); len(sessions) < 20 {
		t.Errorf("%d sessions prove nothing", len(sessions))
	}
}
