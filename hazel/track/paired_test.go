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
		name string
		play func(s *scene)
		want seq.RTT
	}{
		{"a side that stops for 2 s", func(s *scene) {
			s.tries(0, x, []int64{0, 300, 900, 1900})
			for range 4 {
				s.send(1, current.acks(1))
			}
		}, seq.RTT{Samples: 4, Min: 20e6, P50: 1015e6, P95: 1905e6, Max: 1905e6}},
		{"an acknowledgement that was late", func(s *scene) {
			s.tries(0, x, []int64{0, 300})
			s.send(1, current.acks(1))
			s.Wait(295)
			s.send(1, current.acks(1))
		}, seq.RTT{Samples: 2, Min: 305e6, P50: 305e6, P95: 305e6, Max: 305e6}},
		{"a side that sends again after 20 ms, which shows no copy", func(s *scene) {
			s.tries(0, x, []int64{0, 20})
			s.tries(1, current.acks(1), []int64{0, 20})
		}, seq.RTT{Samples: 2, Min: 25e6, P50: 25e6, P95: 25e6, Max: 25e6}},
		// One transmission more pairs none: a round trip that a user asks for is unknown.
		{"sent as often as is paired", func(s *scene) {
			s.tries(0, x, []int64{0, 300, 600, 900, 1200, 1500, 1800, 2100, 2400, 2700, 3000, 3300, 3600, 3900, 4200, 4500})
			for range 16 {
				s.send(1, current.acks(1))
			}
		}, seq.RTT{Samples: 16, Min: 80e6, P50: 2145e6, P95: 4505e6, Max: 4505e6}},
		{"sent once more", func(s *scene) {
			s.tries(0, x, []int64{0, 300, 600, 900, 1200, 1500, 1800, 2100, 2400, 2700, 3000, 3300, 3600, 3900, 4200, 4500, 4800})
			for range track.MostPaired + 1 {
				s.send(1, current.acks(1))
			}
		}, seq.RTT{}},
		{"sent once", func(s *scene) { s.send(0, x); s.send(1, current.acks(1)) }, seq.RTT{}},
		{"the first sending was lost", func(s *scene) { s.tries(0, x, []int64{0, 300}); s.send(1, current.acks(1)) }, seq.RTT{}},
		{"the network doubles datagrams", func(s *scene) {
			s.tries(0, x, []int64{0, 300})
			s.send(1, current.acks(1))
			s.send(1, current.acks(1))
			s.send(0, current.reliable(2, "y"))
			s.send(1, current.acks(2))
			s.send(1, current.acks(2))
		}, seq.RTT{}},
		{"… before the capture point", func(s *scene) {
			s.tries(0, x, []int64{0, 300})
			s.send(1, current.acks(1))
			s.send(1, current.acks(1))
			s.copy(0, current.reliable(2, "y"))
		}, seq.RTT{}},
		{"the capture misses some", func(s *scene) {
			s.tries(0, x, []int64{0, 300})
			s.send(1, current.acks(1))
			s.send(1, current.acks(5))
			s.send(0, current.reliable(6, "y"))
			s.send(1, current.acks(1))
		}, seq.RTT{}},
		// Without identification a datagram may be a copy, whichever side's it is.
		{"transmissions without identification", func(s *scene) {
			s.NoIPID = true
			s.tries(0, x, []int64{0, 300})
			s.NoIPID = false
			s.tries(1, current.acks(1), []int64{0, 300})
		}, seq.RTT{}},
		{"acknowledgements without identification", func(s *scene) {
			s.tries(0, x, []int64{0, 300})
			s.NoIPID = true
			s.tries(1, current.acks(1), []int64{0, 300})
		}, seq.RTT{}},
	} {
		s := newScene(t, "", false)
		s.meet(current, current)
		c.play(s)
		if got := s.One().Dir[0].Trips().PairedRTT(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
