package lab

import (
	"strings"
	"testing"
)

// TestMoments: what happened is named at its time, nothing is at quiet times, and causes have
// the window in which they worked, in a sample of the sessions.
func TestMoments(t *testing.T) {
	all, err := Moments(EndOptions{Sample: 8})
	if err != nil {
		t.Fatal(err)
	}
	s := SumMoments(all)
	var report strings.Builder
	WriteMoments(&report, all)
	if s.Asked < 20 || s.Windows < 4 {
		t.Fatalf("%+v", s)
	}
	if float64(s.Right) < 0.8*float64(s.Asked) || float64(s.Quiet) < 0.95*float64(s.Asked) || float64(s.Covered) < 0.75*float64(s.Windows) {
		t.Error(report.String())
	}
}
