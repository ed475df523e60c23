package rules

import (
	"testing"

	"github.com/dpdissect/dpdissect/session/seq"
)

// TestMarksAreOfOneFrame: what was found of a frame says nothing of another one that takes its number.
func TestMarksAreOfOneFrame(t *testing.T) {
	s := new(side)
	const first, later = 7, 9
	if s.isOdd(5, first) {
		t.Error("nothing was found yet")
	}
	s.mark(5, first).odd = true
	for _, x := range []struct {
		num  seq.Num
		f    uint64
		want bool
	}{{5, first, true}, {5, later, false}, {6, first, false}} {
		if got := s.isOdd(x.num, x.f); got != x.want {
			t.Errorf("number %d, frame %d: odd %v, want %v", x.num, x.f, got, x.want)
		}
	}
	if s.mark(5, later).odd || s.isOdd(5, first) {
		t.Error("the frame behind it has its mark")
	}
}
