package lab

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// TestClocksThatDifferCauseNoFinding: the two sides of a connection were captured with clocks
// that differ, so acknowledgements come before what they acknowledge. Nothing follows from
// that order but that the clocks differ (CAP-TIME, guards CLOCK and REORD).
func TestClocksThatDifferCauseNoFinding(t *testing.T) {
	for _, name := range []string{"dp8/unsigned-clean", "dp8/unsigned-lossy", "dp8/fast-signed-lossy", "dp4/windows-clean", "dp4/windows-lossy",
		"knet/clean-reference", "knet/clean-page", "knet/lossy-page", "hazel/clean-current", "hazel/lossy-current"} {
		sub, err := Find(name)
		must(t, err)
		known := judged(sub.all, sub.cfg).found
		for _, by := range []int64{60e6, 300e6, 3e9} {
			told := false
			for _, f := range judged(sub.late(by), sub.cfg).found {
				told = told || f.Rule.ID == "CAP-TIME" && strings.Contains(f.Message, "clocks at the two capture points differ")
				if f.Failed() && f.Rule.EndpointFault() && !slices.ContainsFunc(known, func(x session.Finding) bool { return x.Rule == f.Rule }) {
					t.Errorf("%s, %d ms: %s at %d: %s", name, by/1e6, f.Rule.ID, f.Frame, f.Message)
				}
			}
			if by == 300e6 && !told {
				t.Errorf("%s, %d ms: not told that the clocks differ", name, by/1e6)
			}
		}
	}
}

// late is the capture with the frames of the first side so much later, in ns.
func (s *Subject) late(by int64) []dissect.Datagram {
	all := slices.Clone(s.all)
	for i := range all {
		if s.side[i] == 1 {
			all[i].Time += by
		}
	}
	slices.SortStableFunc(all, func(a, b dissect.Datagram) int { return int(a.Time - b.Time) })
	return renumber(all)
}
