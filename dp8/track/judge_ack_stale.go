package track

import "github.com/dpdissect/dpdissect/session/conform"

// A side that sends staleRetries retries with the header of their first sending never renews
// it. Each must be captured a reorder horizon behind a later header, and one alone may have
// been overtaken. A retry that certainly was not overtaken counts as all of them but one.
const staleRetries = 3

// A staleWatch are the retries of a side that may be stale.
type staleWatch struct {
	renews bool // some retry had another bNRcv than its first sending
	weight int
	cases  []conform.Case
}

// seeHeader notes whether the retry at hand has another bNRcv than its first sending.
func (c ackJudge) seeHeader(dir int) {
	w := &c.side[dir].sequence.stale
	if w.renews || c.sameHeader(dir) {
		return
	}
	if f := c.side[dir].history.at(c.sent.Num); f == nil || !f.first {
		return
	}
	w.renews = true
	for range w.cases {
		c.c.Rules.Pass(r3165Hdrlatest)
	}
	w.cases, w.weight = nil, 0
}

// sameHeader reports that the retry at hand has the bNRcv of its first sending.
func (c ackJudge) sameHeader(dir int) bool {
	f := c.side[dir].history.at(c.sent.Num)
	return f != nil && f.first && !f.cut && f.nrcv == c.f.DFrame.NRcv
}

// keepStale keeps the retry at hand, whose bNRcv is lower than one captured before, when that
// may be the header of its first sending. It reports whether it did.
func (c ackJudge) keepStale(dir int, next int64) bool {
	l, rules := &c.side[dir].sequence, &c.c.Rules
	if l.stale.renews || !c.sameHeader(dir) || !rules.ClockSure() {
		return false
	}
	x := c.ToldMore(dir, next)
	if x == nil || c.AtLeast(x.time) <= rules.Horizon() || x.frame >= c.fr.Frame {
		return false
	}
	l.stale.cases = append(l.stale.cases, rules.Here(r3165Hdrlatest, c.goesBack(x, next), x.frame))
	c.weighStale(dir, 1)
	return true
}

// weighStale enters a retry that may be stale, or surely is.
func (c ackJudge) weighStale(dir, weight int) {
	w := &c.side[dir].sequence.stale
	if w.weight += weight; w.weight >= staleRetries {
		c.endStale(dir, conform.GuardNone)
	}
}

// endStale ends the wait of the retries that may be stale.
func (c ackJudge) endStale(dir int, g conform.Guard) {
	w := &c.side[dir].sequence.stale
	for _, x := range w.cases {
		x.Blocked = g
		c.c.Rules.Judge(x)
	}
	w.cases = nil
}
