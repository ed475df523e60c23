package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// opens reports whether a Hello with this number is that of the start.
func (c *conn) opens(s *side, wire seq.Num) bool {
	return c.hello.known && s.dir == c.client && wire == seq.Num(c.hello.id)
}

// start takes the frame at hand for the Hello that starts the connection.
func (c *conn) start(fr *dissect.Frame, hash uint64, id uint16) {
	c.knowClient(c.c.DirOf(fr.Datagram))
	c.hello = opening{known: true, id: id, hash: hash, ipid: fr.IPID, last: fr.Time}
	c.c.Complete = true
	c.c.DetectedBy = max(c.c.DetectedBy, session.ByHandshake)
	for i := range c.c.Dir {
		c.c.Dir[i].Begin(0)
	}
	c.life.state = session.Opening
}

// unstart takes back that the capture holds the start: a Hello without data keeps alive,
// and so did the one that was taken for it.
func (c *conn) unstart() {
	c.c.Dir[c.client].KeepAlives++
	c.hello, c.client, c.c.Complete, c.c.GameVersion = opening{}, -1, false, ""
	c.c.Infer("roles")
	if c.life.state <= session.Established {
		c.life.state = session.StateUnknown
	}
}

func (c *conn) knowClient(dir dissect.Dir) {
	if c.client < 0 {
		c.client = dir
		c.c.Roles[dir], c.c.Roles[dir.Other()] = "client", "server"
		c.c.Confirm("roles")
	}
}

// sawHello tracks a Hello with its number.
func (c *conn) sawHello(s *side, n Number) {
	switch {
	case c.opens(s, n.Wire):
		c.hello.gap = max(c.hello.gap, c.Frame.Time-c.hello.last)
		c.hello.last = c.Frame.Time
		c.Frame.Words |= dissect.Handshake
		if v, ok := hazel.GameVersion(c.Packet.Data); ok && c.c.GameVersion == "" {
			c.c.GameVersion = hazel.GameVersionText(v)
		}
	case c.Frame.Words.Has(dissect.KeepAlive):
		s.beatID = c.Packet.ID
		if c.hello.bare {
			c.unstart()
		}
	default:
		c.Frame.Words |= dissect.Handshake
	}
	if !c.opens(s, n.Wire) {
		c.Parts |= Greets
	}
}

// speaks notes what only sides of an established connection send: anything of
// the server but a Disconnect, and data of the client.
func (c *conn) speaks(s *side) {
	if c.life.state == session.Opening && (s.dir != c.client || c.Packet.Type != hazel.Acknowledgement) {
		c.life.state = session.Established
	}
	if h := &c.hello; h.known && !h.moved && s.dir == c.client && c.Packet.HasID && c.Packet.Type != hazel.Acknowledgement {
		h.moved, h.since = true, c.Frame.Time
	}
}

// disconnect tracks a Disconnect of side dir. Since 2019-06 it is answered by
// one; before, the sides end alone.
func (c *conn) disconnect(s *side) {
	c.Frame.Words |= dissect.Close
	l := &c.life
	if c.Frame.Words.Has(dissect.Duplicate) {
		return
	}
	bye := &l.bye[s.dir]
	bye.Times++
	bye.Last = c.Frame.Time
	if bye.Times > 1 {
		return
	}
	bye.At, bye.Frame, bye.IPID, bye.Top = c.Frame.Time, c.Frame.Frame, c.Frame.IPID, s.Top
	c.c.Said(hazel.ReasonText(c.Packet.Data))
	switch side := session.Side(s.dir + 1); {
	case l.closer == session.NoSide:
		l.closer, l.closeAt = side, c.Frame.Time
	case l.closer != side && c.crosses(s.peer):
		l.closer = session.BothSides
	}
	switch {
	case l.over():
	case l.state == session.Opening && s.dir != c.client:
		l.state = session.Refused
	case c.gaveUp(s):
		l.state = session.TimedOut
	default:
		l.state = session.Closed
	}
}

// jitter is how much longer than the shortest round trip one may take, in ns.
const jitter = 100e6

// crosses reports whether a Disconnect was sent without knowing that of the
// other side, first: what comes in less than half the time of the quickest answer
// so far was sent before. Releases before 2018-12 never answer.
func (c *conn) crosses(first *side) bool {
	gap, rtt := c.Frame.Time-c.life.closeAt, first.out.MinRTT()
	if c.secure == nil && first.peer.facts.can(c.family)&hazel.WithPing == 0 {
		return gap <= rtt+jitter
	}
	return gap < rtt/2
}

// unreachable tracks an ICMP notice: nobody listens at the side away.
func (c *conn) unreachable(away dissect.Dir, d *dissect.Datagram) {
	l := &c.life
	if l.over() || l.dead[away] {
		return
	}
	l.dead[away], l.before = true, l.state
	l.noticed, l.noticedBy = seq.SignAt(d.Frame, d.Time), away.Other()
	switch {
	case l.state == session.Opening && !l.spoke[away]:
		l.state = session.Refused
	case l.state == session.Established || l.state == session.StateUnknown:
		l.state = session.Reset
	}
}

// TimedOut implements session.TimeLimit: it reports whether a side gave up, when nothing came until end.
func (c *conn) TimedOut(end int64) bool {
	for dir := range dissect.Dirs {
		if c.life.state < session.Closing && c.fellSilent(&c.side[dir], end) {
			return true
		}
	}
	return c.secure != nil && c.secure.silent(c, end)
}

// finish settles the connection. end is the time of the last packet captured.
func (c *conn) finish(f *session.Flow, end int64) {
	if c.finished {
		return
	}
	c.finished = true
	for dir := range dissect.Dirs {
		c.c.Dir[dir].Provisionals().End()
		c.refuted(&c.side[dir])
	}
	for i := range c.side {
		c.side[i].asm.close()
	}
	l := &c.life
	if c.TimedOut(end) {
		l.state = session.TimedOut
	}
	if c.secure != nil {
		c.c.Unreadable()
	}
	c.nameDialects()
	if c.judge != nil {
		c.judge.End()
	}
	c.endPairs()
	c.settle()
	c.explain()
	f.Finish(c.c)
	for i := range c.side { // datagrams that still come are only counted
		s := &c.side[i]
		s.forget()
		s.out, s.strays = nil, nil
	}
	c.judge = nil
}

// settle writes down how far the connection came. Only what was closed was closed
// by a side: a Disconnect also refuses, and is what a side sends when it gives up.
func (c *conn) settle() {
	l := &c.life
	c.c.State, c.c.ClosedBy = l.state, session.NoSide
	if l.state == session.Closed {
		c.c.ClosedBy = l.closer
	}
}
