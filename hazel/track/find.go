package track

import (
	"encoding/binary"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Input implements session.Session.
func (p *pair) Input(fr *dissect.Frame) *session.Conn {
	c := p.active
	if c == nil || c.blank || mayBegin(fr.Payload) {
		c = p.find(fr)
	}
	p.decode(c, fr)
	if c.wants.Summaries {
		fr.Summary = hazel.AppendPartialSummary(fr.Summary, &p.frame, fr.Err)
	}
	return c.c
}

// mayBegin reports whether a datagram may be one that a connection begins with: a Hello, or a
// record of a handshake.
func mayBegin(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	t := hazel.WireTypes[b[0]].Type
	return t == hazel.Hello || t == hazel.Handshake
}

// decode decodes a datagram as what its side speaks and tracks it. What looks
// like a fragment of v0.1 but has no place among its side's is a payload with the
// Fragmented flag, as on the page. Where that is what a side was only concluded to
// speak, later types are what they look like.
func (p *pair) decode(c *conn, fr *dissect.Frame) {
	s := &c.side[c.c.Count(fr)]
	d := c.reads(s)
	err := p.frame.Decode(fr.Payload, d, fr.Tree)
	other := d
	switch {
	case d == hazel.AnyPage && p.frame.Type == hazel.FragmentStart && !fr.Cut() && (err != nil || !c.fragmentStart(s, &p.frame)):
		other = hazel.Spec
	case d == hazel.Spec && p.forced != d && p.frame.Type == hazel.Unknown:
		other = hazel.AnyPage
	}
	if other != d {
		if fr.Tree != nil {
			fr.Tree.Reset(fr.Payload)
		}
		err = p.frame.Decode(fr.Payload, other, fr.Tree)
	}
	fr.Layout.Dialect = layoutOf(other, &p.frame, err)
	fr.Type = p.frame.Type.String()
	c.input(s, fr, &p.frame, err)
	c.Frame, c.Packet = nil, nil
}

// layoutOf is the dialect a datagram was decoded in; where none was named, the one whose
// layout it has, or "" where that is not known.
func layoutOf(named hazel.Dialect, f *hazel.Frame, err *dissect.Error) string {
	switch {
	case named != hazel.AnyDialect && named != hazel.AnyPage:
		return named.String()
	case err != nil:
		return ""
	}
	return f.Dialect.String()
}

// fragmentStart reports whether what looks like the first fragment of a message of v0.1
// may be one: by its count, and by its id among those of its side.
func (c *conn) fragmentStart(s *side, f *hazel.Frame) bool {
	if _, ok := s.ids.ids.Known(); !ok && c.c.Complete && f.ID > firstAnswers {
		return false
	}
	return f.Count > 0 && f.Count <= hazel.MostFragments && s.ids.plausible(f.ID)
}

func newPair(f *session.Flow, learned *probe, judge func() Judge) *pair {
	shared := f.Room(func() any { return &room{event: new(Event)} }).(*room)
	return &pair{flow: f, forced: hazel.DialectNamed(f.Dialect()), learned: learned, judge: judge, room: shared}
}

// find gives the connection a datagram belongs to, new when it starts one.
func (p *pair) find(fr *dissect.Frame) *conn {
	hello, ok := p.helloOf(fr.Payload)
	if c := p.active; c != nil {
		p.readFirst(c, fr)
		if ok && p.opensLate(c, fr, hello) {
			c.start(fr, p.hash(fr), hello.id)
			return c
		}
		if !(ok && p.begins(c, fr, hello)) && !p.renews(c, fr.Payload) {
			return c
		}
	}
	if p.active != nil {
		p.active.replaced = fr.Time
		p.retire(fr.Time)
		fr.Words |= dissect.NewConnection
	}
	c := newConn(p, fr)
	c.follows = fr.Words.Has(dissect.NewConnection)
	p.active, p.rested = c, false
	switch {
	case p.secured(fr):
		c.secure = newTunnel(c)
	case ok && (hello.id <= 1 || fr.Length > 4):
		c.start(fr, p.hash(fr), hello.id)
	case ok && !c.follows && (fr.Length == 3 || p.forced == hazel.Spec || fr.Payload[3] != 0):
		c.start(fr, p.hash(fr), hello.id)
		c.hello.bare = true
	default:
		c.join(p.learned)
	}
	c.blank = len(fr.Payload) == 0
	p.learned = nil
	return c
}

// readFirst looks at the first datagram of which the capture holds anything: it may
// be one of records.
func (p *pair) readFirst(c *conn, fr *dissect.Frame) {
	if c.blank && len(fr.Payload) > 0 {
		c.blank = false
		if c.secure == nil && p.secured(fr) {
			c.secure = newTunnel(c)
		}
	}
}

// helloDialect is the dialect in which a Hello would be one now.
func (p *pair) helloDialect() hazel.Dialect {
	if p.forced == hazel.AnyDialect && p.active != nil {
		return p.active.family
	}
	return p.forced
}

// join begins in the middle, with what the probe learned. A usual port tells the
// server.
func (c *conn) join(learned *probe) {
	if learned != nil && c.forced == hazel.AnyDialect {
		c.family = learned.family()
	}
	a, b := slices.Contains(hazel.Hazel.Ports, c.c.A.Port), slices.Contains(hazel.Hazel.Ports, c.c.B.Port)
	if a == b {
		return
	}
	c.c.Infer("roles")
	if a {
		c.c.Roles = [2]string{"server", "client"}
	} else {
		c.c.Roles = [2]string{"client", "server"}
	}
}

// A helloHead is what is looked at of a Hello before it is decoded.
type helloHead struct{ id uint16 }

// helloOf reads the head of a Hello.
func (p *pair) helloOf(b []byte) (h helloHead, ok bool) {
	if len(b) < 3 || hazel.WireTypes[b[0]].Type != hazel.Hello {
		return h, false
	}
	t, _ := hazel.TypeOf(b[0], p.helloDialect())
	return helloHead{binary.BigEndian.Uint16(b[1:])}, t == hazel.Hello
}

func (p *pair) hash(fr *dissect.Frame) uint64 {
	return p.event.Sent.Of(fr.Datagram, 0, seq.Unmarked).Hash
}

// opensLate reports whether a Hello is the one that opened the connection at hand,
// sent again: its first transmission was not captured, and of the connection nothing
// but the first answers to it.
func (p *pair) opensLate(c *conn, fr *dissect.Frame, h helloHead) bool {
	dir := c.c.DirOf(fr.Datagram)
	top, _ := c.side[dir.Other()].ids.ids.Known()
	switch {
	case c.hello.known, c.secure != nil, c.life.spoke[dir], !c.life.spoke[dir.Other()], c.life.gone(dir.Other()):
		return false
	case h.id > 1, top > firstAnswers, c.c.Damaged(fr.Datagram):
		return false
	}
	return fr.Time-c.c.FirstTime <= attemptGap
}

// begins reports whether a Hello starts another connection on a pair that has
// one. Ids that begin again do, a Hello that is sent again or keeps alive does
// not.
func (p *pair) begins(c *conn, fr *dissect.Frame, h helloHead) bool {
	dir := c.c.DirOf(fr.Datagram)
	same := c.hello.known && dir == c.client && h.id == c.hello.id && p.hash(fr) == c.hello.hash
	ref, known := c.side[dir].ids.ids.Known()
	ahead := c.side[dir].ids.peek(h.id) - ref
	switch {
	case c.c.Damaged(fr.Datagram), fr.Length == 3 && c.side[dir].facts.has(longHello):
		return false // the receiver never saw it, or it takes it for a repeat
	case same && fr.IPID != 0 && fr.IPID == c.hello.ipid:
		return false // a copy that the network made
	case c.secure != nil:
		return c.life.over()
	case c.life.gone(dir):
		return true
	case c.beats(dir, fr, h):
		return false
	case c.life.gone(dir.Other()):
		return !same || fr.Time-c.hello.last >= refusalGap
	case c.life.over() && !same, c.life.over() && c.hello.moved:
		return h.id <= 1
	case !known:
		return h.id <= 1 || c.hello.known && dir != c.client
	case ahead > 0:
		return h.id <= 1 && (ahead > freshGap || fr.Length > 4 && c.side[dir].facts.pings())
	case same && c.hello.moved:
		return fr.Time-c.hello.since > overtaken
	case same:
		return fr.Time-c.hello.last > max(attemptGap, 9*c.hello.gap/4) // the page doubles it each time
	}
	return h.id <= 1
}

// beats reports a Hello that may be a keepalive of the connection: without data,
// with one of the next ids of its side or that of the last one, or the first id
// of a server or of a side whose beginning was not captured.
func (c *conn) beats(dir dissect.Dir, fr *dissect.Frame, h helloHead) bool {
	ref, known := c.side[dir].ids.ids.Known()
	ahead := c.side[dir].ids.peek(h.id) - ref
	switch {
	case fr.Length > 4 || dir == c.client && h.id == c.hello.id:
		return false
	case !known:
		return c.hello.known && dir != c.client || c.life.spoke[dir]
	case ahead > 0:
		return ahead <= freshGap
	}
	return h.id == c.side[dir].beatID && c.side[dir].facts.has(beatHello|beatShort)
}

// retire finishes the active connection: another one follows.
func (p *pair) retire(now int64) {
	p.active.finish(p.flow, now)
	p.flow.LetGo(p.active.c)
	p.spare.Put(p.active)
	p.active = nil
}

// Unreachable implements session.Session.
func (p *pair) Unreachable(d *dissect.Datagram) {
	if c := p.active; c != nil {
		c.unreachable(c.c.DirOf(d).Other(), d)
	}
}

// Sweep implements session.Session. It is called for every pair of the capture,
// most of which are at rest.
func (p *pair) Sweep(now int64) {
	if p.rested {
		return
	}
	if c := p.active; c != nil && c.life.over() && now-c.c.LastTime > p.flow.Rest() {
		c.finish(p.flow, now)
		p.rested = true
	}
}

// Compact implements session.Compacter.
func (p *pair) Compact() {
	if c := p.active; c != nil {
		for i := range c.side {
			c.side[i].forget()
		}
		c.c.Compact()
	}
}

// Close implements session.Session.
func (p *pair) Close(end int64) {
	if p.active != nil {
		p.retire(end)
	}
}
