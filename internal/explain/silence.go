package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// What shows that a side had no answer: it sent one unit so often, or for so long, in ns,
// without an acknowledgement, or once less while so many later ones were acknowledged.
const (
	unansweredSends  = 4
	unansweredTime   = 4e9
	unansweredOthers = 5
)

// quitter is the side that ended the connection by itself, by a closing frame, by closing
// its port, or by falling silent last; -1 when none did.
func (s *subject) quitter() dissect.Dir {
	switch first := s.firstClose(); {
	case s.portIsClosed(): // before any close that was captured
		return s.unreached()
	case first >= 0:
		return first
	case s.State == session.TimedOut || s.stale():
		if x := s.silent(); s.exhausted(x) && s.speaks(1) {
			if _, ok := s.starved(x); ok {
				return x // it gave up first, and its peer after it
			}
		}
		if x := s.silent(); s.speaks(1) && s.starvedUnit(x) != nil {
			return x
		}
		return s.silent().Other()
	}
	return -1
}

// gaveUp is the side that ended the connection because it had no answer, -1 when none did:
// a close, or a port that closes, does not hide that.
func (s *subject) gaveUp() dissect.Dir {
	x := s.quitter()
	if x < 0 || !s.speaks(1) || s.State == session.TimedOut || s.stale() || s.exhausted(x) || s.side(x).HearsNone {
		return x
	}
	if y := s.side(x); y.Waiting.N > 0 && y.Last.Time-y.Waiting.Time >= unansweredTime && s.quiet(x.Other()) >= unansweredTime {
		return x
	}
	return -1
}

// exhausted reports whether a side sent one unit again and again without an answer: often,
// for long, or while later ones were acknowledged, one after the other. Of a side whose port
// is closed after that, half the time tells: a program that is killed waits for nothing.
func (s *subject) exhausted(dir dissect.Dir) bool {
	x := s.side(dir)
	u, stuck := &x.Unanswered, &x.Signs.Stuck
	longUnanswered := int64(unansweredTime)
	if s.portIsClosed() && s.unreached() == dir {
		longUnanswered /= 2
	}
	passed := stuck.Num == u.Num && stuck.Others >= unansweredOthers && u.Sends >= unansweredSends-1
	return u.Sends >= unansweredSends || u.Sends >= 2 && x.Last.Time-u.Time >= longUnanswered || passed
}

// starved gives the unit of a side that it sent again to the end while its peer was heard
// and acknowledged others.
func (s *subject) starved(dir dissect.Dir) (u *seq.StuckUnit, ok bool) {
	u = &s.side(dir).Unanswered
	peer := s.side(dir.Other()).Last.Time
	return u, u.Sends >= 2 && peer > u.Time+s.trip() && !s.dead(dir) && !s.dead(dir.Other())
}

// retriesExhausted: a unit was sent again and again, and never acknowledged, while other
// frames came of the peer; its sender gave up.
func retriesExhausted(s *subject) ruling {
	x := s.gaveUp()
	if x < 0 || s.blackHole() == x {
		return ruling{}
	}
	u, ok := s.starved(x)
	what, certainty := fmt.Sprintf("one packet (%s)", count(uint64(u.Size), "byte", "bytes")), s.arrivalCertainty(x)
	if unit := s.starvedUnit(x); !ok && unit != nil {
		u, ok, what, certainty = unit, true, "one message", Likely
	}
	if !ok || s.silentFor(x.Other(), u) {
		return ruling{}
	}
	last := s.side(x).Last
	return ruling{certainty: certainty, side: path, at: last, proof: frames(u.Frame, last.Frame), refute: fmt.Sprintf("an answer to packet %d", u.Frame),
		sentence: fmt.Sprintf("%s sent %s %s from %s on, over %s. This capture has no answer to it, though other packets of %s came, and %s ended the connection.",
			s.Who(x), what, count(u.Sends, "time", "times"), s.in(seq.SignAt(u.Frame, u.Time)), span(last.Time-u.Time), s.who(x.Other()), s.who(x))}
}

// starvedUnit is the message that a side sent again to its end, in whichever packets, while others
// were answered; nil where there is none.
func (s *subject) starvedUnit(dir dissect.Dir) *seq.StuckUnit {
	x := s.side(dir)
	for _, u := range []*seq.StuckUnit{&x.Losses.Starved, &x.Signs.Stuck} {
		if u.Sends >= unansweredSends && s.starves(dir, u) && !s.dead(dir) && !s.dead(dir.Other()) {
			return u
		}
	}
	return nil
}

// silentFor reports whether a side was silent for most of the time for which its peer tried
// to send a unit.
func (s *subject) silentFor(dir dissect.Dir, u *seq.StuckUnit) bool {
	tried := s.side(dir.Other()).Last.Time - u.Time
	return s.quiet(dir) > tried/2
}

// blackHole is the side whose large units alone never arrive, -1 when there is none.
func (s *subject) blackHole() dissect.Dir {
	for dir := range dissect.Dirs {
		if s.side(dir).BlackHole && s.side(dir).Unanswered.Sends > 0 {
			return dir
		}
	}
	return -1
}

// sizeBlackHole: as retriesExhausted, and only what is larger than a size fails.
func sizeBlackHole(s *subject) ruling {
	dir := s.gaveUp()
	if dir < 0 || s.blackHole() != dir {
		return ruling{}
	}
	g, last := s.side(dir), s.side(dir).Last
	return ruling{certainty: Likely, final: true, side: path, at: last, proof: frames(g.Signs.Stuck.Frame, last.Frame), refute: fmt.Sprintf("an answer to a packet of more than %d bytes", g.LargestAcked),
		sentence: fmt.Sprintf("Large packets of %s were not answered: one of %d bytes was sent %s without an answer, while packets of up to %d bytes were answered. Most likely something on the path drops larger ones (MTU).",
			s.who(dir), g.Signs.Stuck.Size, count(g.Signs.Stuck.Sends, "time", "times"), g.LargestAcked)}
}

// peerSilent: nothing came of a side any more, and the other one had no answer and gave up.
// Whether the side or the path died looks the same from here.
func peerSilent(s *subject) ruling {
	y := s.gaveUp()
	if y < 0 || !s.speaks(1) {
		return ruling{}
	}
	x := y.Other()
	gone, left := s.side(x).Last, s.side(y)
	r := ruling{certainty: Likely, side: sides[x], at: gone, proof: frames(gone.Frame, left.Last.Frame), refute: fmt.Sprintf("a packet of %s after packet %d", s.address(x), gone.Frame)}
	r.sentence = fmt.Sprintf("Nothing came from %s after %s. %s sent %s in the %s after that, without an answer, and gave up. Most likely the machine or program of %s stopped, or its network connection broke: a capture there would tell.",
		s.who(x), s.in(gone), s.Who(y), count(left.Alone, "more packet", "more packets"), span(s.quiet(x)), s.who(x))
	return r
}

// natExpired: both sides were idle for so long that address translators forget them, and
// one direction was dead afterwards.
func natExpired(s *subject) ruling {
	y, idle := s.gaveUp(), s.end.Idle
	if y < 0 || idle.End.N == 0 || idle.Sender != y || idle.Frames[y.Other()] != s.side(y.Other()).Last.N {
		return ruling{}
	}
	return ruling{certainty: Likely, side: path, at: idle.End, proof: frames(s.side(y.Other()).Last.Frame, s.side(y).Last.Frame), refute: fmt.Sprintf("a packet of %s after packet %d", s.address(y.Other()), idle.End.Frame),
		sentence: fmt.Sprintf("Neither side sent anything for %s. When %s spoke again at %s, nothing came back: most likely a router (NAT) on the path had forgotten the connection in the meantime. Keepalives more often than every 20 s prevent that.",
			span(idle.Span), s.who(y), s.in(idle.End))}
}
