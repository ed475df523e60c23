package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Recommended values (MC-DPL8R 3.1.2), in ns where they are times.
const (
	retryCap      = 5e9
	retryMost     = 10
	connectFirst  = 200e6
	connectMost   = 14
	aliveAfter    = 29e9 // 25 s and the granularity of 4 s
	aliveEarliest = 21e9
	ackNormal     = 100e6
	ackShort      = 80e6 // 20 ms, and what the path adds
)

func (w *retryWatch) of(num seq.Num) *retrySeries {
	for i := range w.series {
		if s := &w.series[i]; s.n > 0 && s.num == num {
			return s
		}
	}
	if w.series == nil {
		w.series = make([]retrySeries, retriedAtOnce)
	}
	s := &w.series[w.next]
	w.next = (w.next + 1) % len(w.series)
	*s = retrySeries{num: num}
	return s
}

// judgeTimes judges when and how often a number is retried (MC-DPL8R 3.1.2.5).
func (j retryJudge) judgeTimes(dir dissect.Dir, num seq.Num, f track.Record) {
	l, rules := &j.side[dir].sequence, &j.c.Rules
	if l.duty.open && l.duty.num == num {
		l.duty.open = false
	}
	if l.stall.set && l.stall.num == num {
		rules.Pass(l.stall.rule())
		l.stall.retried = true
	}
	if !j.Frame.HasTime {
		return
	}
	w := &l.watch
	s := w.of(num)
	if s.n == 0 && f.IsKnown() && f.First() {
		s.begun, s.last = f.Time(), f.Time()
		j.judgeFast(dir, num)
		j.judgeFirstRetry(dir, num, f)
	}
	if s.n == 0 || j.Frame.Time-s.last > seq.CopyDoubt { // else a relay may have made two of one
		s.n++
	}
	most, _ := j.Profile().Value("MAX", retryMost)
	if !rules.Check(r3125Max, float64(s.n) <= most) && !s.told {
		s.told = true
		rules.Broken(r3125Max, fmt.Sprintf("bSeq %d is retried for the %dth time; at most %.0f retries are recommended", uint8(num), s.n, most))
	}
	if float64(s.n) == most {
		s.tenth, w.tenths = j.Frame.Time, true
	}
	if s.last != 0 {
		j.judgeInterval(dir, s, j.Frame.Time-s.last)
	}
	s.last = j.Frame.Time
}

// judgeFirstRetry judges a first retry: it comes too early when no answer can have
// come before, unless a SACK mask asked for it.
func (j retryJudge) judgeFirstRetry(dir dissect.Dir, num seq.Num, f track.Record) {
	l, rules := &j.side[dir].sequence, &j.c.Rules
	j.judgeShrink(dir, num)
	rtt := j.c.Dir[0].MinRTT() + j.c.Dir[1].MinRTT()
	if rtt == 0 || j.c.Dir[0].MinRTT() == 0 || j.side[dir.Other()].sequence.maskedAt >= f.Time() {
		return
	}
	if rules.Check(r3125First, j.Frame.Time-f.Time()+j.Grain() >= rtt*9/10) {
		l.watch.early = 0
		return
	}
	msg := "a first retry came before an answer could arrive"
	if l.watch.early++; l.watch.early < max(4, j.sequence().needed(dir)) {
		rules.Unclear(r3125First, conform.GuardSample, msg, f.Frame())
		return
	}
	x := rules.Here(r3125First, fmt.Sprintf("bSeq %d is retried after %s, but a round trip takes at least %s; no SACK mask asked for the retry", uint8(num), ms(j.Frame.Time-f.Time()), ms(rtt)), f.Frame())
	if j.c.Dir[dir.Other()].Quality().RoundTrips() < leastTrips {
		x.Blocked = conform.GuardRTT // Judge looks at those of the side at fault alone
	}
	rules.Judge(x)
}

// leastTrips is how many round trips show how short they are (guard RTT).
const leastTrips = 5

// judgeInterval judges the time between two sendings of a number. Retries that were
// lost on the way to the capture, or by it, make it longer, and leave no trace:
// it counts how many must be missing.
func (j retryJudge) judgeInterval(dir dissect.Dir, s *retrySeries, gap int64) {
	rules := &j.c.Rules
	switch missing := int((gap - gap/20) / retryCap); {
	case gap <= retryCap+retryCap/10:
		rules.Pass(r3125Cap)
	case missing >= j.sequence().neededOf(dir):
		rules.Broken(r3125Cap, fmt.Sprintf("bSeq %d is retried after %.1f s; at most 5 s are recommended", uint8(s.num), float64(gap)/1e9))
	default:
		rules.Unclear(r3125Cap, conform.GuardHold, "a long interval between two retries; some in between may not have been captured")
	}
	j.judgeBackoff(dir, s, gap)
	if s.passed < maxRetryTimes {
		s.gaps[s.passed] = gap
		s.passed++
	}
}

// judgeBackoff judges that the times between retries do not shrink.
func (j retryJudge) judgeBackoff(dir dissect.Dir, s *retrySeries, gap int64) {
	o, rules := &j.side[dir.Other()].sequence, &j.c.Rules
	if s.passed == 0 || s.begun != 0 && o.maskedAt >= s.begun || gap <= 0 {
		return
	}
	if gap <= seq.CopyDoubt {
		rules.Unclear(r3125Backoff, conform.GuardDup, "two retries that may be one retry duplicated by a relay")
		return
	}
	missing, shrinks := 0, false
	for _, g := range s.gaps[:s.passed] {
		if most := gap + gap/5; g > most {
			missing += int((g - 1) / most)
			shrinks = true
		}
	}
	switch {
	case !shrinks:
		rules.Pass(r3125Backoff)
	case missing >= max(4, j.sequence().needed(dir)) && o.plain >= j.sequence().needed(dir):
		x := rules.Here(r3125Backoff, fmt.Sprintf("bSeq %d is retried after %s, the retry before after %s", uint8(s.num), ms(gap), ms(s.gaps[s.passed-1])))
		x.Since = s.begun
		rules.Judge(x)
	default:
		rules.Unclear(r3125Backoff, conform.GuardSample, "the retry interval shrinks; some retries may not have been captured")
	}
}

// shrinkSample is how many first retries in a row, a round trip apart, with a full
// window show that it does not shrink.
const shrinkSample = 20

// judgeShrink judges that the window shrinks when frames are lost.
func (j retryJudge) judgeShrink(dir dissect.Dir, num seq.Num) {
	w, rules := &j.side[dir].sequence.watch, &j.c.Rules
	rtt := j.c.Dir[0].MinRTT() + j.c.Dir[1].MinRTT()
	if j.Frame.Time-w.fullAt < max(rtt, CopyGap) {
		return
	}
	w.fullAt = j.Frame.Time
	if j.side[dir].Numbers.TopFirst+1-num < dp8.WindowSize-4 {
		w.full = 0
		rules.Pass(r3144CcLoss)
		return
	}
	if w.full++; w.full >= shrinkSample && !w.sparse {
		w.sparse = true
		rules.Broken(r3144CcLoss, fmt.Sprintf("the window was full at each of the last %d losses", w.full))
	}
}

// CopyGap is how far apart losses count as two, in ns.
const CopyGap = seq.CopyHorizon

func (s *stall) rule() int {
	if s.keepAlive {
		return r3166KaRetry
	}
	return r3165Retrymissing
}

// Times of guard HOLD for a number that is not retried.
const (
	stallLeast  = 5e9
	stallReport = 50e6 // between two reports, ns
)

// reportStall notes that a side still waits for a number of the other one, dir, and
// judges that it is sent again (MC-DPL8R 3.1.6.5, 3.1.6.6).
func (j retryJudge) reportStall(dir dissect.Dir, next seq.Num) {
	s, rules := &j.side[dir].sequence.stall, &j.c.Rules
	if !s.set || s.num != next {
		if s.unreliable && s.num == next {
			return
		}
		s.set, s.unreliable, s.judged, s.reports = false, false, false, 0
		f := j.Remembered(dir, next)
		switch {
		case !f.IsKnown() || !f.First():
		case f.Command&dp8.Reliable == 0:
			s.unreliable, s.num = true, next
		default:
			s.set, s.num, s.frame, s.since, s.reported = true, next, f.Frame(), f.Time(), j.Frame.Time
			s.frames, s.keepAlive, s.retried = rules.Frames(dir), f.IsKeepAlive(), f.Transmissions() > 1
		}
		return
	}
	if j.Frame.Time-s.reported < stallReport {
		return
	}
	s.reported = j.Frame.Time
	s.reports++
	rtt := j.c.Dir[0].MinRTT() + j.c.Dir[1].MinRTT()
	age := j.Frame.Time - s.since
	if s.retried || s.judged || age < max(stallLeast, 10*rtt) || s.reports < 4 || rules.Frames(dir) < s.frames+8 {
		return
	}
	// By then the recommended timer has expired four times, and once more every 5 s.
	if chances := 4 + int((age-stallLeast)/retryCap); chances < j.sequence().neededOf(dir) {
		return
	}
	s.judged = true
	rules.Judge(conform.Case{Rule: s.rule(), Dir: dir, Frame: s.frame, Time: s.since, HasTime: true, Since: s.since, Proof: []uint64{j.Frame.Frame},
		Message: fmt.Sprintf("bSeq %d is reliable and the other side has waited for it for %.1f s, but it is not sent again", uint8(s.num), float64(age)/1e9)})
}

// lostAfter is how long behind its last retry a number must stay unacknowledged
// before the connection counts as lost, in ns.
const lostAfter = 10e9

// judgeLost judges that a side gives the connection up when its last retry of a
// number stays unanswered (MC-DPL8R 3.1.6.5).
func (j retryJudge) judgeLost(dir dissect.Dir, num seq.Num) {
	l, rules := &j.side[dir].sequence, &j.c.Rules
	cum, known := j.c.Dir[dir].Window().Cumulative()
	for i := range l.watch.series {
		s := &l.watch.series[i]
		if s.tenth != 0 && known && cum > s.num {
			s.tenth = 0
			rules.Pass(r3165Lost) // it was answered
		}
		if s.tenth == 0 || !l.stall.set || l.stall.num != s.num || j.Frame.Time-s.tenth < lostAfter || l.stall.reported-s.tenth < lostAfter/2 {
			continue
		}
		s.tenth = 0
		x := rules.Here(r3165Lost, fmt.Sprintf("bSeq %d was retried %d times without an answer, yet %d follows %.1f s later: the connection was lost", uint8(s.num), s.n, uint8(num), float64(j.Frame.Time-s.last)/1e9), l.stall.frame)
		x.Since = s.begun
		rules.Judge(x)
	}
}
