package explain

import (
	"cmp"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// A Story is what is known of all connections of a capture, to explain one after the other.
type Story struct {
	subjects []*subject
	of       map[*session.Conn]*subject
	pairs    []*session.Story
	names    namer
}

// Name makes sentences name sides and addresses as names says, "" for those without a name.
// Texts for people do that, records do not.
func (t *Story) Name(names func(dissect.Endpoint) string) {
	t.names.name = names
	for _, s := range t.subjects {
		s.names = &t.names
	}
}

// Tell collects what is known of connections that were closed under Config.Endings, of
// others nothing is known, and of the address pairs that were not recognised. heard is until
// when the capture listened, in ns since 1970.
func Tell(conns []*session.Conn, pairs []*session.Story, heard int64) *Story {
	t := &Story{of: make(map[*session.Conn]*subject, len(conns)), pairs: pairs}
	servers := byServer(conns)
	for _, c := range conns {
		if end := c.Ending; end != nil {
			s := &subject{Conn: c, end: end, heard: heard - end.Shift, servers: servers}
			t.subjects, t.of[c] = append(t.subjects, s), s
		}
	}
	for _, s := range t.subjects {
		if n := t.of[s.Next]; n != nil && s.Next != nil {
			n.prev = s
		}
	}
	for c, m := range session.Moves(conns, pairs) {
		if s := t.of[c]; s != nil {
			s.moved = m
			if n := t.of[m.To]; m.To != nil && n != nil {
				n.from = s
			}
		}
	}
	return t
}

// Of explains a connection; ok is false when nothing is known of it.
func (t *Story) Of(c *session.Conn) (x Connection, ok bool) {
	if t == nil || t.of[c] == nil {
		return x, false
	}
	s := t.of[c]
	if s.told != nil {
		return *s.told, true
	}
	return s.explain(), true
}

// Verdict says how a connection ended; ok is false when nothing is known of it.
func (t *Story) Verdict(c *session.Conn) (v Verdict, ok bool) {
	if t == nil || t.of[c] == nil {
		return v, false
	}
	if s := t.of[c]; s.told != nil {
		return s.told.Verdict, true
	}
	return t.of[c].verdict(), true
}

// Now says how a connection came to its end, or stands, in a run that goes on: heard is the
// time on the clock of the capture, in ns since 1970. What other connections tell of it is not
// looked at, and what is not settled yet may still change it. ok is false when nothing is known
// of it, see session.Config.Endings.
func Now(c *session.Conn, heard int64) (x Connection, ok bool) {
	now := *c
	if now.Ending = c.EndingNow(); now.Ending == nil {
		return x, false
	}
	now.State, now.ClosedBy = c.StateNow()
	s := &subject{Conn: &now, end: now.Ending, heard: heard - now.Ending.Shift}
	return s.explain(), true
}

// Document explains connections, and the address pairs that were not recognised.
func (t *Story) Document(conns []*session.Conn) *Document {
	d := &Document{Connections: []Connection{}, Unrecognised: []Unrecognised{}}
	for _, c := range conns {
		if x, ok := t.Of(c); ok {
			d.Connections = append(d.Connections, x)
		}
	}
	for _, p := range t.pairs {
		if u, ok := unrecognised(p, &t.names); ok {
			d.Unrecognised = append(d.Unrecognised, u)
		}
	}
	return d
}

// explain is the record of one connection.
func (s *subject) explain() Connection {
	c := Connection{ID: s.ID, Protocol: s.Protocol.Name, A: s.A.String(), B: s.B.String(), State: s.State.String(), ClosedBy: s.ClosedBy.String(),
		Verdict: s.verdict(), Contributing: s.contributions(), CapturePoint: s.point(), names: [2]string{s.who(0), s.who(1)}, roles: s.Roles}
	for dir := range sides {
		n, _ := s.lostOf(dir)
		c.lost += n
	}
	if s.HasTime {
		c.FirstTime, c.LastTime = stamp(s.FirstStamp), stamp(s.LastStamp)
	}
	if c.Verdict.Cause == PeerRestarted {
		c.ContinuedBy = &s.Next.ID
	}
	if c.Verdict.Cause == NATRebinding && s.moved.To != nil {
		c.ContinuedBy = &s.moved.To.ID
	}
	switch {
	case s.from != nil:
		c.Continues = &s.from.ID
	case s.prev != nil && s.prev.verdict().Cause == PeerRestarted:
		c.Continues = &s.prev.ID
	}
	return c
}

// contributions are what made the connection slow or endangered it, the heaviest first.
func (s *subject) contributions() []Contribution {
	out := []Contribution{}
	for _, look := range contributors {
		out = append(out, look(s)...)
	}
	slices.SortStableFunc(out, func(x, y Contribution) int { return cmp.Compare(y.weight, x.weight) })
	return out
}

func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format(rfc3339) }
