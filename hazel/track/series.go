package track

import (
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Number is an id, unwrapped.
type Number struct {
	Wire   seq.Num // id plus 65,536 times the wraps
	Engine seq.Num // the same without ids that the sender leaves out
}

// A series unwraps the ids of one side. They go from 65,535 to 0; SkeldJS leaves
// out 0 and goes to 1, which looks like the loss of a datagram. It is taken for
// one where the side lost others, sent a 0 before or can't be SkeldJS.
type series struct {
	ids     seq.Serial
	skips   bool
	skipped seq.Num // the first wrap at which 0 was left out
	gaps    bool    // other ids were not captured, or late
	n       int     // ids captured
	never   bool    // the side is known not to leave out 0
}

// steady is the number of ids in a row that tell a side which loses nothing.
const steady = 16

// number unwraps an id of this side. It reports false for a 0 that was taken to
// be left out.
func (s *series) number(id uint16) (Number, bool) {
	n := s.peek(id)
	if ref, ok := s.ids.Known(); ok && !s.skips && !s.gaps && !s.never && s.n >= steady && n&0xffff == 1 && n == ref+2 {
		s.skips, s.skipped = true, n>>16
	}
	if s.skips && n&0xffff == 0 && n>>16 >= s.skipped {
		return Number{}, false
	}
	return Number{n, s.engine(n)}, true
}

// peek is the unwrapped id, without a judgement of what was left out.
func (s *series) peek(id uint16) seq.Num {
	s.ids.Bits = 16
	return s.ids.Peek(uint32(id))
}

// plausible reports whether an id may come next in the series, or nearly.
func (s *series) plausible(id uint16) bool {
	ref, ok := s.ids.Known()
	step := s.peek(id) - ref
	return !ok || step < AckExcess && step > -limits.AckExcess
}

// follows reports whether an id is one of the next in the series, or of the last.
func (s *series) follows(id uint16) bool {
	ref, ok := s.ids.Known()
	step := s.peek(id) - ref
	return ok && step <= 16 && step > -64
}

// engine leaves out the ids that the sender did.
func (s *series) engine(n seq.Num) seq.Num {
	if wraps := n >> 16; s.skips && wraps >= s.skipped {
		n -= wraps - s.skipped + 1
	}
	return n
}

func (s *series) advance(n Number) {
	if ref, ok := s.ids.Known(); ok && n.Engine != s.engine(ref)+1 && n.Wire > ref {
		s.gaps = true
	}
	s.n++
	s.never = s.never || n.Wire&0xffff == 0
	s.ids.Advance(n.Wire)
}

// near unwraps an id that the other side acknowledges, for the engine.
func (s *series) near(id uint16) (n seq.Num, ok bool) {
	ref, ok := s.ids.Known()
	return s.engine(ref + seq.Num(int16(id-uint16(ref)))), ok
}

// junkIDs are ids that stand in no datagram, but that a receiver may have
// acknowledged all the same.
type junkIDs struct {
	list [8]uint16
	n    int
}

func (j *junkIDs) add(id uint16) {
	j.list[j.n%len(j.list)] = id
	j.n++
}

// isJunk reports whether an id, that of n, stands in no datagram of the side, and a receiver may have read it.
func (s *side) isJunk(id uint16, n seq.Num) bool {
	captured, _ := s.out.Captured(n)
	return !captured && s.junk.has(id)
}

func (j *junkIDs) has(id uint16) bool {
	for _, x := range j.list[:min(j.n, len(j.list))] {
		if x == id {
			return true
		}
	}
	return false
}
