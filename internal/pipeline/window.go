package pipeline

import "math"

// A Window is a span of time, by the times of the capture: From, and all before To. Each is
// made of the time of the capture's first packet; nil is no limit.
type Window struct{ From, To func(first int64) int64 }

// Has reports whether a packet is in the window; one without a time is in none.
func (w *Window) Has(s *Slot) bool {
	if !s.Datagram.HasTime {
		return false
	}
	at := s.Datagram.Time
	return w.Place(at, at-s.Times.Relative) == 0
}

// Place tells how a time lies to the window of a capture with that first packet: before it
// when negative, in it when 0, after it when positive.
func (w *Window) Place(at, first int64) int {
	switch from, to := w.Bounds(first); {
	case at < from:
		return -1
	case at >= to:
		return 1
	}
	return 0
}

// Bounds are the times of the window of a capture with that first packet: from one on and
// before the other. They are found when they are asked for first; after that several may
// ask at a time.
func (w *Window) Bounds(first int64) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if w.From != nil {
		from = w.From(first)
	}
	if w.To != nil {
		to = w.To(first)
	}
	return from, to
}
