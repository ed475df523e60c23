package track

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// maxClaims bounds the claims of a side that wait.
const maxClaims = 8

// covers reports whether a claim acknowledges a number that was not captured then.
func (k *claim) covers(num int64) bool {
	if num >= k.from && num < k.next {
		return true
	}
	i := num - k.next - 1
	return num > k.high && i >= 0 && i < 64 && k.mask>>uint(i)&1 != 0
}

// top is the highest number of a claim.
func (k *claim) top() int64 {
	if k.mask == 0 {
		return k.next - 1
	}
	return k.next + int64(bits.Len64(k.mask))
}

// rule is what a false claim breaks.
func (k *claim) rule() int {
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

func (c ackJudge) claim(dir int, k claim) {
	l := &c.side[dir].sequence
	k.stamp = c.stamp
	if x := l.claims.Latest(); x != nil && x.next == k.next && x.mask == k.mask {
		return
	}
	l.claims.Enter(k, maxClaims, func(oldest *claim) { c.shelve(dir, oldest, conform.GuardClean) })
}

// shelve ends a claim without a verdict.
func (c ackJudge) shelve(dir int, k *claim, g conform.Guard) {
	c.c.Rules.Judge(conform.Case{Rule: k.rule(), Dir: dir, Frame: k.frame, Time: k.time, HasTime: true, Blocked: g,
		Message: "it acknowledges numbers that were not captured"})
}

func (c ackJudge) dropClaims(dir int, g conform.Guard) {
	c.side[dir].sequence.claims.End(func(k *claim) { c.shelve(dir, k, g) })
}

// settleClaims looks at the other side's claims when a number of side dir is
// captured; first tells that it is certainly its first sending.
func (c ackJudge) settleClaims(dir int, num int64, first bool) {
	c.side[1-dir].sequence.claims.Settle(func(k *claim) bool {
		switch late := c.fr.Time-k.time > c.prior.horizon; {
		case k.covers(num) && first && late && c.outOfTurn(dir, num):
			c.shelve(1-dir, k, conform.GuardClean) // it may have been sent before, unseen
		case k.covers(num) && first && late:
			c.disprove(1-dir, k, fmt.Sprintf("%d is first sent %s later", uint8(num), ms(c.fr.Time-k.time)))
		case k.covers(num) && !first && late:
			c.shelve(1-dir, k, conform.GuardClean) // it was sent before, unseen
		case !k.hole && num >= k.top() && !late:
			c.c.Rules.Pass(k.rule()) // the frame was overtaken by its acknowledgement
		case num > k.top() && !k.hole, num > k.top()+dp8.WindowSize:
			c.shelve(1-dir, k, conform.GuardClean)
		default:
			return true
		}
		return false
	})
}

// outOfTurn reports that the data frame at hand was sent behind one with a higher number:
// a SACK of its side named a later one as the next, or its bNRcv is higher. The network did
// not delay it, and that it is not marked as a retry does not show that its number is new.
func (c ackJudge) outOfTurn(dir int, num int64) bool {
	own := &c.side[dir].sequence
	if next, ok := c.side[dir].nseq.Known(); ok && next > num && next <= num+dp8.WindowSize {
		return true
	}
	received, ok := c.received(dir, c.f.DFrame.NRcv)
	if !ok {
		return false
	}
	for n := num + 1; n <= min(own.high, num+dp8.WindowSize); n++ {
		if k := c.carried(dir, n); k != nil && k.next != 0 && k.next < received {
			return true
		}
	}
	return false
}

// disprove judges a claim that is proven false by the frame at hand, or, where there
// is none, by all that was captured.
func (c ackJudge) disprove(dir int, k *claim, why string) {
	proof := k.denied
	if c.fr != nil {
		proof = c.fr.Frame
	}
	what := fmt.Sprintf("bNRcv is %d, but the highest bSeq of the other side so far is %d", uint8(k.next), uint8(k.high))
	switch k.rule() {
	case r31523Unsent:
		what = fmt.Sprintf("the SACK mask names %d, but the highest bSeq of the other side so far is %d", uint8(k.top()), uint8(k.high))
		c.side[dir].sequence.odd = true
	case r31522Gapack:
		what = fmt.Sprintf("bNRcv is %d: it acknowledges a number that had not been sent yet", uint8(k.next))
	case r31522Start:
		what = fmt.Sprintf("the first bNRcv is %d, not 0", uint8(k.next))
	}
	x := conform.Case{Rule: k.rule(), Dir: dir, Frame: k.frame, Time: k.time, HasTime: true, Proof: []uint64{proof}, Message: what + "; " + why}
	if c.fr == nil {
		if c.c.Rules.ClocksDiffer() {
			x.Blocked = conform.GuardClock
		}
		c.c.Rules.Judge(x)
		return
	}
	c.c.Rules.HoldOrder(x)
}

// contradict looks at the side's own claims: one that a later frame of it takes
// back was false. One that was provisional until now was captured before them.
func (c ackJudge) contradict(dir int, next int64) {
	c.side[dir].sequence.claims.Settle(func(k *claim) bool {
		wrong := !k.hole && k.mask == 0 && next < k.next && next <= k.high+1 && c.fr.Frame > k.frame && c.after(&k.stamp)
		if wrong {
			c.disprove(dir, k, fmt.Sprintf("a later frame goes back to %d", uint8(next)))
		}
		return !wrong
	})
}

// judgeNextSend looks at the other side's claims when a side says by SACK what it
// will send next: nothing from there on was sent before. It counts only when it
// agrees with what was captured, and while the side does not go on above the claim:
// then one of the two is wrong, and which one does not show.
func (c ackJudge) judgeNextSend(dir int, next int64) {
	l, own := &c.side[1-dir].sequence, &c.side[dir].sequence
	if l.claims.Len() == 0 || !own.started || c.fr.Words != 0 {
		return
	}
	l.claims.Settle(func(k *claim) bool {
		switch late := c.fr.Time-k.time > c.sequence().apart(); {
		case k.hole:
		case k.top() >= next && late && next == own.seen+1:
			k.denied, k.deniedTo = c.fr.Frame, next
		case k.top() < next:
			k.denied = 0
		}
		return true
	})
}

// closeClaims ends what is left at the end of the connection: an acknowledgement of
// more than a window beyond everything captured, in a capture that shows no gap,
// is false; of others too little is known.
func (c ackJudge) closeClaims(dir int) {
	c.side[dir].sequence.claims.End(func(k *claim) {
		if !k.hole && k.high >= 0 && k.top() > k.high+1+seq.MaxAckExcess && c.numbered[1-dir]-k.time > leastHorizon && c.c.Rules.Clean(0) {
			c.disprove(dir, k, "that is more than the window beyond it")
		} else if k.denied != 0 {
			c.disprove(dir, k, fmt.Sprintf("bNSeq of the other side is %d later", uint8(k.deniedTo)))
		} else {
			c.shelve(dir, k, conform.GuardClean)
		}
	})
}

// firstAckTime is for how long behind the first frame of a connection a side may not
// have been seen, in ns.
const firstAckTime = 1e9

// judgeFirstAck judges bNRcv while nothing of the other side was captured: it starts
// at 0 (MC-DPL8R 3.1.5.2.2).
func (c ackJudge) judgeFirstAck(dir int, nrcv uint8) {
	l := &c.side[dir].sequence
	if !c.c.Complete || !c.fr.HasTime || c.trusted != 0 || c.fr.Words.Has(dissect.Duplicate) {
		return
	}
	first := !l.answered
	l.answered = true
	if l.unseen = l.unseen || c.fr.Time-c.c.FirstTime > firstAckTime || nrcv > dp8.WindowSize; l.unseen {
		c.dropClaims(dir, conform.GuardBidir) // the other side is not seen
		return
	}
	c.contradict(dir, int64(nrcv))
	switch {
	case nrcv != 0:
		c.claim(dir, claim{next: int64(nrcv), high: -1, opening: first})
	case first:
		c.c.Rules.Pass(r31522Start)
	}
}
