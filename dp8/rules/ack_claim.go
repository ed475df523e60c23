package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// ruleOf is what a false claim breaks.
func ruleOf(k *track.Claim) int {
	switch {
	case k.Mask != 0:
		return r31523Unsent
	case k.Opening:
		return r31522Start
	case k.Hole || k.Next == k.High+2:
		return r31522Gapack
	}
	return r31522Max
}

// judgeClaim judges a claim of which it shows whether it is false, or that no more will show.
func (j ackJudge) judgeClaim(dir dissect.Dir, k *track.Claim) {
	switch k.Outcome {
	case track.ClaimOvertook:
		j.c.Rules.Pass(ruleOf(k))
	case track.ClaimSentLater:
		j.disprove(dir, k, fmt.Sprintf("%d is first sent %s later", uint8(k.By), ms(j.Frame.Time-k.Time)))
	case track.ClaimTakenBack:
		j.disprove(dir, k, fmt.Sprintf("a later frame goes back to %d", uint8(k.By)))
	case track.ClaimUnseen:
		j.shelve(dir, k, conform.GuardBidir)
	case track.ClaimForgotten:
		j.shelve(dir, k, conform.GuardUnwrap)
	case track.ClaimLeft:
		j.judgeLastClaim(dir, k)
	default:
		j.shelve(dir, k, conform.GuardClean)
	}
}

// shelve ends a claim without a verdict.
func (j ackJudge) shelve(dir dissect.Dir, k *track.Claim, g conform.Guard) {
	j.c.Rules.Judge(conform.Case{Rule: ruleOf(k), Dir: dir, Frame: k.Frame, Time: k.Time, HasTime: true, Blocked: g,
		Message: "it acknowledges numbers that were not captured"})
}

// disprove judges a claim that is proven false by the frame at hand, or, where there
// is none, by all that was captured.
func (j ackJudge) disprove(dir dissect.Dir, k *track.Claim, why string) {
	proof := k.Denied
	if j.Frame != nil {
		proof = j.Frame.Frame
	}
	what := fmt.Sprintf("bNRcv is %d, but the highest bSeq of the other side so far is %d", uint8(k.Next), uint8(k.High))
	switch ruleOf(k) {
	case r31523Unsent:
		what = fmt.Sprintf("the SACK mask names %d, but the highest bSeq of the other side so far is %d", uint8(k.Top()), uint8(k.High))
		j.side[dir].sequence.odd = true
	case r31522Gapack:
		what = fmt.Sprintf("bNRcv is %d: it acknowledges a number that had not been sent yet", uint8(k.Next))
	case r31522Start:
		what = fmt.Sprintf("the first bNRcv is %d, not 0", uint8(k.Next))
	}
	x := conform.Case{Rule: ruleOf(k), Dir: dir, Frame: k.Frame, Time: k.Time, HasTime: true, Proof: []uint64{proof}, Message: what + "; " + why}
	if j.Frame == nil {
		if j.c.Rules.ClocksDiffer() {
			x.Blocked = conform.GuardClock
		}
		j.c.Rules.Judge(x)
		return
	}
	j.c.Rules.HoldOrder(x)
}

// judgeLastClaim judges what is left at the end of the connection: an acknowledgement of
// more than a window beyond everything captured, in a capture that shows no gap,
// is false; of others too little is known.
func (j ackJudge) judgeLastClaim(dir dissect.Dir, k *track.Claim) {
	if !k.Hole && k.High >= 0 && k.Top() > k.High+1+seq.MaxAckExcess && j.HeardAt(dir.Other())-k.Time > track.LeastHorizon && j.c.Rules.Clean(0) {
		j.disprove(dir, k, "that is more than the window beyond it")
	} else if k.Denied != 0 {
		j.disprove(dir, k, fmt.Sprintf("bNSeq of the other side is %d later", uint8(k.DeniedTo)))
	} else {
		j.shelve(dir, k, conform.GuardClean)
	}
}
