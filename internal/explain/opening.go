package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// noAnswer: a side asked for a connection, and nothing ever came back.
func noAnswer(s *subject) ruling {
	if s.speaks(1) || s.Unreachable.N > 0 || s.State == session.Established || s.State == session.StateUnknown || !s.Complete {
		return ruling{}
	}
	x := s.side(0)
	return ruling{certainty: Proved, at: x.Last, proof: frames(s.FirstFrame, x.Last.Frame), refute: "a packet of " + s.address(1),
		sentence: fmt.Sprintf("%s asked %s to connect, %s in %s, and nothing ever came back: no server, the wrong address or port, a firewall, or a server that refuses without an answer.",
			s.Who(0), s.address(1), count(x.Last.N, "time", "times"), span(max(x.Last.Time-s.FirstTime, 1)))}
}

// portIsClosed reports whether ICMP says that a side is gone, and it never spoke again.
func (s *subject) portIsClosed() bool {
	n := &s.Unreachable
	if n.N == 0 || s.Unreached == session.NoSide {
		return false
	}
	if first := s.firstClose(); first >= 0 && s.Closing[first].Frame < n.Frame {
		return false // a close leaves such notices
	}
	return s.side(s.unreached()).Last.Frame < n.Frame
}

// unreached is the side that ICMP says is not there.
func (s *subject) unreached() dissect.Dir { return dissect.Dir(s.Unreached - session.SideA) }

// portClosed: nobody listens at that address and port, or not any more.
func portClosed(s *subject) ruling {
	if !s.portIsClosed() || s.speaks(1) && s.gaveUp() == s.unreached() {
		return ruling{}
	}
	n, gone := s.Unreachable, s.unreached()
	r := ruling{certainty: Proved, side: sides[gone], at: n, refute: fmt.Sprintf("a packet of %s after packet %d", s.address(gone), n.Frame)}
	if x := s.side(gone); x.Last.N == 0 {
		r.proof = frames(s.FirstFrame)
		r.sentence = fmt.Sprintf("Nothing listens at %s: its machine said so (ICMP port unreachable, %s) when %s asked to connect.", s.address(gone), s.in(n), s.who(gone.Other()))
	} else {
		r.proof = frames(x.Last.Frame)
		r.sentence = fmt.Sprintf("%s ended without a word: nothing came from it after %s, and at %s its machine said that nothing listens at %s any more (ICMP).",
			s.Who(gone), s.in(x.Last), s.in(n), s.address(gone))
		switch {
		case s.tried(gone):
			r.certainty = Likely
			r.sentence += fmt.Sprintf(" Something that %s had sent was still unanswered: it may have given up, and the capture missed its close.", s.who(gone))
		case s.missed(gone):
			r.certainty = Likely
			r.sentence += fmt.Sprintf(" This capture lacks packets of %s, which may include a close.", s.who(gone))
		}
		if y := s.side(gone.Other()); y.Last.Time-n.Time > 1e9 {
			r.sentence += fmt.Sprintf(" %s continued for another %s.", s.Who(gone.Other()), span(y.Last.Time-n.Time))
		}
	}
	return r
}

// tried reports whether a side waited for answers when it was last seen: it sent something
// again, or several new numbers, that nothing acknowledges.
func (s *subject) tried(dir dissect.Dir) bool {
	x := s.side(dir)
	return x.Unanswered.Sends >= 2 || x.Unheard.Units >= outageUnits && x.Unheard.Span() >= s.trip()
}

// refusal is what the protocol's own refusals have in common.
func (s *subject) refusal() (r ruling, by dissect.Dir) {
	if s.State != session.Refused || s.portIsClosed() || !s.speaks(1) {
		return r, 0
	}
	at := s.side(1).Last
	if by = s.firstClose(); by >= 0 {
		at = s.Closing[by]
	} else {
		by = 1
	}
	return ruling{certainty: Proved, side: sides[by], at: at, proof: frames(s.FirstFrame)}, by
}

// refused: the peer answered and declined, and nothing tells why.
func refused(s *subject) ruling {
	r, by := s.refusal()
	if r.certainty == "" {
		return r
	}
	if versionMismatch(s).certainty != "" {
		return ruling{}
	}
	r.sentence = fmt.Sprintf("%s declined the connection at %s%s.", s.Who(by), s.in(r.at), s.because())
	return r
}

// secretMismatch: no signature of a side is right, from its first frame on, or its peer,
// which goes on, never took anything that it signed.
func secretMismatch(s *subject) ruling {
	if !s.ended() && !s.over() {
		return ruling{}
	}
	for dir := range dissect.Dirs {
		d, x := &s.Dir[dir], s.side(dir)
		if g := d.Signatures; d.HasSignatures && g.Valid == 0 && g.Invalid > 0 && !x.Trips.Known {
			return ruling{certainty: Proved, side: sides[dir], at: x.Last, proof: frames(s.faultOf(dir), s.FirstFrame), refute: "a valid signature of " + s.who(dir),
				sentence: fmt.Sprintf("The two sides do not share a secret: none of %s that %s signed has a valid signature, and %s answered none of them.", count(g.Invalid, "packet", "packets"), s.who(dir), s.who(dir.Other()))}
		}
		u, longUnanswered := s.starved(dir)
		if longUnanswered = longUnanswered && s.gaveUp() == dir && !s.silentFor(dir.Other(), u); s.discarded(dir) && (longUnanswered || s.dead(dir)) {
			return ruling{certainty: Likely, side: sides[dir], at: x.Last, proof: frames(s.FirstFrame, u.Frame), refute: "an answer to a signed packet of " + s.who(dir),
				sentence: fmt.Sprintf("Most likely the two sides do not share a secret: %s let %s connect, but then answered nothing that it signed, %s. This capture lacks the packets that would show whether the signatures are valid.",
					s.who(dir.Other()), s.who(dir), count(x.Last.N, "packet", "packets"))}
		}
	}
	return ruling{}
}

// discarded reports whether the peer of a side seems to have discarded all that the side
// signed, from the start.
func (s *subject) discarded(dir dissect.Dir) bool {
	return s.mayDiscard(dir) && s.Complete && s.speaks(1)
}

// mayDiscard reports whether the peer of a side may have discarded all that the side signed:
// it acknowledged nothing, as far as was captured, and nothing shows that a signature is
// right. That a side always signs alike does not.
func (s *subject) mayDiscard(dir dissect.Dir) bool {
	d, x := &s.Dir[dir], s.side(dir)
	verified := d.Signatures.Valid > 0 && !d.Signatures.Learned
	return d.HasSignatures && !verified && x.Numbers > 0 && x.LatestAcked == 0 && !x.Trips.Known
}

// arrivalCertainty is how sure it is that frames of a side which pass here and are not answered did
// not arrive, and ended the connection so: its peer may have discarded what it signed, and
// where a port is closed after it without a close, a program may have been killed.
func (s *subject) arrivalCertainty(dir dissect.Dir) Certainty {
	if s.mayDiscard(dir) || s.portIsClosed() {
		return Likely
	}
	return Proved
}

// because repeats the reason that the protocol carried.
func (s *subject) because() string {
	if s.Reason == "" {
		return ""
	}
	return fmt.Sprintf(" (reason: %q)", s.Reason)
}

// faultOf is the frame of the latest error of a side, 0 when there is none.
func (s *subject) faultOf(dir dissect.Dir) uint64 {
	if f := s.end.Faults[dir]; f != nil {
		return f.Frame
	}
	return 0
}
