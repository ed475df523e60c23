package session

// An aheadCount counts acknowledgements that were captured before what they acknowledge:
// once and again the path explains them, regularly only two clocks do that differ.
type aheadCount struct {
	n      uint64
	far    uint64 // acknowledgements far ahead of everything captured, and numbers sent first behind them
	before int64  // numbers below were acknowledged before any was captured
	most   int64  // longest time by which one came before, ns
	last   int64  // when the latest of them came
	first  sign
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
		a.first.see(s.Frame, s.Time)
	}
}

// clockLead is by how much, at least, the clock that the other side was captured with is
// behind this side's, in ns, 0 when nothing shows that they differ.
func (d *Direction) clockLead() int64 {
	if !d.open() || d.ahead.n < leastAhead || d.ahead.n*8 < d.distinct {
		return 0
	}
	return d.ahead.most
}

// ClocksDiffer reports that the two sides were captured with clocks that differ: nothing
// follows from the order of their frames, or from times between them.
func (l *Evaluation) ClocksDiffer() bool {
	for dir := range l.c.Dir {
		if d := &l.c.Dir[dir]; d.clockLead() > 0 || d.open() && d.ahead.far >= leastAhead {
			return true
		}
	}
	return false
}

// orderFrames is how many further frames of its side such a case waits for.
const orderFrames = 3 * HoldSideFrames

// HoldOrder keeps a case open that follows from the order in which frames of the two sides
// were captured, until so many more came that differing clocks would show.
func (l *Evaluation) HoldOrder(x Case) {
	l.HoldFor(x, 0, func() (Ruling, Guard) {
		if l.ClocksDiffer() {
			return Doubtful, GuardClock
		}
		return Failed, GuardNone
	})
	l.holds[len(l.holds)-1].frames = l.sight.frames[x.Dir] + orderFrames
}
