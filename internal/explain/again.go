package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// followed reports whether another connection began where this one stood, and took over.
func (s *subject) followed() bool {
	n := s.Next
	return n != nil && n.FirstFrame > s.LastFrame && n.FirstTime <= s.seenUntil() && n.HasPlayers == s.HasPlayers && n.Players == s.Players
}

// movedOn reports whether the connection ended because its sides went on in another one.
func (s *subject) movedOn() bool { return s.followed() || s.moved != nil }

// goesOn reports whether one side began again while its peer went on as if nothing had
// happened: to the peer the connection did not end.
func (s *subject) goesOn() bool {
	return s.followed() && s.Next.Succeeds() && peerRestarted(s).certainty != ""
}

// again is the side whose numbers began again, by who sent first.
func (s *subject) again() dissect.Dir {
	if n := s.Next; n.Succeeds() || n.A != s.A {
		return 1
	}
	return 0
}

// peerRestarted: one side begins at its initial numbers again on the same addresses while
// the other one goes on.
func peerRestarted(s *subject) ruling {
	if !s.followed() || s.State >= session.Closed && s.State != session.Reset || s.firstClose() >= 0 || !s.speaks(s.again()) {
		return ruling{}
	}
	n, x := s.Next, s.again()
	if s.leavesOver(x.Other()) {
		return ruling{}
	}
	r := ruling{certainty: Proved, side: sides[x], at: seq.SignAt(n.FirstFrame, n.FirstTime), proof: frames(s.side(x).Last.Frame, n.FirstFrame)}
	if n.FirstTime-s.LastTime > staleAfter {
		r.certainty = Likely
	}
	r.sentence = fmt.Sprintf("%s began again: at %s its numbers start from the beginning on the same addresses, %s after its last packet. Its program was restarted, or it dropped the connection and took what came next for a new one. What follows is #%d.",
		s.Who(x), s.in(r.at), span(max(n.FirstTime-s.side(x).Last.Time, 1)), n.ID)
	return r
}

// leavesOver reports whether the connection that follows is made of some late datagrams of
// a side whose port is closed by then: it had left, and its peer had lost nothing.
func (s *subject) leavesOver(dir dissect.Dir) bool {
	n := s.Next
	y := dir
	if n.A != s.A {
		y = dir.Other()
	}
	return n.LastTime <= s.seenUntil() && n.Dir[y].Frames <= fewLate && n.Unreachable.N > 0 && n.Unreached == session.Side(y+1)
}

// newAddress is from where a side goes on, for people.
func (s *subject) newAddress(m *session.Move) string {
	if m.To == nil {
		return s.names.or(m.Pair.Src)
	}
	return s.names.or(m.To.Endpoint(m.ToSide))
}

// natRebinding: a side came back from another address.
func natRebinding(s *subject) ruling {
	m := s.moved
	if m == nil {
		return ruling{}
	}
	likely := "Most likely "
	r := ruling{certainty: Likely, side: path, at: m.At, proof: frames(m.Last.Frame, m.At.Frame), refute: fmt.Sprintf("a packet of %s after packet %d", s.address(m.Side), m.Last.Frame)}
	if m.Sure {
		r.certainty, likely = Proved, ""
	}
	r.sentence = fmt.Sprintf("%s%s came back from another address: nothing came from %s after %s, and at %s it continues from %s", likely, capitalUnless(likely, s.who(m.Side)), s.address(m.Side), s.in(m.Last), s.in(m.At), s.newAddress(m))
	switch {
	case m.To == nil:
	case m.Same:
		r.sentence += " in the same session"
	default:
		r.sentence += " with the next numbers"
	}
	r.sentence += ". A router (NAT) on its side gave it a new port, or it moved to another network."
	if !m.Answered() {
		r.sentence += fmt.Sprintf(" This capture has no answer of %s to the new address.", s.who(m.Side.Other()))
	}
	return r
}
