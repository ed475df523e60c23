package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// ruleOf is what a false claim breaks.
func ruleOf(k *claim) int {
	switch {
	case k.mask != 0:
		return r31523Unsent
	case k.opening:
		return r31522Start
	case k.hole || k.next == k.high+2:
		return r31522Gapack
	}
	return r31522Max
}

// judgeClaim judges a claim of which it shows whether it is false, or that no more will show.
func (c ackJudge) judgeClaim(dir int, k *claim) {
	switch k.outcome {
	case claimOvertook:
		c.c.Rules.Pass(ruleOf(k))
	case claimSentLater:
		c.disprove(dir, k, fmt.Sprintf("%d is first sent %s later", uint8(k.by), ms(c.fr.Time-k.time)))
	case claimTakenBack:
		c.disprove(dir, k, fmt.Sprintf("a later frame goes back to %d", uint8(k.by)))
	case claimUnseen:
		c.shelve(dir, k, conform.GuardBidir)
	case claimDoubted:
		c.shelve(dir, k, conform.GuardUnwrap)
	case claimLeft:
		c.judgeLastClaim(dir, k)
	default:
		c.shelve(dir, k, conform.GuardClean)
	}
}

// shelve ends a claim without a verdict.
func (c ackJudge) shelve(dir int, k *claim, g conform.Guard) {
	c.c.Rules.Judge(conform.Case{Rule: ruleOf(k), Dir: dir, Frame: k.frame, Time: k.time, HasTime: true, Blocked: g,
		Message: "it acknowledges numbers that were not captured"})
}

// disprove judges a claim that is proven false by the frame at hand, or, where there
// is none, by all that was captured.
func (c ackJudge) disprove(dir int, k *claim, why string) {
	proof := k.denied
	if c.fr != nil {
		proof = c.fr.Frame
	}
	what := fmt.Sprintf("bNRcv is %d, but the highest bSeq of the other side so far is %d", uint8(k.next), uint8(k.high))
	switch ruleOf(k) {
	case r31523Unsent:
		what = fmt.Sprintf("the SACK mask names %d, but the highest bSeq of the other side so far is %d", uint8(k.top()), uint8(k.high))
		c.side[dir].sequence.odd = true
	case r31522Gapack:
		what = fmt.Sprintf("bNRcv is %d: it acknowledges a number that had not been sent yet", uint8(k.next))
	case r31522Start:
		what = fmt.Sprintf("the first bNRcv is %d, not 0", uint8(k.next))
	}
	x := conform.Case{Rule: ruleOf(k), Dir: dir, Frame: k.frame, Time: k.time, HasTime: true, Proof: []uint64{proof}, Message: what + "; " + why}
	if c.fr == nil {
		if c.c.Rules.ClocksDiffer() {
			x.Blocked = conform.GuardClock
		}
		c.c.Rules.Judge(x)
		return
	}
	c.c.Rules.HoldOrder(x)
}

// judgeLastClaim judges what is left at the end of the connection: an acknowledgement of
// more than a window beyond everything captured, in a capture that shows no gap,
// is false; of others too little is known.
func (c ackJudge) judgeLastClaim(dir int, k *claim) {
	if !k.hole && k.high >= 0 && k.top() > k.high+1+seq.MaxAckExcess && c.HeardAt(1-dir)-k.time > leastHorizon && c.c.Rules.Clean(0) {
		c.disprove(dir, k, "that is more than the window beyond it")
	} else if k.denied != 0 {
		c.disprove(dir, k, fmt.Sprintf("bNSeq of the other side is %d later", uint8(k.deniedTo)))
	} else {
		c.shelve(dir, k, conform.GuardClean)
	}
}
