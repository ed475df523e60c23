package seq

// A Swell follows how the round trip of a side goes with the rates at which both sides
// send: a queue on the way there or back makes both grow, step by step, and shrink. What is
// held back and comes at once makes it jump.
type Swell struct {
	Base      int64      // shortest round trip of a step, ns …
	BaseRate  [2]float32 // … and the bytes a second that the side, and its peer, sent then
	Peak      int64      // longest since …
	PeakRate  [2]float32 // … and the highest rates in the time before it
	At        Sign       // … and the acknowledgement that ended it
	Rose      uint8      // steps by which it had grown to Peak, since it was less than twice Base
	Recovered bool       // the round trip fell to less than half of Peak afterwards

	n      uint8
	rising uint8
	least  int64    // of the step at hand, ns
	before int64    // least of the step before it
	pause  int64    // longest time without an acknowledgement in the step at hand, ns
	latest int64    // time of the latest acknowledgement
	ends   [2]int64 // first and latest round trip of the step at hand, ns
	time   int64
	bytes  [2]uint64
	top    [2]float32 // highest rates, an eighth less with each one since
}

// A step is at least so many acknowledgements, and so long, in ns. Its shortest round trip
// counts: a number that was lost waits longer than the path needs.
const (
	swellTrips = 4
	swellStep  = 200e6
)

// see enters a round trip, when the side and its peer have sent so many bytes.
func (s *Swell) see(trip int64, a *Acknowledgement, bytes, peer uint64) {
	if s.n == 0 || trip < s.least {
		s.least = trip
	}
	if s.n == 0 {
		s.ends[0] = trip
	}
	s.ends[1] = trip
	if s.n < 255 {
		s.n++
	}
	if s.latest != 0 {
		s.pause = max(s.pause, a.Time-s.latest)
	}
	s.latest = a.Time
	first, span := s.time == 0, a.Time-s.time
	if s.n < swellTrips || span < swellStep {
		return
	}
	var rate [2]float32
	for i, n := range [2]uint64{bytes, peer} {
		rate[i] = float32(float64(n-s.bytes[i]) * 1e9 / float64(span))
		s.bytes[i] = n
	}
	if s.n, s.time = 0, a.Time; !first {
		s.step(rate, a)
	}
	s.before, s.pause = s.least, 0
}

// step ends one, of which the rates are known.
func (s *Swell) step(rate [2]float32, a *Acknowledgement) {
	for i := range rate {
		s.top[i] = max(rate[i], s.top[i]*7/8)
	}
	if s.least < 2*s.Base {
		s.rising = 0
	}
	switch trip := s.least; {
	case s.Base == 0 || trip < s.Base:
		s.Base, s.BaseRate = trip, rate
	case trip > s.Peak:
		if !s.jumped() {
			s.rising += min(1, 255-s.rising)
		}
		s.Peak, s.PeakRate, s.At, s.Rose, s.Recovered = trip, s.top, SignAt(a.Frame, a.Time), s.rising, false
	case trip < s.Peak/2:
		s.Recovered = true
	}
}

// jumped reports whether the round trip grew in the step at hand because something was held back
// and came at once: nothing was answered for as long, and what was sent later waited less. In a
// queue that fills it waits longer, and answers keep coming.
func (s *Swell) jumped() bool {
	return s.pause >= max(s.least-s.before, swellStep/2) && s.ends[1] < s.ends[0]
}

// bytesOf is how many bytes a side sent, 0 when there is none.
func bytesOf(d *Direction) uint64 {
	if d == nil {
		return 0
	}
	return d.Bytes
}
