package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Every transmission is acknowledged: the k-th acknowledgement is that of the k-th transmission, where
// nothing was lost and nothing doubled.
func TestHazel_ReliableDelivery_PairedRoundTrips(t *testing.T) {
	x := current.reliable(1, "x")
	for _, c := range []struct {
		name   string
		noIPID bool
		play   func(s *scene)
		want   seq.RTT
	}{
		{"a side that stops for 2 s", false, func(s *scene) {
			s.tries(0, x, []int64{0, 300, 900, 1900})
			for range 4 {
				s.send(1, current.acks(1))
			}
		}, seq.RTT{Samples: 4, Min: 20e6, P50: 1015e6, P95: 1905e6, Max: 1905e6}},
		{"an acknowledgement that was late", false, func(s *scene) {
			s.tries(0, x, []int64{0, 300})
			s.send(1, current.acks(1))
			s.Wait(295)
			s.send(1, current.acks(1))
		}, seq.RTT{Samples: 2, Min: 305e6, P50: 305e6, P95: 305e6, Max: 305e6}},
		// One transmission more pairs none: a round trip that a user asks for is unknown.
		{"sent as often as is paired", false, func(s *scene) {
			s.tries(0, x, []int64{0, 300, 600, 900, 1200, 1500, 1800, 2100, 2400, 2700, 3000, 3300, 3600, 3900, 4200, 4500})
			for range 16 {
				s.send(1, current.acks(1))
			}
		}, seq.RTT{Samples: 16, Min: 80e6, P50: 2145e6, P95: 4505e6, Max: 4505e6}},
		{"sent once more", false, func(s *scene) {
			s.tries(0, x, []int64{0, 300, 600, 900, 1200, 1500, 1800, 2100, 2400, 2700, 3000, 3300, 3600, 3900, 4200, 4500, 4800})
			for range track.MostPaired + 1 {
				s.send(1, current.acks(1))
			}
		}, seq.RTT{}},
		{"sent once", false, func(s *scene) { s.send(0, x); s.send(1, current.acks(1)) }, seq.RTT{}},
		{"the first sending was lost", false, func(s *scene) { s.tries(0, x, []int64{0, 300}); s.send(1, current.acks(1)) }, seq.RTT{}},
		{"the network doubles datagrams", false, func(s *scene) {
			s.tries(0, x, []int64{0, 300})
			s.send(1, current.acks(1))
			s.send(1, current.acks(1))
			s.send(0, current.reliable(2, "y"))
			s.send(1, current.acks(2))
			s.send(1, current.acks(2))
		}, seq.RTT{}},
		{"… before the capture point", false, func(s *scene) {
			s.tries(0, x, []int64{0, 300})
			s.send(1, current.acks(1))
			s.send(1, current.acks(1))
			s.copy(0, current.reliable(2, "y"))
		}, seq.RTT{}},
		{"the capture misses some", false, func(s *scene) {
			s.tries(0, x, []int64{0, 300})
			s.send(1, current.acks(1))
			s.send(1, current.acks(5))
			s.send(0, current.reliable(6, "y"))
			s.send(1, current.acks(1))
		}, seq.RTT{}},
		{"no identification", true, func(s *scene) {
			s.tries(0, x, []int64{0, 300})
			s.send(1, current.acks(1))
			s.send(1, current.acks(1))
		}, seq.RTT{}},
	} {
		s := newScene(t, "", false)
		s.NoIPID = c.noIPID
		s.meet(current, current)
		c.play(s)
		if got := s.One().Dir[0].Trips().PairedRTT(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
