package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
)

// A claim is an acknowledgement of numbers that were not captured. Most show what
// the capture missed; one is proven false when such a number is sent for the first
// time later, when the other side's bNSeq says so, or when the side takes it back.
type claim struct {
	stamp
	from, next int64  // numbers it acknowledges cumulatively
	mask       uint64 // … and selectively: bit i is next+1+i
	high       int64  // highest number captured then
	opening    bool   // first acknowledgement of the side
	hole       bool   // the numbers lie below the highest captured
	denied     uint64 // a SACK of the other side by which none of it was sent yet
	deniedTo   int64  // its bNSeq
	outcome    claimOutcome
	by         int64 // the number that decided it
}

// claimOutcome is what became of a claim.
type claimOutcome uint8

const (
	claimOpen      claimOutcome = iota // nothing shows whether it is false
	claimOvertook                      // its number came a little later
	claimSentLater                     // a number of it was sent for the first time much later
	claimTakenBack                     // a later frame of its side goes back to a lower number
	claimUnseen                        // the other side is not seen
	claimDoubted                       // numbers are in doubt since
	claimLeft                          // the connection ended
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

// claim keeps what the frame at hand acknowledges and the capture does not have.
func (c *conn) claim(dir int, k claim) {
	l := &c.side[dir].numbers
	k.stamp = c.stamp
	if x := l.claims.Latest(); x != nil && x.next == k.next && x.mask == k.mask {
		return
	}
	l.claims.Enter(k, maxClaims, func(oldest *claim) { c.endClaim(dir, oldest, claimOpen, 0) })
}

// endClaims ends all claims of a side in one way.
func (c *conn) endClaims(dir int, what claimOutcome) {
	c.side[dir].numbers.claims.End(func(k *claim) { c.endClaim(dir, k, what, 0) })
}

// endClaim tells the judge what became of a claim, and by which number.
func (c *conn) endClaim(dir int, k *claim, what claimOutcome, by int64) {
	if c.judge != nil {
		k.outcome, k.by = what, by
		c.judge.Claim(dir, k)
	}
}

// settleClaims looks at the other side's claims when a number of side dir is
// captured; first tells that it is certainly its first sending.
func (c *conn) settleClaims(dir int, num int64, first bool) {
	c.side[1-dir].numbers.claims.Settle(func(k *claim) bool {
		switch late := c.fr.Time-k.time > c.prior.horizon; {
		case k.covers(num) && first && late && c.outOfTurn(dir, num):
			c.endClaim(1-dir, k, claimOpen, 0) // it may have been sent before, unseen
		case k.covers(num) && first && late:
			c.endClaim(1-dir, k, claimSentLater, num)
		case k.covers(num) && !first && late:
			c.endClaim(1-dir, k, claimOpen, 0) // it was sent before, unseen
		case !k.hole && num >= k.top() && !late:
			c.endClaim(1-dir, k, claimOvertook, num)
		case num > k.top() && !k.hole, num > k.top()+dp8.WindowSize:
			c.endClaim(1-dir, k, claimOpen, 0)
		default:
			return true
		}
		return false
	})
}

// outOfTurn reports that the data frame at hand was sent behind one with a higher number:
// a SACK of its side named a later one as the next, or its bNRcv is higher. The network did
// not delay it, and that it is not marked as a retry does not show that its number is new.
func (c *conn) outOfTurn(dir int, num int64) bool {
	own := &c.side[dir].numbers
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

// contradict looks at the side's own claims: one that a later frame of it takes
// back was false. One that was provisional until now was captured before them.
func (c *conn) contradict(dir int, next int64) {
	c.side[dir].numbers.claims.Settle(func(k *claim) bool {
		wrong := !k.hole && k.mask == 0 && next < k.next && next <= k.high+1 && c.fr.Frame > k.frame && c.after(&k.stamp)
		if wrong {
			c.endClaim(dir, k, claimTakenBack, next)
		}
		return !wrong
	})
}

// deny looks at the other side's claims when a side says by SACK what it
// will send next: nothing from there on was sent before. It counts only when it
// agrees with what was captured, and while the side does not go on above the claim:
// then one of the two is wrong, and which one does not show.
func (c *conn) deny(dir int, next int64) {
	l, own := &c.side[1-dir].numbers, &c.side[dir].numbers
	if l.claims.Len() == 0 || !own.started || c.fr.Words != 0 {
		return
	}
	l.claims.Settle(func(k *claim) bool {
		switch late := c.fr.Time-k.time > c.apart(); {
		case k.hole:
		case k.top() >= next && late && next == own.seen+1:
			k.denied, k.deniedTo = c.fr.Frame, next
		case k.top() < next:
			k.denied = 0
		}
		return true
	})
}

// firstAckTime is for how long behind the first frame of a connection a side may not
// have been seen, in ns.
const firstAckTime = 1e9

// firstAck notes bNRcv while nothing of the other side was captured: it starts
// at 0 (MC-DPL8R 3.1.5.2.2).
func (c *conn) firstAck(dir int, nrcv uint8) {
	l := &c.side[dir].numbers
	if !c.c.Complete || !c.fr.HasTime || c.trusted != 0 || c.fr.Words.Has(dissect.Duplicate) {
		return
	}
	first := !l.answered
	l.answered = true
	if l.unseen = l.unseen || c.fr.Time-c.c.FirstTime > firstAckTime || nrcv > dp8.WindowSize; l.unseen {
		c.endClaims(dir, claimUnseen)
		return
	}
	c.contradict(dir, int64(nrcv))
	switch {
	case nrcv != 0:
		c.claim(dir, claim{next: int64(nrcv), high: -1, opening: first})
	case first:
		c.said.begins = true
	}
}
