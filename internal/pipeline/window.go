package pipeline

// A Window is a span of time, by the times of the capture: From, and all before To. Each is
// made of the time of the capture's first packet; nil is no limit.
type Window struct{ From, To func(first int64) int64 }

// has reports whether a packet is in the window; one without a time is in none.
func (w *Window) has(s *Slot) bool {
	if !s.Datagram.HasTime {
		return false
	}
	at := s.Datagram.Time
	first := at - s.Times.Relative
	return (w.From == nil || at >= w.From(first)) && (w.To == nil || at < w.To(first))
}
