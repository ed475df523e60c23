package lab

import (
	"testing"
)

// TestPairedEndsAlone: what explain says of one capture of a pair is as right as of a capture
// that stands alone, so that pairs of captures are of sessions that ended as they are said to.
func TestPairedEndsAlone(t *testing.T) {
	var sides [2][]*EndResult
	for i, c := range pairedEvents() {
		if i%3 != 0 {
			continue
		}
		r := EndRun{&c, "both", 0, 3}
		e := &PairedEnd{Run: r}
		p, truths, err := r.TakeEnd()
		must(t, err)
		must(t, e.alone(p, truths))
		for by := range sides {
			x := e.Results[by]
			x.mark()
			if s := x.complaint(); s != "" {
				t.Logf("%s at %d: %s", r.Name(), by, s)
			}
			sides[by] = append(sides[by], x)
		}
	}
	for by, list := range sides {
		if s := sumEnds(list); !s.Good() {
			t.Errorf("side %d: %s", by, s)
		} else {
			t.Logf("side %d: %s", by, s)
		}
	}
}
