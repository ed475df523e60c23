package seq

// A Sampler summarises round trips as RTT does. The zero value has none.
type Sampler struct{ r rtts }

// Add enters a round trip, in nanoseconds.
func (s *Sampler) Add(ns int64) { s.r.add(ns) }

// Summary summarises what was entered.
func (s *Sampler) Summary() RTT { return s.r.summary() }
