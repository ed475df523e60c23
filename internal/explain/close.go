package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// protocolViolation: a side broke a rule, and its peer closed, or lost its state, at once.
func protocolViolation(s *subject) ruling {
	for x := range dissect.Dirs {
		f := s.end.Faults[x]
		if f == nil {
			continue
		}
		at, abrupt := s.answers(x.Other(), f.Time)
		if at.N == 0 || at.Frame < f.Frame {
			continue
		}
		r := ruling{certainty: Likely, side: sides[x], at: at, proof: frames(f.Frame), refute: "a close that was due anyway"}
		if abrupt {
			r.certainty = Proved
		}
		r.sentence = fmt.Sprintf("%s broke a rule of the protocol in packet %d (%s), and %s ended the connection %s later, at %s.", s.Who(x), f.Frame, f.Rule, s.who(x.Other()), span(max(at.Time-f.Time, 1)), s.in(at))
		return r
	}
	return ruling{}
}

// answers gives what a side did against the connection within a round trip after a time:
// it closed it, it is gone, or it lost its state.
func (s *subject) answers(dir dissect.Dir, since int64) (at seq.Sign, abrupt bool) {
	soon := func(x seq.Sign) bool { return x.N > 0 && x.Time >= since && x.Time <= since+s.trip() }
	switch {
	case s.firstClose() == dir && soon(s.Closing[dir]):
		return s.Closing[dir], s.State == session.Reset
	case s.portIsClosed() && s.Unreached == session.Side(dir+1) && soon(s.Unreachable):
		return s.Unreachable, true
	case s.followed() && s.again() == dir:
		if x := seq.SignAt(s.Next.FirstFrame, s.Next.FirstTime); soon(x) {
			return x, true
		}
	}
	return seq.Sign{}, false
}

// closed: a side ended it in order.
func closed(s *subject) ruling {
	if s.State != session.Closed && s.State != session.Closing {
		return ruling{}
	}
	x := s.firstClose()
	if x < 0 || s.gaveUp() >= 0 {
		return ruling{}
	}
	r := ruling{certainty: Proved, side: sides[x], at: s.Closing[x], refute: "a packet before it that closes the connection"}
	if s.ClosedBy == session.NoSide && s.State == session.Closed {
		x = x.Other() // what was captured answers a close that was not
		r.certainty, r.side = Likely, sides[x]
		r.sentence = fmt.Sprintf("Most likely %s closed the connection in order shortly before %s: the answer of %s was captured, the close itself was not.", s.who(x), s.in(r.at), s.who(x.Other()))
		return r
	}
	if s.missed(x.Other()) || s.portIsClosed() {
		r.certainty = Likely
	}
	if s.ClosedBy == session.BothSides {
		r.side = "both"
		r.proof = frames(s.Closing[x.Other()].Frame)
		r.sentence = fmt.Sprintf("Both sides closed the connection in order at the same time, %s%s.", s.in(r.at), s.because())
		return r
	}
	r.sentence = fmt.Sprintf("%s closed the connection in order at %s%s.", s.Who(x), s.in(r.at), s.because())
	if s.ambiguous() {
		r.certainty = Likely
		r.sentence += " It gave no reason. A side that leaves and one that gives up end the connection alike"
		if gap := s.openGap(x); gap.N > 0 {
			r.left, r.since = []Cause{RetriesExhausted}, gap.Time
			r.sentence += fmt.Sprintf(": it may have given up, for this capture lacks %s of %s around %s.", count(gap.N, "packet", "packets"), s.who(x), s.in(gap))
		} else if w := s.side(x).Waiting; w.N > 0 {
			r.left, r.since = []Cause{RetriesExhausted}, w.Time
			r.sentence += fmt.Sprintf(": it may have given up, for %s, from %s on, %s no answer in this capture.", count(w.N, "packet", "packets"), s.in(w), haveHas(w.N))
		} else {
			r.sentence += "; this capture shows nothing that was still unanswered."
		}
	}
	return r
}

func haveHas(n uint64) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// openGap is where numbers of a side are missing from the capture up to the end, N how many: the side may
// have waited for an answer to them.
func (s *subject) openGap(dir dissect.Dir) seq.Sign {
	missing := s.Dir[dir].Missing()
	if missing == 0 {
		return seq.Sign{}
	}
	at := s.heaviest(dir, s.side(dir).Signs.Holes, seq.Missed).Worst
	at.N = missing
	return at
}

// ambiguous reports whether the closing frame of the protocol means leaving and giving up
// alike: it carries a reason or nothing.
func (s *subject) ambiguous() bool {
	return s.Wordless && s.Reason == ""
}

// What a closed connection leaves: some late datagrams of the side that closed it,
// soon after, in ns.
const (
	fewLate  = 3
	lateTime = 10e9
)

// leftover: datagrams that came late after the close of the connection before, and what
// they made the other side do, are no connection of their own.
func leftover(s *subject) ruling {
	if s.prev == nil || s.State == session.Established || s.FirstTime-s.prev.LastTime > lateTime {
		return ruling{}
	}
	x := s.prev.firstClose()
	if x < 0 || s.prev.A != s.A || s.side(x).Last.N > fewLate || s.Dir[0].Messages+s.Dir[1].Messages > 0 && s.side(x).Last.N > 0 && s.side(x.Other()).Last.N > 0 {
		return ruling{}
	}
	return ruling{certainty: Proved, side: sides[x], at: s.prev.Closing[x], proof: frames(s.FirstFrame), refute: "an answer of " + s.address(x),
		sentence: fmt.Sprintf("A leftover of #%d, which %s had closed in order at %s: a packet that came late made %s take it for a new connection and send to %s, which had left, for %s.",
			s.prev.ID, s.who(x), s.prev.in(s.prev.Closing[x]), s.who(x.Other()), s.who(x), span(max(s.LastTime-s.FirstTime, 1)))}
}

// missed reports whether the capture lost frames of a side, among which its close may be.
func (s *subject) missed(dir dissect.Dir) bool {
	return s.side(dir).Signs.Uncaptured.N > 0 || s.end.Dropped.N > 0
}

// reset: a side ended it abruptly, without a cause that shows.
func reset(s *subject) ruling {
	x := s.firstClose()
	if s.State != session.Reset || x < 0 || x != s.quitter() {
		return ruling{}
	}
	certainty, likely := Proved, ""
	if s.misses() { // of either side: what it answers may be missing, too
		certainty, likely = Likely, "Most likely "
	}
	return ruling{certainty: certainty, side: sides[x], at: s.Closing[x], refute: "a packet before it that closes the connection",
		sentence: fmt.Sprintf("%s%s cut the connection off at %s%s. Nothing before it shows why.", likely, capitalUnless(likely, s.who(x)), s.in(s.Closing[x]), s.because())}
}
