package seq

// An aheadCount counts acknowledgements that were captured before what they acknowledge:
// once and again the path explains them, regularly only two clocks do that differ.
type aheadCount struct {
	n      uint64
	far    uint64 // acknowledgements far ahead of everything captured, and numbers sent first behind them
	before int64  // numbers below were acknowledged before any was captured
	most   int64  // longest time by which one came before, ns
	last   int64  // when the latest of them came
	first  Sign
}

// leastAhead is how many show that clocks differ, when there is one for each eight numbers; leastLead is
// by how much they come before, in ns.
const (
	leastAhead = 8
	leastLead  = 1e6
)

// see looks at a number that is captured for the first time, as a first sending.
func (a *aheadCount) see(s *Sending, u *unit) {
	if gap := s.Time - u.ackTime; u.state&acked != 0 && u.ackTime != 0 && s.HasTime && s.Mark != MarkRetry && gap > leastLead && u.ackTime != a.last {
		a.n++
		a.last = u.ackTime
		a.most = max(a.most, gap)
		a.first.See(s.Frame, s.Time)
	}
}

// ClockLead is by how much, at least, the clock that the other side was captured with is
// behind this side's, in ns, 0 when nothing shows that they differ; and how many
// acknowledgements came before what they acknowledge, with the first of these numbers.
func (d *Direction) ClockLead() (ns int64, n uint64, first Sign) {
	if !d.clockLeads() {
		return 0, 0, Sign{}
	}
	return d.ahead.most, d.ahead.n, d.ahead.first
}

func (d *Direction) clockLeads() bool {
	return d.IsOpen() && d.ahead.n >= leastAhead && d.ahead.n*8 >= d.distinct
}

// ClockDiffers reports that the side was captured with another clock than its peer's
// acknowledgements: these came before what they acknowledge, or far ahead of it.
func (d *Direction) ClockDiffers() bool {
	return d.clockLeads() && d.ahead.most > 0 || d.IsOpen() && d.ahead.far >= leastAhead
}
