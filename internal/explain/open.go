package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/session"
)

// longQuiet is for how long both sides of a connection that keeps itself alive may be
// silent, in ns, before it did not just live on: half as long again as DirectPlay 8, the
// slowest, takes between two KeepAlives.
const longQuiet = 90e9

// stillOpen: no side closed it, none waits for longer than it would, and none is silent for
// longer than the protocol allows. Silence alone says nothing where nobody keeps alive.
func stillOpen(s *subject) ruling {
	if s.ended() || s.State == session.Closing || s.movedOn() || !s.speaks(1) && s.State == session.Opening || s.portIsClosed() {
		return ruling{}
	}
	last := s.side(1 - s.silent()).Last
	quiet := s.heard - last.Time
	if quiet > longQuiet && (s.keepsAlive() || s.waits()) {
		return ruling{}
	}
	r := ruling{certainty: Proved, at: last, refute: "a closing frame, or an end that was not captured"}
	r.proof = frames(s.side(0).Last.Frame, s.side(1).Last.Frame)
	switch {
	case !s.speaks(1):
		r.certainty = Likely
		r.sentence = fmt.Sprintf("The capture holds only what %s sent. Nothing shows that the connection ended before the capture did.", s.who(0))
	case s.State == session.Opening:
		r.sentence = fmt.Sprintf("It was still being opened when the capture ended: both sides had spoken, last at %s.", s.in(last))
	case quiet > longQuiet:
		r.certainty = Likely
		r.sentence = fmt.Sprintf("Nobody closed it. Both sides are silent after %s, with nothing left to answer; neither keeps the connection alive, so it may live on.", s.in(last))
	default:
		r.sentence = fmt.Sprintf("The connection was open when the capture ended; its last frame came at %s.", s.in(last))
	}
	return r
}

// keepsAlive reports whether a side shows that it speaks without being asked to.
func (s *subject) keepsAlive() bool { return s.Dir[0].KeepAlives+s.Dir[1].KeepAlives > 0 }

// waits reports whether a side sent something behind all that its peer sent, and it waits
// for its acknowledgement.
func (s *subject) waits() bool {
	for dir := range s.end.Sides {
		if x := s.side(dir); x.Waiting.N > 0 && x.Alone > 0 && x.Last.Frame > s.side(1-dir).Last.Frame {
			return true
		}
	}
	return false
}

// nearEnd is how far before the end of a connection the capture may have lost packets that
// would tell how it ended, in ns: the longest a side goes on without an answer.
const nearEnd = 20e9

// poorCapture: the capture lost what would tell.
func poorCapture(s *subject) ruling {
	if s.State == session.Refused || s.firstClose() >= 0 || s.Unreachable.N > 0 || s.movedOn() {
		return ruling{}
	}
	last := s.side(1 - s.silent()).Last
	switch drop := s.end.Dropped; {
	case s.Internal != nil || s.SummedUp:
		return ruling{certainty: Proved, at: last, sentence: "The connection was not followed to its end, because too many were open at a time."}
	case drop.N > 0 && last.Time-drop.Time < nearEnd:
		return ruling{certainty: Proved, at: drop, refute: "a capture without drops",
			sentence: fmt.Sprintf("The capture lost packets around the end: it says that %s missing, the last of them before frame %d.", count(drop.N, "packet is", "packets are"), drop.Frame)}
	}
	if n := s.side(0).Uncaptured + s.side(1).Uncaptured; n >= 3 && s.ended() && n*20 > s.side(0).Numbers+s.side(1).Numbers {
		return ruling{certainty: Likely, at: last, proof: frames(s.side(0).Signs.Uncaptured.Frame, s.side(1).Signs.Uncaptured.Frame), refute: "a capture that misses nothing",
			sentence: fmt.Sprintf("The capture missed too much to tell: %s acknowledged that it does not hold.", count(n, "frame was", "frames were"))}
	}
	return ruling{}
}

// undecided says what is left and which capture would decide.
func undecided(s *subject) ruling {
	last := s.side(1 - s.silent()).Last
	r := ruling{certainty: Unsettled, at: last, left: []Cause{PathDead, PeerSilent, Closed, PoorCapture}}
	r.sentence = fmt.Sprintf("Nothing came of either side after %s, and the capture shows neither a close nor an attempt to go on. "+
		"Either both ended at once, the path died, or the connection went on where this capture does not see it. A capture at the other side, or one that lasts longer, would decide.", s.in(last))
	if !s.speaks(1) {
		r.left = []Cause{NoAnswer, PoorCapture}
		r.sentence = fmt.Sprintf("The capture holds only what %s sent, so nothing shows what its peer did. A capture of both directions would decide.", s.who(0))
	}
	return r
}
