package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// keptFlags are the flags of a data frame that its retries keep.
const keptFlags = dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg | dp8.User1 | dp8.User2

// judgeAgain judges a frame that is a retry, or the second sending of its number,
// against what was sent before (MC-DPL8R 3.1.6.5). first tells that RETRY is clear.
func (j retryJudge) judgeAgain(dir dissect.Dir, num seq.Num, d *dp8.DFrame, first bool) {
	rules, f := &j.c.Rules, j.Remembered(dir, num)
	if !first {
		j.judgeUnreliable(num, d, f)
		j.acks().judgeNeed(dir, num, d)
		j.judgeTimes(dir, num, f)
		j.reactTo(dir, num, false)
	}
	if f.IsKnown() && !first {
		j.judgeFlags(num, d, f)
	}
	if j.Frame.Cut() {
		return
	}
	if d.Coalesced && !first && j.Signing() != dp8.SigningUnknown {
		j.judgeRetriedParts(num, d)
	}
	if !f.IsKnown() || f.IsCut() || j.Signing() == dp8.SigningUnknown || d.HasSignature != (f.IsSigned()) {
		return
	}
	if (d.Control|f.Control)&dp8.CtlKeepAlive != 0 {
		return // what a KeepAlive holds has rules of its own
	}
	same := j.Unchanged(d, f)
	rule := r31521Reuse
	if f.Parts > 0 && d.Coalesced && !first {
		rule = r3165CoalretrySolo
	}
	if rules.Check(rule, same) {
		return
	}
	if rule == r3165CoalretrySolo {
		rules.Broken(rule, fmt.Sprintf("the reliable payloads in the retry of %d differ from those first sent", uint8(num)), f.Frame())
		return
	}
	blocked := conform.GuardNone
	switch {
	case (d.Control|f.Control)&dp8.CtlCoalesce != 0 && !d.Coalesced && !j.versionsSeen():
		blocked = conform.GuardVer // coalesced payloads may be read as one: a retry may lack some of them
	case !j.side[dir].History.Reachable(num) || !j.Unwrapped(dir, f.Last()):
		blocked = conform.GuardUnwrap
	}
	x := rules.Here(rule, fmt.Sprintf("%d was sent earlier with different content", uint8(num)), f.Frame())
	x.Blocked = blocked
	rules.Judge(x)
	if first {
		x = rules.Here(r31521Inc, fmt.Sprintf("new content under bSeq %d, below the highest sent, %d", uint8(num), uint8(j.side[dir].Numbers.TopFirst)), f.Frame())
		x.Blocked = blocked
		rules.Judge(x)
	}
}

// judgeUnreliable judges that only reliable frames are retried.
func (j retryJudge) judgeUnreliable(num seq.Num, d *dp8.DFrame, f track.Record) {
	rules := &j.c.Rules
	if d.Command&dp8.Reliable == 0 && f.IsKnown() && f.Command&dp8.Reliable != 0 {
		return // a flag that was not kept
	}
	if !rules.Check(r3165UnrelRetry, d.Command&dp8.Reliable != 0) {
		rules.Broken(r3165UnrelRetry, fmt.Sprintf("%d is retried although it is not reliable", uint8(num)), frameOf(f)...)
	}
}

func frameOf(f track.Record) []uint64 {
	if !f.IsKnown() {
		return nil
	}
	return []uint64{f.Frame()}
}

// judgeFlags judges that a retry keeps its flags. Where unreliable parts were
// removed, the rest may need no order.
func (j retryJudge) judgeFlags(num seq.Num, d *dp8.DFrame, f track.Record) {
	kept := keptFlags
	if f.Parts > f.Reliables {
		kept &^= dp8.Sequential
	}
	rules := &j.c.Rules
	if changed := (d.Command ^ f.Command) & kept; !rules.Check(r3165Flagskept, changed == 0) {
		rules.Broken(r3165Flagskept, fmt.Sprintf("bCommand of the retry of %d is %#02x, but was %#02x when first sent: flags %#02x changed", uint8(num), uint8(d.Command), uint8(f.Command), uint8(changed)), f.Frame())
	}
}

// judgeRetriedParts judges that a retry holds no unreliable part.
func (j retryJudge) judgeRetriedParts(num seq.Num, d *dp8.DFrame) {
	rules := &j.c.Rules
	parts, reliables := d.Coalesce.N, 0
	for i := range d.Coalesce.Parts[:parts] {
		if d.Coalesce.Parts[i].Reliable() {
			reliables++
		}
	}
	if !rules.Check(r3165Coalretry, parts == reliables) {
		rules.Broken(r3165Coalretry, fmt.Sprintf("the retry of %d has %d payloads, of which %d are reliable", uint8(num), parts, reliables))
	}
}

// judgeFresh judges what only a first sending can break.
func (j retryJudge) judgeFresh(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	if !j.Frame.HasTime {
		return
	}
	if j.timers.due {
		j.judgeQuiet(dir, num)
	}
	if d.KeepAlive {
		j.judgeEarly(dir)
	}
	l := &j.side[dir].sequence
	if l.watch.tenths {
		j.judgeLost(dir, num)
	}
	if l.isNamed && num >= l.named.num {
		j.bases().settle(dir, num)
	}
	if j.Frame.Time-l.stall.since >= movedLeast && l.stall.set {
		j.judgeMoved(dir, num, d)
	}
	if num == openingMost+1 {
		j.judgeOpening(dir, num)
	}
}

// movedLeast is how long, in ns, a number must be waited for before it may have been sent under
// another one.
const movedLeast = 200e6

// movedSettles is for how long a number must stay unsent, in ns, that seems to have
// been sent under another one.
const movedSettles = 5e9

// judgeMoved looks for a retry that took a new number: the lowest number that is
// not acknowledged is never sent again, and its bytes are those of a new one.
func (j retryJudge) judgeMoved(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	s := &j.side[dir].sequence.stall
	if s.judged || num <= s.num || d.Coalesced || len(d.Payload) < 8 {
		return
	}
	f := j.Remembered(dir, s.num)
	if !f.IsKnown() || f.Transmissions() != 1 || f.IsKeepAlive() || f.IsCut() || f.Command&dp8.Reliable == 0 || !j.Unchanged(d, f) {
		return
	}
	s.judged = true
	was, rules := s.num, &j.c.Rules
	x := rules.Here(r3165Seqkept, fmt.Sprintf("the content of bSeq %d, which was neither acknowledged nor retried, is sent again as bSeq %d", uint8(was), uint8(num)), f.Frame())
	rules.HoldFor(x, movedSettles, moved{j, dir, was})
}

// A moved number seems to have been sent under another one.
type moved struct {
	j   retryJudge
	dir dissect.Dir
	was seq.Num
}

// Settle implements session.Settler.
func (h moved) Settle() (conform.Ruling, conform.Guard) {
	if f := h.j.side[h.dir].History.At(h.was); f.IsKnown() && f.Transmissions() > 1 {
		return conform.Passed, 0
	}
	if s := &h.j.side[h.dir].sequence.stall; !s.set || s.num != h.was || s.reports < 3 {
		return conform.Passed, 0
	}
	return conform.Failed, 0
}
