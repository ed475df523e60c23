package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// dead is whether what a side sends does not arrive at its peer any more, up to the end.
func (s *subject) dead(dir dissect.Dir) bool {
	return s.side(dir).CutOff || s.side(dir.Other()).HearsNone && !s.side(dir.Other()).CutOff
}

// ignoredUnits is the same for a side whose peer's frames the capture lost.
const ignoredUnits = 10

// ignored reports whether the peer of a side, which goes on for long, acknowledges nothing of
// several new numbers of the side, though it did before. Where the capture lost frames of the
// peer, it takes more of them: acknowledgements may be among what was lost.
func (s *subject) ignored(dir dissect.Dir) bool {
	x, least := s.side(dir), int32(outageUnits)
	if s.missed(dir.Other()) {
		least = ignoredUnits
	}
	return x.Unheard.Units >= least && x.LatestAcked < x.Unheard.First.Time && s.side(dir.Other()).Last.Time-x.Unheard.Last >= unansweredTime
}

// over reports whether the connection ended without an orderly close.
func (s *subject) over() bool {
	return s.gaveUp() >= 0 || s.State == session.TimedOut || s.State == session.Reset || s.stale()
}

// noProgress reports whether what a side sends does not arrive at its peer, or whether that
// acknowledges nothing new, or the side sent one unit again and again without an answer though its peer was heard all the while.
func (s *subject) noProgress(dir dissect.Dir) bool {
	return s.dead(dir) || s.ignored(dir) || s.exhausted(dir) && s.side(dir.Other()).Last.Time > s.side(dir).Unanswered.Time+s.trip()
}

// oneWay: the frames of one side pass here, and its peer, which goes on, hears none of
// them.
func oneWay(s *subject) ruling {
	if !s.over() {
		return ruling{}
	}
	for dir := range dissect.Dirs {
		if !s.dead(dir) || s.dead(dir.Other()) || s.ignored(dir.Other()) {
			continue
		}
		run, r := &s.side(dir).Unheard, ruling{certainty: s.arrivalCertainty(dir), side: path}
		if s.side(dir).CutOff {
			r.at, r.proof = run.First, frames(run.First.Frame, s.side(dir.Other()).Last.Frame)
			r.sentence = fmt.Sprintf("From %s on, nothing that %s sent was answered by %s: %s in %s was, while %s of %s came. %s only one direction of the path worked.",
				s.in(run.First), s.who(dir), s.who(dir.Other()), none(run.Units, "new packet"), span(run.Span()), count(run.Meanwhile(), "packet", "packets"), s.who(dir.Other()), soThat(r.certainty))
			r.refute = fmt.Sprintf("an answer to what %s sent from packet %d on", s.who(dir), run.First.Frame)
			return r
		}
		run = &s.side(dir.Other()).Deaf
		r.at, r.proof = run.First, frames(run.First.Frame, s.side(dir.Other()).Last.Frame)
		r.sentence = fmt.Sprintf("From %s on, %s took no notice of %s: it sent %s again although the answers to them pass here. %s only one direction of the path worked.",
			s.in(run.First), s.who(dir.Other()), s.who(dir), count(run.First.N, "packet", "packets"), soThat(r.certainty))
		r.refute = fmt.Sprintf("an answer of %s to a packet after packet %d", s.who(dir.Other()), run.First.Frame)
		return r
	}
	return ruling{}
}

// soThat begins the conclusion of a sentence.
func soThat(c Certainty) string {
	if c == Proved {
		return "So"
	}
	return "Most likely"
}

// none is how many of something none was.
func none(n int32, what string) string {
	if n == 1 {
		return "not one " + what
	}
	return fmt.Sprintf("none of %d %ss", n, what)
}

// pathDead: both sides go on, and neither hears the other.
func pathDead(s *subject) ruling {
	if !s.over() || !s.noProgress(0) || !s.noProgress(1) {
		return ruling{}
	}
	first := s.side(0).Unheard.First
	if other := s.side(1).Unheard.First; first.N == 0 || other.N > 0 && other.Frame < first.Frame {
		first = other
	}
	certainty := s.arrivalCertainty(0)
	if certainty == Proved {
		certainty = s.arrivalCertainty(1)
	}
	return ruling{certainty: certainty, side: path, at: first, proof: frames(first.Frame, s.side(0).Last.Frame, s.side(1).Last.Frame), refute: "an answer after it",
		sentence: fmt.Sprintf("The path between the two broke, most likely at %s: both sides kept sending, and neither answered anything of the other again.", s.in(first))}
}
