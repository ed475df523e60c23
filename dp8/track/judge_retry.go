package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// keptFlags are the flags of a data frame that its retries keep.
const keptFlags = dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg | dp8.User1 | dp8.User2

// judgeAgain judges a frame that is a retry, or the second sending of its number,
// against what was sent before (MC-DPL8R 3.1.6.5). first tells that RETRY is clear.
func (c retryJudge) judgeAgain(dir int, num int64, d *dp8.DFrame, first bool) {
	rules, f := &c.c.Rules, c.Remembered(dir, num)
	if !first {
		c.judgeUnreliable(num, d, f)
		c.acks().judgeNeed(dir, num, d)
		c.judgeTimes(dir, num, f)
		c.reactTo(dir, num, false)
	}
	if f != nil && !first {
		c.judgeFlags(num, d, f)
	}
	if c.fr.Cut() {
		return
	}
	if d.Coalesced && !first && c.Signing() != dp8.SigningUnknown {
		c.judgeRetriedParts(num, d)
	}
	if f == nil || f.cut || c.Signing() == dp8.SigningUnknown || d.HasSignature != (f.signature != [8]byte{}) {
		return
	}
	if (d.Control|f.control)&dp8.CtlKeepAlive != 0 {
		return // what a KeepAlive holds has rules of its own
	}
	same := c.Unchanged(d, f)
	rule := r31521Reuse
	if f.parts > 0 && d.Coalesced && !first {
		rule = r3165CoalretrySolo
	}
	if rules.Check(rule, same) {
		return
	}
	if rule == r3165CoalretrySolo {
		rules.Broken(rule, fmt.Sprintf("the reliable payloads in the retry of %d differ from those first sent", uint8(num)), f.frame)
		return
	}
	blocked := conform.GuardNone
	switch {
	case (d.Control|f.control)&dp8.CtlCoalesce != 0 && !d.Coalesced && !c.versionsSeen():
		blocked = conform.GuardVer // coalesced payloads may be read as one: a retry may lack some of them
	case !c.side[dir].history.reachable(num) || !c.Unwrapped(dir, f.last):
		blocked = conform.GuardUnwrap
	}
	x := rules.Here(rule, fmt.Sprintf("%d was sent earlier with different content", uint8(num)), f.frame)
	x.Blocked = blocked
	rules.Judge(x)
	if first {
		x = rules.Here(r31521Inc, fmt.Sprintf("new content under bSeq %d, below the highest sent, %d", uint8(num), uint8(c.side[dir].numbers.high)), f.frame)
		x.Blocked = blocked
		rules.Judge(x)
	}
}

// judgeUnreliable judges that only reliable frames are retried.
func (c retryJudge) judgeUnreliable(num int64, d *dp8.DFrame, f *sentFrame) {
	rules := &c.c.Rules
	if d.Command&dp8.Reliable == 0 && f != nil && f.command&dp8.Reliable != 0 {
		return // a flag that was not kept
	}
	if !rules.Check(r3165UnrelRetry, d.Command&dp8.Reliable != 0) {
		rules.Broken(r3165UnrelRetry, fmt.Sprintf("%d is retried although it is not reliable", uint8(num)), frameOf(f)...)
	}
}

func frameOf(f *sentFrame) []uint64 {
	if f == nil {
		return nil
	}
	return []uint64{f.frame}
}

// judgeFlags judges that a retry keeps its flags. Where unreliable parts were
// removed, the rest may need no order.
func (c retryJudge) judgeFlags(num int64, d *dp8.DFrame, f *sentFrame) {
	kept := keptFlags
	if f.parts > f.reliables {
		kept &^= dp8.Sequential
	}
	rules := &c.c.Rules
	if changed := (d.Command ^ f.command) & kept; !rules.Check(r3165Flagskept, changed == 0) {
		rules.Broken(r3165Flagskept, fmt.Sprintf("bCommand of the retry of %d is %#02x, but was %#02x when first sent: flags %#02x changed", uint8(num), uint8(d.Command), uint8(f.command), uint8(changed)), f.frame)
	}
}

// judgeRetriedParts judges that a retry holds no unreliable part.
func (c retryJudge) judgeRetriedParts(num int64, d *dp8.DFrame) {
	rules := &c.c.Rules
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
func (c retryJudge) judgeFresh(dir int, num int64, d *dp8.DFrame) {
	if !c.fr.HasTime {
		return
	}
	if c.timers.due {
		c.judgeQuiet(dir, num)
	}
	if d.KeepAlive {
		c.judgeEarly(dir)
	}
	l := &c.side[dir].sequence
	if l.watch.tenths {
		c.judgeLost(dir, num)
	}
	if c.fr.Time-l.stall.since >= silence && l.stall.set {
		c.judgeMoved(dir, num, d)
	}
	if num == openingMost+1 {
		c.judgeOpening(dir, num)
	}
}

// movedSettles is for how long a number must stay unsent, in ns, that seems to have
// been sent under another one.
const movedSettles = 5e9

// judgeMoved looks for a retry that took a new number: the lowest number that is
// not acknowledged is never sent again, and its bytes are those of a new one.
func (c retryJudge) judgeMoved(dir int, num int64, d *dp8.DFrame) {
	s := &c.side[dir].sequence.stall
	if s.judged || num <= s.num || d.Coalesced || len(d.Payload) < 8 {
		return
	}
	f := c.Remembered(dir, s.num)
	if f == nil || f.sendings != 1 || f.keepAlive || f.cut || f.command&dp8.Reliable == 0 || !c.Unchanged(d, f) {
		return
	}
	s.judged = true
	was, rules := s.num, &c.c.Rules
	x := rules.Here(r3165Seqkept, fmt.Sprintf("the content of bSeq %d, which was neither acknowledged nor retried, is sent again as bSeq %d", uint8(was), uint8(num)), f.frame)
	rules.HoldFor(x, movedSettles, func() (conform.Ruling, conform.Guard) {
		if f := c.side[dir].history.at(was); f != nil && f.sendings > 1 {
			return conform.Passed, 0
		}
		if s := &c.side[dir].sequence.stall; !s.set || s.num != was || s.reports < 3 {
			return conform.Passed, 0
		}
		return conform.Failed, 0
	})
}
