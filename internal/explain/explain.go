package explain

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/session"
)

// A Story is what is known of all connections of a capture, to explain one after the other.
// It keeps of each no more than how it stands to others.
type Story struct {
	conns   []*session.Conn // of which something is known
	heard   int64
	servers map[server]*clients
	prev    map[*session.Conn]*session.Conn // that stood on its address pair before
	from    map[*session.Conn]*session.Conn // that goes on in it from another address
	moved   map[*session.Conn]*session.Move
	told    map[*session.Conn]*Connection // see Settle, nil before
	pairs   []*session.Story
	LeftOut uint64 // further pairs, of which nothing is remembered (session.Table.StoriesLeftOut)
	names   namer
	opened  session.Opener // of what is looked at to explain the one at hand
}

// Name makes sentences name sides and addresses as names says, "" for those without a name.
// Texts for people do that, records do not.
func (t *Story) Name(names func(dissect.Endpoint) string) { t.names.name = names }

// Tell collects what is known of connections that were closed under Config.Endings, of
// others nothing is known, and of the address pairs that were not recognised. heard is until
// when the capture listened, in ns since 1970.
func Tell(conns []*session.Conn, pairs []*session.Story, heard int64) *Story {
	return new(Past).Tell(conns, pairs, heard)
}

// A Past is what stories need of connections that are not kept.
type Past struct{ servers map[server]*clients }

// Forget takes a connection that is kept no longer.
func (p *Past) Forget(c *session.Conn) {
	if p.servers == nil {
		p.servers = map[server]*clients{}
	}
	addClient(p.servers, c)
}

// Tell is Tell of connections that are kept.
func (p *Past) Tell(conns []*session.Conn, pairs []*session.Story, heard int64) *Story {
	t := &Story{heard: heard, pairs: pairs}
	if !slices.ContainsFunc(conns, (*session.Conn).HasEnding) {
		return t
	}
	t.servers, t.moved = p.byServer(conns), session.Moves(conns, pairs)
	t.prev, t.from = map[*session.Conn]*session.Conn{}, map[*session.Conn]*session.Conn{}
	for _, c := range conns {
		if !c.HasEnding() {
			continue
		}
		t.conns = append(t.conns, c)
		if c.Next != nil {
			t.prev[c.Next] = c
		}
		if m := t.moved[c]; m != nil && m.To != nil {
			t.from[m.To] = c
		}
	}
	return t
}

// MovedTo is the connection in which a side of another one goes on from another address, nil when
// there is none.
func (t *Story) MovedTo(c *session.Conn) *session.Conn {
	if m := t.moved[c]; m != nil {
		return m.To
	}
	return nil
}

// Before limits the chain of earlier connections that a subject holds: its verdict looks at
// the one before it, and the verdict on that one at one more.
const Before = 2

// subject makes one of a connection. What it opens has to be closed when it was looked at.
func (t *Story) subject(c *session.Conn, back int) *subject {
	t.opened.Open(c)
	s := &subject{Conn: c, end: c.Ending, servers: t.servers, moved: t.moved[c], names: &t.names}
	s.heard = min(t.heard-c.Ending.Shift, s.seenUntil())
	if from := t.from[c]; from != nil && from.LastTime <= s.seenUntil() {
		s.from = from
	}
	if c.Next != nil {
		t.opened.Open(c.Next)
	}
	if p := t.prev[c]; p != nil && back > 0 {
		s.prev = t.subject(p, back-1)
	}
	return s
}

// Of explains a connection; ok is false when nothing is known of it.
func (t *Story) Of(c *session.Conn) (x Connection, ok bool) {
	if t == nil || !c.HasEnding() {
		return x, false
	}
	if told := t.told[c]; told != nil {
		return *told, true
	}
	defer t.opened.Close()
	return t.subject(c, Before).explain(), true
}

// Verdict says how a connection ended; ok is false when nothing is known of it.
func (t *Story) Verdict(c *session.Conn) (v Verdict, ok bool) {
	if t == nil || !c.HasEnding() {
		return v, false
	}
	if told := t.told[c]; told != nil {
		return told.Verdict, true
	}
	defer t.opened.Close()
	return t.subject(c, Before).verdict(), true
}

// all gives a subject of each connection, one after the other.
func (t *Story) all(yield func(*subject) bool) {
	for _, c := range t.conns {
		goOn := yield(t.subject(c, Before))
		if t.opened.Close(); !goOn {
			return
		}
	}
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

// WhyNow is what ended a connection, as far as a run that goes on can tell, in two or three
// words: "" where its state says as much, or nothing is known. heard is the time, in ns since
// 1970, up to which packets came.
func WhyNow(c *session.Conn, heard int64) string {
	x, ok := Now(c, heard)
	switch cause := x.Verdict.Cause; {
	case !ok, cause == StillOpen, cause == Closed, cause == Refused, cause == Reset, cause == Undecided:
		return ""
	}
	return x.Verdict.Why()
}

// Document explains connections, and the address pairs that were not recognised.
func (t *Story) Document(conns []*session.Conn) *Document {
	d := t.Telling(conns)
	d.Connections = []Connection{}
	for c := range d.All() {
		d.Connections = append(d.Connections, *c)
	}
	d.story, d.conns = nil, nil
	return d
}

// Telling is Document where the connections are explained one by one, each when it is asked
// for: its Connections are empty.
func (t *Story) Telling(conns []*session.Conn) *Document {
	d := &Document{Unrecognised: []Unrecognised{}, LeftOut: t.LeftOut, story: t, conns: slices.DeleteFunc(slices.Clone(conns), func(c *session.Conn) bool { return !c.HasEnding() })}
	rests := t.rests(d.conns)
	for _, p := range t.pairs {
		if u, ok := unrecognised(p, &t.names); ok {
			u.rests(rests[p])
			d.Unrecognised = append(d.Unrecognised, u)
		}
	}
	return d
}

// explain is the record of one connection.
func (s *subject) explain() Connection {
	c := Connection{ID: s.ID, Protocol: s.Protocol.Name, A: s.A.String(), B: s.B.String(), State: s.State.String(), ClosedBy: s.ClosedBy.String(),
		Verdict: s.verdict(), Contributing: s.contributions(), CapturePoint: s.point(), names: [2]string{s.who(0), s.who(1)}, roles: s.Roles, client: s.client()}
	for dir := range dissect.Dirs {
		n, _ := s.lostOf(dir)
		c.lost += n
		if r := s.Dir[dir].RTT(); r.Samples > 0 {
			c.usual[1] = max(c.usual[1], r.P50)
			if c.usual[0] == 0 || r.P50 < c.usual[0] {
				c.usual[0] = r.P50
			}
		}
	}
	if s.HasTime {
		c.FirstTime, c.LastTime = Instant(s.FirstStamp), Instant(s.LastStamp)
	}
	if c.Verdict.Cause == PeerRestarted || s.goesOn() {
		c.ContinuedBy = &s.Next.ID
	}
	if c.Verdict.Cause == NATRebinding && s.moved.To != nil {
		c.ContinuedBy = &s.moved.To.ID
	}
	switch {
	case s.from != nil:
		c.Continues = &s.from.ID
	case s.prev != nil && (s.prev.goesOn() || s.prev.verdict().Cause == PeerRestarted):
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
	for i := range out {
		x := &out[i]
		x.worst = cmp.Or(s.clock(x.at.Time), x.From)
	}
	causesFirst(out)
	stable.Sort(out, func(x, y Contribution) int { return cmp.Compare(y.weight, x.weight) })
	return out
}
