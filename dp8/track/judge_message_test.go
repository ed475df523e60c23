package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dp8/rules"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
)

// TestMC_DPL8R_31526_FirstFollowsNothing: a first captured frame follows nothing that was captured, whatever its
// number is, and passes no rule on what stands before it.
func TestMC_DPL8R_31526_FirstFollowsNothing(t *testing.T) {
	tallies := func(first uint8) string {
		p := rules.New(track.Options{})
		s := &scene{sessiontest.New(t, hosts, session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})}
		for n := range uint8(8) {
			s.send(0, data(first+n, 0, "some text"))
			s.Wait(5)
			s.send(1, sack(0, first+n+1, 0))
			s.Wait(5)
		}
		return fmt.Sprint(s.Table.Tallies(p))
	}
	want := tallies(9)
	for _, first := range []uint8{0, 1, 2} {
		if got := tallies(first); got != want {
			t.Errorf("from %d on: %s, want %s", first, got, want)
		}
	}
}
