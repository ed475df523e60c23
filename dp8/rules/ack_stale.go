package rules

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

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
func (j ackJudge) seeHeader(dir dissect.Dir) {
	w := &j.side[dir].sequence.stale
	if w.renews || j.sameHeader(dir) {
		return
	}
	if f := j.side[dir].History.At(j.Sent.Num); !f.IsKnown() || !f.First() {
		return
	}
	w.renews = true
	for range w.cases {
		j.c.Rules.Pass(r3165Hdrlatest)
	}
	w.cases, w.weight = nil, 0
}

// sameHeader reports that the retry at hand has the bNRcv of its first sending.
func (j ackJudge) sameHeader(dir dissect.Dir) bool {
	f := j.side[dir].History.At(j.Sent.Num)
	return f.IsKnown() && f.First() && !f.IsCut() && f.NRcv == j.Packet.DFrame.NRcv
}

// keepStale keeps the retry at hand, whose bNRcv is lower than one captured before, when that
// is the header of its first transmission, and leaves open what may be. It reports whether it did either.
func (j ackJudge) keepStale(dir dissect.Dir, next seq.Num) bool {
	l, rules := &j.side[dir].sequence, &j.c.Rules
	same, f := j.sameHeader(dir), j.side[dir].History.At(j.Sent.Num)
	if l.stale.renews || !same && f.IsKnown() && f.First() || !rules.ClockSure() {
		return false
	}
	x := j.ToldMore(dir, next)
	if x == nil || x.Frame >= j.Frame.Frame {
		return false
	}
	if !same || j.AtLeast(x.Time) <= rules.Horizon() {
		rules.Unclear(r3165Hdrlatest, conform.GuardReord, j.goesBack(x, next), x.Frame)
		return true
	}
	l.stale.cases = append(l.stale.cases, rules.Here(r3165Hdrlatest, j.goesBack(x, next), x.Frame))
	j.weighStale(dir, 1)
	return true
}

// weighStale enters a retry that may be stale, or surely is.
func (j ackJudge) weighStale(dir dissect.Dir, weight int) {
	w := &j.side[dir].sequence.stale
	if w.weight += weight; w.weight >= staleRetries {
		j.endStale(dir, conform.GuardNone)
	}
}

// endStale ends the wait of the retries that may be stale.
func (j ackJudge) endStale(dir dissect.Dir, g conform.Guard) {
	w := &j.side[dir].sequence.stale
	for _, x := range w.cases {
		x.Blocked = g
		j.c.Rules.Judge(x)
	}
	w.cases = nil
}
