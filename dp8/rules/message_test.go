package rules

import (
	"testing"

	"github.com/dpdissect/dpdissect/dp8/track"
)

// TestMarksAreOfOneFrame: what was found of a frame says nothing of another one that takes its number.
func TestMarksAreOfOneFrame(t *testing.T) {
	c := new(judge).content()
	first, later := &track.Record{Frame: 7}, &track.Record{Frame: 9}
	if c.isOdd(0, 5, first) {
		t.Error("nothing was found yet")
	}
	c.mark(0, 5, first).odd = true
	for _, x := range []struct {
		num  int64
		f    *track.Record
		want bool
	}{{5, first, true}, {5, later, false}, {6, first, false}} {
		if got := c.isOdd(0, x.num, x.f); got != x.want {
			t.Errorf("number %d, frame %d: odd %v, want %v", x.num, x.f.Frame, got, x.want)
		}
	}
	if c.mark(0, 5, later).odd || c.isOdd(0, 5, first) {
		t.Error("the frame behind it has its mark")
	}
}
