package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Refusal is a captured frame that its receiver must ignore.
type Refusal struct {
	num   seq.Num
	Frame uint64
	Why   RefusedFor
	Doubt IDDoubt // of ForeignSession

	signature Signature // of BadSignature

	// What became of it.
	Good    bool    // a good frame with its number was captured
	Next    seq.Num // it was acknowledged, by this number; valid with ActedOn
	ActedOn bool
	Refused uint64 // so many frames of its side were to be ignored then
}

// RefusedFor is why a receiver must ignore a frame.
type RefusedFor uint8

const (
	BadSignature RefusedFor = iota
	NoSignature
	ForeignSession
)

// maxRefused is how many of them a side may have.
const maxRefused = 8

// disbelieve says what follows of a frame whose signature is missing or wrong. Of copies of a
// frame that was looked at nothing does.
func (c *conn) disbelieve(dir dissect.Dir, num seq.Num, v sigVerdict) {
	if v == sigUnlikely {
		c.suspect(dir)
		return
	}
	if c.Frame.Words.Has(dissect.Duplicate) {
		return
	}
	x := &c.Signature
	*x = Signature{Missing: !c.frameSigned(), Stale: v == sigStale, Early: v == sigEarly}
	x.OutOfStep = !x.Missing && c.outOfStep(dir, num)
	if x.OutOfStep {
		x.Doubt = c.keepDoubt(dir, num, v, false)
	}
	c.tellOf(dir, num, Refused)
	if c.Packet.Type != dp8.TypeDFrame || !c.surelySigned() {
		return
	}
	if c.Packet.DFrame.HasSignature {
		c.refuse(dir, num, BadSignature, IDKnown)
	} else {
		c.refuse(dir, num, NoSignature, IDKnown)
	}
}

// suspect keeps the frame at hand, which no guess at the secret of its epoch
// verifies, until one is proven.
func (c *conn) suspect(dir dissect.Dir) {
	if k := &c.side[dir].keys; !c.Frame.Cut() && c.waiting(dir) && len(k.suspects) < ProofFrames {
		k.suspects = append(k.suspects, Suspect{c.Frame.Frame, c.Frame.Time, c.Frame.HasTime})
	}
}

// refuse remembers the frame at hand as one that must not be acknowledged.
func (c *conn) refuse(dir dissect.Dir, num seq.Num, why RefusedFor, doubt IDDoubt) {
	s := &c.side[dir]
	if !s.History.Reachable(num) && s.History.Started {
		return
	}
	if len(s.refused) == maxRefused {
		s.refused = append(s.refused[:0], s.refused[1:]...)
	}
	s.refused = append(s.refused, Refusal{num: num, Frame: c.Frame.Frame, Why: why, Doubt: doubt, signature: c.Signature})
}

// accept forgets the refusals of a number of which a good frame was captured.
func (c *conn) accept(dir dissect.Dir, num seq.Num) {
	s := &c.side[dir]
	keep := s.refused[:0]
	for _, r := range s.refused {
		switch {
		case r.num != num:
			keep = append(keep, r)
		case c.judge != nil:
			r.Good = true
			c.judge.Refusal(dir, &r)
		}
	}
	s.refused = keep
}

// MayBeRight reports that the signature of the frame may be right, by the secret of another
// connection.
func (r *Refusal) MayBeRight() bool {
	x := &r.signature
	return x.OutOfStep && (x.Doubt == nil || !x.Doubt.Forged)
}

// Took reports whether a frame with the number of a refused one was accepted.
func (s *Side) Took(r *Refusal) bool {
	f := s.History.At(r.num)
	return f.IsKnown() && f.Frame() != r.Frame
}

// voidRefused gives up the refused numbers that side dir acknowledges, expecting next: before
// that counts, for then they will look like some that the capture missed.
func (c *conn) voidRefused(dir dissect.Dir, next seq.Num) {
	peer := &c.side[dir.Other()]
	missing, keep := uint64(len(peer.refused)), peer.refused[:0]
	for _, r := range peer.refused {
		if r.num >= next {
			keep = append(keep, r)
			continue
		}
		r.Good, r.ActedOn, r.Next, r.Refused = peer.Took(&r), true, next, missing
		if c.judge != nil {
			c.judge.Refusal(dir.Other(), &r)
		}
		if !r.Good {
			c.c.Dir[dir.Other()].Void(r.num)
		}
	}
	peer.refused = keep
}
