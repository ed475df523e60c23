package seq

// A Sampler summarises round trips in little memory: a percentile of many of them is less
// than 1% off. The zero value has none.
type Sampler struct{ r rtts }

// Add enters a round trip, in nanoseconds.
func (s *Sampler) Add(ns int64) {
	s.r.lowMemory = true
	s.r.add(ns)
}

// Summary summarises what was entered.
func (s *Sampler) Summary() RTT { return s.r.summary() }
