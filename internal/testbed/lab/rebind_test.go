package lab

import (
	"bytes"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// rebound plays a session whose end is known and gives what is found by FLD-REBIND, its
// tally, and what explain makes of the same capture.
func rebound(t *testing.T, c *tracegen.EndCase, place string) (found []session.Finding, tally conform.Tally, told *explain.Document) {
	t.Helper()
	s, err := c.Play(place, 1)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := s.Write(&file); err != nil {
		t.Fatal(err)
	}
	all, err := readAll(&file)
	if err != nil {
		t.Fatal(err)
	}
	r := check(all, session.Config{Protocols: speakers})
	for _, f := range r.Findings {
		if f.Rule.ID == "FLD-REBIND" {
			found = append(found, f)
		}
	}
	if told, err = Explained(s); err != nil {
		t.Fatal(err)
	}
	return found, r.Tallies["FLD-REBIND"], told
}

// TestRebind: a client that comes back from another address is found, at the first frame
// from there; one that was restarted, or fell silent, is a near miss; and what explain says
// to be proved is what is found.
func TestRebind(t *testing.T) {
	events := map[string]bool{"nat-rebinding": true, "client-restarts": false, "server-restarts": false, "killed-a": false}
	hit, near := 0, 0
	for _, c := range tracegen.EndCases() {
		moves, asked := events[c.Event]
		if !asked {
			continue
		}
		t.Run(c.Name(), func(t *testing.T) {
			found, tally, told := rebound(t, &c, "b")
			sure := map[string]uint64{}
			for _, x := range told.Connections {
				if v := x.Verdict; v.Cause == explain.NATRebinding && v.Certainty == explain.Proved {
					sure[x.A+" "+x.B] = v.Frame
				}
			}
			if len(sure) != len(found) {
				t.Errorf("explain proves %v, found: %s", sure, describe(found))
			}
			for _, f := range found {
				if f.Frames[len(f.Frames)-1] != f.Frame || f.Conn.FirstFrame != f.Frame || tally.Fail != 1 {
					t.Errorf("%+v: %s, frames %v", tally, describe(found), f.Frames)
				}
				hit++
			}
			if !moves && (len(found) > 0 || tally.Fail+tally.Inconclusive > 0) {
				t.Errorf("near miss found: %s", describe(found))
			}
			if !moves && tally.Pass > 0 {
				near++
			}
		})
	}
	if hit < 2 || near < 10 {
		t.Errorf("found %d, near misses passed %d", hit, near)
	}
}

// rebind gives the sender of the first frame another port from a frame on.
func rebind(at int) func(datagrams) datagrams {
	return func(all datagrams) datagrams {
		was := all[0].Src
		for i := at; i < len(all); i++ {
			for _, e := range []*dissect.Endpoint{&all[i].Src, &all[i].Dst} {
				if *e == was {
					e.Port++
				}
			}
		}
		return all
	}
}

// TestRebindAnswered: of each protocol, a client whose peer answers it at its new address is
// found, once; without the move nothing is.
func TestRebindAnswered(t *testing.T) {
	for _, tt := range []struct {
		on string
		at int
	}{
		{"dp8/unsigned-clean", 100}, {"dp4/windows-clean", 60}, {"knet/clean-page", 60}, {"hazel/clean-current", 60},
	} {
		t.Run(tt.on, func(t *testing.T) {
			if n := found(t, tt.on, "FLD-REBIND", nil); n > 0 {
				t.Errorf("found %d times without a move", n)
			}
			if n := found(t, tt.on, "FLD-REBIND", rebind(tt.at)); n != 1 {
				t.Errorf("found %d times", n)
			}
		})
	}
}
