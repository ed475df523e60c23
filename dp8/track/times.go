package track

// GrainOf is how coarse two times look, in ns: captures of some tools are cut to
// seconds or milliseconds.
func GrainOf(a, b int64) int64 {
	for _, g := range [...]int64{1e9, 1e8, 1e7, 1e6} {
		if a%g == 0 && b%g == 0 {
			return g
		}
	}
	return 0
}

// stepOf is how coarse two times look, in ns, or those of the connection do, for clocks are shifted.
func (c *conn) stepOf(a, b int64) int64 {
	if g := GrainOf(a, b); g > 0 || c.c.Rules.ClockFine() {
		return g
	}
	return c.grain
}

// atLeast is the time from an earlier one to the frame at hand that has passed for
// sure, in ns; atMost is what may have.
func (c *conn) atLeast(at int64) int64 { return c.Frame.Time - at - c.stepOf(c.Frame.Time, at) }

func (c *conn) atMost(at int64) int64 { return c.Frame.Time - at + c.stepOf(c.Frame.Time, at) }

// apart is how far apart two frames of one side were captured that were certainly
// sent in this order (guard REORD). It is wider than that of copies: order alone
// calls an endpoint wrong here.
func (c *conn) apart() int64 { return max(c.c.Rules.Horizon(), LeastHorizon) + c.grain }

// inOrder is apart by times of which the steps of the clock are taken already: twice the horizon, for
// each of the two frames may have been held up, or shown early.
func (c *conn) inOrder() int64 { return max(2*c.c.Rules.Horizon(), LeastHorizon) }

// LeastHorizon is how far apart they are at least, in ns.
const LeastHorizon = 100e6

// coarsen learns how coarse the times of the capture are, by powers of ten: those
// since the connection's first frame, for clocks are shifted.
func (c *conn) coarsen(t int64) {
	t -= c.c.FirstTime
	if c.grain == 0 {
		c.grain = 1e9
	}
	if c.grain == 1e3 && t%1e3 == 0 {
		return // most captures; a constant divides faster
	}
	for c.grain > 1 && t%c.grain != 0 {
		c.grain /= 10
	}
}
