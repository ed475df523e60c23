package filter

// Times places a frame among the packets of its capture, in nanoseconds.
type Times struct {
	Relative int64 // since the first packet
	Delta    int64 // since the packet before, displayed or not; may be negative
}

// A Clock makes Times. Its zero value stands before the first packet.
type Clock struct {
	first, previous int64
	running         bool
}

// Next takes the time of the next packet, in nanoseconds since 1970. It is to
// be called once for every captured packet that has a time, in the order of the
// capture, whether a filter looks at it or not: frame.time_delta counts from the
// previous captured packet. Both times of the first packet are 0.
func (c *Clock) Next(t int64) Times {
	if !c.running {
		*c = Clock{t, t, true}
	}
	times := Times{t - c.first, t - c.previous}
	c.previous = t
	return times
}
