package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// known is what is known of a number of the connector.
func (s *scene) known(num seq.Num) string {
	d := &track.First(s.Sessions[0]).Dir[0]
	x, ok := d.Look(num)
	captured, _ := d.Captured(num)
	switch {
	case !ok:
		return "unknown"
	case x.GivenUp:
		return "given up"
	case x.Acked && !captured:
		return "passed"
	case x.Acked:
		return "acknowledged"
	case !captured:
		return "missing"
	}
	return "sent"
}

// TestMC_DPL8R_Gates: what a receiver ignores, or what is impossible, tells nothing of numbers.
func TestMC_DPL8R_Gates(t *testing.T) {
	const id = 7
	run := func(s *scene, from, to uint8) {
		for n := from; n < to; n++ {
			s.send(0, data(n, 0, "x"))
			s.Wait(5)
			s.send(1, sack(0, n+1, 0))
			s.Wait(5)
		}
	}
	for _, c := range []struct {
		name string
		play func(s *scene)
		num  seq.Num // of the connector
		want string
	}{
		{"3.1.4.3 a frame behind END_STREAM", func(s *scene) {
			run(s, 0, 20)
			s.send(0, dataAs(whole, dp8.CtlEndStream, 20, 0, ""))
			s.send(0, data(21, 0, "late"))
			s.send(1, sack(0, 21, 0))
		}, 21, "unknown"},
		{"3.1.4.3 … acknowledged", func(s *scene) {
			run(s, 0, 20)
			s.send(0, dataAs(whole, dp8.CtlEndStream, 20, 0, ""))
			s.send(0, data(21, 0, "late"))
			s.send(1, sack(0, 22, 0))
		}, 21, "unknown"},
		{"3.1.5.2.1 bit 63", func(s *scene) { run(s, 0, 20); s.send(0, data(20, 0, "a")); s.send(1, sack(0, 19, 1<<63|1)) }, 20, "sent"},
		{"3.1.5.2.4 a reliable number", func(s *scene) { run(s, 0, 20); s.send(0, data(20, 0, "a")); s.send(0, masked(data(21, 0, "b"), 0, 1)) }, 20, "sent"},
		{"AMB-DP8-07 relative to the next number", func(s *scene) {
			run(s, 0, 19)
			s.send(0, dataAs(dp8.NewMsg|dp8.EndMsg, 0, 19, 0, "0"))
			s.send(0, data(20, 0, "a"))
			s.send(0, dataAs(dp8.NewMsg|dp8.EndMsg, 0, 21, 0, "b"))
			s.Wait(30)
			s.send(0, masked(dataAs(whole, dp8.CtlRetry, 20, 0, "a"), 0, 5))
		}, 19, "sent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, track.Options{}, true)
			s.meet(id, dp8.Version16, dp8.Version16)
			c.play(s)
			if got := s.known(c.num); got != c.want {
				t.Errorf("%d is %s, want %s", c.num, got, c.want)
			}
		})
	}
}
