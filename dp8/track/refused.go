package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A refusal is a captured frame that its receiver must ignore.
type refusal struct {
	num   int64
	frame uint64
	time  int64
	why   refusedFor
	doubt conform.Guard // whether it must ignore it is not known for sure
}

// refusedFor is why a receiver must ignore a frame.
type refusedFor uint8

const (
	badSignature refusedFor = iota
	noSignature
	foreignSession
)

// maxRefused is how many of them a side may have.
const maxRefused = 8

// disbelieve says what follows of a frame whose signature is missing or wrong. Of copies of a
// frame that was looked at nothing does.
func (c *conn) disbelieve(dir int, num int64, v sigVerdict) {
	if v == sigUnlikely {
		c.suspect(dir)
		return
	}
	if c.fr.Words.Has(dissect.Duplicate) {
		return
	}
	var d *doubt
	adrift := c.frameSigned() && c.adrift(dir, num)
	if adrift {
		d = c.keepDoubt(dir, num, v, false)
	}
	if c.judge != nil {
		c.judge.signing().reportSignature(dir, num, v, adrift, d)
	}
	if c.f.Type != dp8.TypeDFrame || !c.surelySigned() {
		return
	}
	if c.f.DFrame.HasSignature {
		c.refuse(dir, num, badSignature, conform.GuardNone)
	} else {
		c.refuse(dir, num, noSignature, conform.GuardNone)
	}
}

// suspect keeps the frame at hand, which no guess at the secret of its epoch
// verifies, until one is proven.
func (c *conn) suspect(dir int) {
	if k := &c.side[dir].keys; !c.fr.Cut() && c.waiting(dir) && len(k.suspects) < ProofFrames {
		k.suspects = append(k.suspects, suspect{c.fr.Frame, c.fr.Time, c.fr.HasTime})
	}
}

// refuse remembers the frame at hand as one that must not be acknowledged.
func (c *conn) refuse(dir int, num int64, why refusedFor, doubt conform.Guard) {
	s := &c.side[dir]
	if !s.history.reachable(num) && s.history.started {
		return
	}
	if len(s.refused) == maxRefused {
		s.refused = append(s.refused[:0], s.refused[1:]...)
	}
	s.refused = append(s.refused, refusal{num, c.fr.Frame, c.fr.Time, why, doubt})
}

// accept forgets the refusals of a number of which a good frame was captured.
func (c *conn) accept(dir int, num int64) {
	s := &c.side[dir]
	keep := s.refused[:0]
	for _, r := range s.refused {
		switch {
		case r.num != num:
			keep = append(keep, r)
		case c.judge != nil:
			c.judge.signing().passActed(r)
		}
	}
	s.refused = keep
}

// took reports whether a frame with the number of a refused one was accepted.
func (s *side) took(r *refusal) bool {
	f := s.history.at(r.num)
	return f != nil && f.frame != r.frame
}

// voidRefused gives up the refused numbers that side dir acknowledges, expecting next: before
// that counts, for then they will look like some that the capture missed.
func (c *conn) voidRefused(dir int, next int64) {
	peer := &c.side[1-dir]
	missing, keep := uint64(len(peer.refused)), peer.refused[:0]
	for _, r := range peer.refused {
		if r.num >= next {
			keep = append(keep, r)
			continue
		}
		good := peer.took(&r)
		if c.judge != nil {
			c.judge.signing().judgeActed(dir, next, r, missing, good)
		}
		if !good {
			c.c.Dir[1-dir].Void(r.num)
		}
	}
	peer.refused = keep
}
