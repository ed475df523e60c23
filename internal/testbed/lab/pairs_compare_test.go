package lab

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// program builds the program that compares.
func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "dpdissect")
	must(t, programtest.Build(file))
	return file
}

// knownPairs are pairs of which something is said that is not as it should be.
var knownPairs = []string{
	"dp4/snaplen/3",    // 22 bytes of each payload, the same in many, and no identification
	"dp8/everything/3", // the acknowledgement is of a transmission that the first capture missed
	"knet/overlap/3",   // the drift of 30 datagrams each way, off by 5.1 ppm
	"knet-spec/marked/both/0/3",
}

// TestComparedPairs: of pairs of captures whose truth is known, compare says what is true:
// every fate where identifications are kept, nearly every one where they are not, clocks and
// delays within their bounds, each step and no other. No session is told worse from both
// sides than from one.
func TestComparedPairs(t *testing.T) {
	o := PairOptions{Seeds: 1, First: 3, Program: program(t)}
	all := Pairs(o)
	o.Sample = 4
	checkPairs(t, all, PairedEnds(o, []float64{0}), knownPairs)
}

func checkPairs(t *testing.T, all []*PairResult, ends []*PairedEnd, known []string) {
	t.Helper()
	for _, r := range all {
		failures := r.Failures()
		if slices.Contains(known, r.Run.Name()) {
			if len(failures) == 0 {
				t.Errorf("%s is as it should be: it is known no more", r.Run.Name())
			}
			continue
		}
		for _, s := range failures {
			t.Errorf("%s: %s", r.Run.Name(), s)
		}
	}
	for _, e := range ends {
		switch {
		case slices.Contains(known, e.Run.Name()):
		case e.Err != nil && !strings.Contains(e.Err.Error(), "nothing in common"): // too little is said
			t.Errorf("%s: %v", e.Run.Name(), e.Err)
		case e.Err == nil && e.Worse():
			t.Errorf("%s: %s", e.Run.Name(), e.complaint())
		}
	}
	s, _ := sumPairs(all)
	if float64(s.False) > falseGoal*float64(s.Missed) {
		t.Errorf("%d of %d datagrams that arrived are said to be lost", s.False, s.Missed)
	}
	if s.Total() < 50*len(all) {
		t.Errorf("%d datagrams of %d pairs prove nothing", s.Total(), len(all))
	}
}
