package explain

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/dpdissect/dpdissect/session"
)

// unrecognised tells of an address pair that was not recognised, if something suggests
// that it is of one of the protocols, or ICMP answered it.
func unrecognised(p *session.Story, names *namer) (u Unrecognised, ok bool) {
	if p.Protocol != "" {
		return u, false
	}
	guess, bits := p.Guess()
	if bits < session.EnoughToGuess && !p.Opens(guess) {
		guess, bits = "", 0
	}
	if guess == "" && p.Notices == 0 || p.Sides[0] == 0 && p.Notices == 0 {
		return u, false
	}
	u = Unrecognised{A: p.A, B: p.B, Datagrams: p.Datagrams, Guess: guess, ICMP: p.Notices, Frames: frames(p.First, p.Notice)}
	if guess != "" {
		u.Bits = &bits
	}
	if p.Since != 0 {
		u.FirstTime, u.LastTime = Instant(p.Since), Instant(p.Latest)
	}
	name := guess
	if name == "" {
		name = "PROTOCOL"
	}
	u.Hint = fmt.Sprintf("-d 'udp.port==%d,%s'", p.Dst.Port, name)
	u.tell(p, names.or(p.Src), names.or(p.Dst))
	return u, true
}

// rests gives the connections that go on in pairs that were not recognised, and say so.
func (t *Story) rests(conns []*session.Conn) map[*session.Story]*session.Conn {
	all := map[*session.Story]*session.Conn{}
	for _, c := range conns {
		if m := t.moved[c]; m != nil && m.To == nil {
			if v, ok := t.Verdict(c); ok && v.Cause == NATRebinding {
				all[m.Pair] = c
			}
		}
	}
	return all
}

// rests makes a pair the rest of a connection, nil for none.
func (u *Unrecognised) rests(of *session.Conn) {
	if of != nil {
		u.Continues = &of.ID
		u.Sentence = fmt.Sprintf("Most likely #%d goes on here: %s", of.ID, u.Sentence)
	}
}

// Untold are the pairs of Unrecognised that no connection tells of.
func (d *Document) Untold() []Unrecognised {
	return slices.DeleteFunc(slices.Clone(d.Unrecognised), func(u Unrecognised) bool { return u.Continues != nil })
}

// Beside keeps of the pairs that were not recognised those that share an address, whatever the
// port, with one of the connections.
func (d *Document) Beside() {
	ours := map[netip.Addr]bool{}
	for c := range d.All() {
		ours[hostOf(c.A)], ours[hostOf(c.B)] = true, true
	}
	d.Unrecognised = slices.DeleteFunc(d.Unrecognised, func(u Unrecognised) bool { return !ours[hostOf(u.A)] && !ours[hostOf(u.B)] })
}

func hostOf(address string) netip.Addr {
	a, _ := netip.ParseAddrPort(address)
	return a.Addr()
}

// tell says what happened in the pair of a and b.
func (u *Unrecognised) tell(p *session.Story, a, b string) {
	what := "something"
	if u.Guess != "" {
		what = fmt.Sprintf("what looks like %s", u.Guess)
	}
	sent := fmt.Sprintf("%s sent %s to %s", a, what, b)
	switch {
	case p.Notices > 0 && p.Sides[1] == 0:
		u.Cause, u.Side, u.Certainty = PortClosed, "b", Proved
		u.Sentence = fmt.Sprintf("%s, and the machine there said that nothing listens (ICMP, packet %d).", sent, p.Notice)
	case p.Notices > 0:
		u.Sentence = fmt.Sprintf("%s and %s exchanged %s; ICMP reports that some did not arrive (packet %d).", a, b, count(p.Datagrams, "packet", "packets"), p.Notice)
	case p.Sides[1] == 0:
		u.Cause, u.Certainty = NoAnswer, Likely
		u.Sentence = fmt.Sprintf("%s, %s, and nothing ever came back.", sent, count(p.Sides[0], "packet", "packets"))
	default:
		u.Sentence = fmt.Sprintf("%s and %s exchanged %s; %s is not certain. The flag %s forces it.", a, b, count(p.Datagrams, "packet", "packets"), what, u.Hint)
	}
}
