package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
)

// A frame whose number is far from all others awaits its acknowledgement like any other: the
// frame that confirms it may be followed by one that acknowledges both. Where it turns out to
// be out of place nothing is awaited any more.
func TestProvisionalFramesAwait(t *testing.T) {
	for _, c := range []struct {
		name  string
		then  []uint8 // numbers that its side sends next
		acked bool
	}{
		{"confirmed by the next", []uint8{101}, true},
		{"refuted by two in sequence", []uint8{4, 5, 6}, false},
		{"nothing follows", nil, false},
	} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		for i := range uint8(4) {
			s.send(0, data(i, i, "hello"))
			s.send(1, data(i, i+1, "world"))
		}
		s.send(0, data(100, 4, "far"))
		far := uint64(len(s.Sent))
		s.Wait(40)
		for _, n := range c.then {
			s.send(0, data(n, 4, "next"))
			s.Wait(40)
			s.send(1, sack(4, n+1, 0))
		}
		s.End()
		by, settled := s.AckedBy[far]
		if !settled || by != 0 != c.acked {
			t.Errorf("%s: settled %v, acknowledged by %d", c.name, settled, by)
		}
		for i := range s.Frames {
			if f := &s.Frames[i]; f.Frame == far && !f.Awaits {
				t.Errorf("%s: it awaits nothing", c.name)
			}
		}
	}
}
