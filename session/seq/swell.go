package seq

// A Swell follows how the smoothed round trip of a side goes with the rates at which both
// sides send: a queue on the way there or back makes both grow, and shrink.
type Swell struct {
	Base      int64      // shortest smoothed round trip, ns …
	BaseRate  [2]float32 // … and the bytes a second that the side, and its peer, sent then
	Peak      int64      // longest since …
	PeakRate  [2]float32 // … and the highest rates in the time before it
	At        Sign       // … and the acknowledgement that ended it
	Recovered bool       // the round trip fell to less than half of Peak afterwards

	n     uint8
	time  int64
	bytes [2]uint64
	top   [2]float32 // highest rates, an eighth less with each one since
}

// swellTrips is how many round trips a rate is taken over.
const swellTrips = 8

// see enters the smoothed round trip as it is at an acknowledgement, when the side and its
// peer have sent so many bytes.
func (s *Swell) see(smooth int64, a *Acknowledgement, bytes, peer uint64) {
	if s.n++; s.n < swellTrips {
		return
	}
	first, span := s.time == 0, float64(max(a.Time-s.time, 1))
	var rate [2]float32
	for i, n := range [2]uint64{bytes, peer} {
		rate[i] = float32(float64(n-s.bytes[i]) * 1e9 / span)
		s.bytes[i] = n
	}
	s.n, s.time = 0, a.Time
	if first || smooth == 0 {
		return
	}
	for i := range rate {
		s.top[i] = max(rate[i], s.top[i]*7/8)
	}
	switch {
	case s.Base == 0 || smooth < s.Base:
		s.Base, s.BaseRate = smooth, rate
	case smooth > s.Peak:
		s.Peak, s.PeakRate, s.At, s.Recovered = smooth, s.top, SignAt(a.Frame, a.Time), false
	case smooth < s.Peak/2:
		s.Recovered = true
	}
}

// bytesOf is how many bytes a side sent, 0 when there is none.
func bytesOf(d *Direction) uint64 {
	if d == nil {
		return 0
	}
	return d.Bytes
}
