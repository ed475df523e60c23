package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Claim is an acknowledgement of numbers that were not captured. Most show what
// the capture missed; one is proven false when such a number is sent for the first
// time later, when the other side's bNSeq says so, or when the side takes it back.
type Claim struct {
	Stamp
	from, Next seq.Num // numbers it acknowledges cumulatively
	Mask       uint64  // … and selectively: bit i is next+1+i
	High       seq.Num // highest number captured then
	Opening    bool    // first acknowledgement of the side
	Hole       bool    // the numbers lie below the highest captured
	Denied     uint64  // a SACK of the other side by which none of it was sent yet
	DeniedTo   seq.Num // its bNSeq
	Outcome    ClaimOutcome
	By         seq.Num // the number that decided it
}

// ClaimOutcome is what became of a claim.
type ClaimOutcome uint8

const (
	ClaimOpen      ClaimOutcome = iota // nothing shows whether it is false
	ClaimOvertook                      // its number came a little later
	ClaimSentLater                     // a number of it was sent for the first time much later
	ClaimTakenBack                     // a later frame of its side goes back to a lower number
	ClaimUnseen                        // the other side is not seen
	ClaimForgotten                     // numbers are in doubt since
	ClaimLeft                          // the connection ended
)

// maxClaims bounds the claims of a side that wait.
const maxClaims = 8

// covers reports whether a claim acknowledges a number that was not captured then.
func (k *Claim) covers(num seq.Num) bool {
	if num >= k.from && num < k.Next {
		return true
	}
	i := num - k.Next - 1
	return num > k.High && i >= 0 && i < 64 && k.Mask>>uint(i)&1 != 0
}

// Top is the highest number of a claim.
func (k *Claim) Top() seq.Num {
	if k.Mask == 0 {
		return k.Next - 1
	}
	return k.Next + seq.Num(bits.Len64(k.Mask))
}

// claim keeps what the frame at hand acknowledges and the capture does not have.
func (c *conn) claim(dir dissect.Dir, k Claim) {
	l := &c.side[dir].Numbers
	k.Stamp = c.Stamp
	if x := l.claims.Latest(); x != nil && x.Next == k.Next && x.Mask == k.Mask {
		return
	}
	l.claims.Enter(k, maxClaims, func(oldest *Claim) { c.endClaim(dir, oldest, ClaimOpen, 0) })
}

// endClaims ends all claims of a side in one way.
func (c *conn) endClaims(dir dissect.Dir, what ClaimOutcome) {
	c.side[dir].Numbers.claims.End(func(k *Claim) { c.endClaim(dir, k, what, 0) })
}

// endClaim tells the judge what became of a claim, and by which number.
func (c *conn) endClaim(dir dissect.Dir, k *Claim, what ClaimOutcome, by seq.Num) {
	if c.judge != nil {
		k.Outcome, k.By = what, by
		c.judge.Claim(dir, k)
	}
}

// settleClaims looks at the other side's claims when a number of side dir is
// captured; first tells that it is certainly its first sending.
func (c *conn) settleClaims(dir dissect.Dir, num seq.Num, first bool) {
	c.side[dir.Other()].Numbers.claims.Settle(func(k *Claim) bool {
		switch late := c.Frame.Time-k.Time > c.Prior.horizon; {
		case k.covers(num) && first && late && (c.outOfTurn(dir, num) || c.Frame.Time-k.Time > longSilence):
			c.endClaim(dir.Other(), k, ClaimOpen, 0) // it may have been sent before, unseen, or be of another connection
		case k.covers(num) && first && late:
			c.endClaim(dir.Other(), k, ClaimSentLater, num)
		case k.covers(num) && !first && late:
			c.endClaim(dir.Other(), k, ClaimOpen, 0) // it was sent before, unseen
		case !k.Hole && num >= k.Top() && !late:
			c.endClaim(dir.Other(), k, ClaimOvertook, num)
		case num > k.Top() && !k.Hole, num > k.Top()+dp8.WindowSize:
			c.endClaim(dir.Other(), k, ClaimOpen, 0)
		default:
			return true
		}
		return false
	})
}

// outOfTurn reports that the data frame at hand was sent behind one with a higher number:
// a SACK of its side named a later one as the next, or its bNRcv is higher. The network did
// not delay it, and that it is not marked as a retry does not show that its number is new.
func (c *conn) outOfTurn(dir dissect.Dir, num seq.Num) bool {
	if next, ok := c.side[dir].nseq.Known(); ok && next > num && next <= num+dp8.WindowSize {
		return true
	}
	return c.knewLess(dir, num).IsKnown()
}

// knewLess gives the first transmission of a higher number than that of the data frame at hand, which has a
// lower bNRcv: it was sent before, whatever the network did. Where the two are half a cycle apart, what they
// are counted from has changed in between, and nothing is said.
func (c *conn) knewLess(dir dissect.Dir, num seq.Num) Record {
	received, ok := c.received(dir, c.Packet.DFrame.NRcv)
	for n := num + 1; ok && n <= min(c.side[dir].Numbers.TopFirst, num+dp8.WindowSize); n++ {
		if k := c.carried(dir, n); k.IsKnown() && k.next != 0 && k.Next() < received && received-k.Next() < cycle/2 {
			return k
		}
	}
	return Record{}
}

// manyClaims acknowledgements in a row of what was not captured show that it is the
// other side that is not seen: then its numbers, and not these, have gone round.
const manyClaims = 3

// contradict looks at the side's own claims: one that a later frame of it takes
// back was false. One that was provisional until now was captured before them.
func (c *conn) contradict(dir dissect.Dir, next seq.Num) {
	claims, what := &c.side[dir].Numbers.claims, ClaimTakenBack
	if claims.Len() >= manyClaims {
		what = ClaimForgotten
	}
	claims.Settle(func(k *Claim) bool {
		wrong := !k.Hole && k.Mask == 0 && next < k.Next && next <= k.High+1 && c.Frame.Frame > k.Frame && c.after(&k.Stamp)
		if wrong {
			c.endClaim(dir, k, what, next)
		}
		return !wrong
	})
}

// deny looks at the other side's claims when a side says by SACK what it
// will send next: nothing from there on was sent before. It counts only when it
// agrees with what was captured, and while the side does not go on above the claim:
// then one of the two is wrong, and which one does not show.
func (c *conn) deny(dir dissect.Dir, next seq.Num) {
	l, own := &c.side[dir.Other()].Numbers, &c.side[dir].Numbers
	if l.claims.Len() == 0 || !own.Started || c.Frame.Words != 0 {
		return
	}
	l.claims.Settle(func(k *Claim) bool {
		switch late := c.Frame.Time-k.Time > c.apart(); {
		case k.Hole:
		case k.Top() >= next && late && next == own.TopSeen+1:
			k.Denied, k.DeniedTo = c.Frame.Frame, next
		case k.Top() < next:
			k.Denied = 0
		}
		return true
	})
}

// FirstAckTime is for how long behind the first frame of a connection a side may not
// have been seen, in ns.
const FirstAckTime = 1e9

// firstAck notes bNRcv while nothing of the other side was captured: it starts
// at 0 (MC-DPL8R 3.1.5.2.2).
func (c *conn) firstAck(dir dissect.Dir, nrcv uint8) {
	l := &c.side[dir].Numbers
	if !c.c.Complete || !c.Frame.HasTime || c.trusted != 0 || c.Frame.Words.Has(dissect.Duplicate) {
		return
	}
	first := !l.answered
	l.answered = true
	if l.unseen = l.unseen || c.Frame.Time-c.c.FirstTime > FirstAckTime || nrcv > dp8.WindowSize; l.unseen {
		c.endClaims(dir, ClaimUnseen)
		return
	}
	c.contradict(dir, seq.Num(nrcv))
	switch {
	case nrcv != 0:
		c.claim(dir, Claim{Next: seq.Num(nrcv), High: -1, Opening: first})
	case first:
		c.Said.Begins = true
	}
}
