package seq

// An aheadCount counts acknowledgements that were captured before what they acknowledge:
// once and again the path explains them, regularly only two clocks do that differ.
type aheadCount struct {
	before Num // numbers below were acknowledged before any was captured

	n     uint64
	far   uint64 // acknowledgements far ahead of everything captured, and numbers sent first behind them
	most  int64  // longest time by which one came before, ns
	last  int64  // when the latest of them came
	first Sign
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
