package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
)

func newPair(f *session.Flow, judge func() Judge) *pair {
	return &pair{flow: f, judge: judge, room: f.Room(func() any { return new(room) }).(*room)}
}

// Input implements session.Session.
func (p *pair) Input(fr *dissect.Frame) *session.Conn {
	f := &p.frame
	err := f.Decode(fr.Payload, dp4.Params{Length: fr.Length}, fr.Tree)
	fr.Type = f.Type.String()
	c, ours := p.find(fr, f, err)
	p.active = c
	c.Others = !ours && !c.between(c.c.DirOf(fr.Datagram), f)
	c.input(fr, f, err)
	c.Frame, c.Packet = nil, nil
	if p.flow.Wants().Summaries {
		fr.Summary = dp4.AppendPartialSummary(fr.Summary, f, err)
	}
	return c.c
}

// find gives the connection a datagram belongs to, new when it starts one; ours says that it names the
// players of that.
func (p *pair) find(fr *dissect.Frame, f *dp4.Frame, err *dissect.Error) (c *conn, ours bool) {
	if f.Type != dp4.TypeNone {
		if c := p.known(fr, f); c != nil {
			if err == nil && c.overBy(fr, f) {
				p.drop(c, fr.Time)
				c = p.open(fr, f)
				c.again = true
			}
			return c, true
		}
	}
	if p.active == nil || p.mayOpen(fr, f, err) {
		return p.open(fr, f), false
	}
	return p.stray(fr, f), false
}

// known gives the connection of a frame's players.
func (p *pair) known(fr *dissect.Frame, f *dp4.Frame) *conn {
	if c := p.active; c != nil && c.between(c.c.DirOf(fr.Datagram), f) {
		return c
	}
	for _, c := range p.conns {
		if c != p.active && c.between(c.c.DirOf(fr.Datagram), f) {
			return c
		}
	}
	return nil
}

// between reports whether a frame of a side is of the connection's two players.
func (c *conn) between(dir dissect.Dir, f *dp4.Frame) bool {
	return c.c.Players[dir] == f.From.Value && c.c.Players[dir.Other()] == f.To.Value
}

// mayOpen reports whether a frame of players unknown so far starts a connection
// of theirs: one that is as the text wants it and, if it acknowledges, not what
// another connection waits for.
func (p *pair) mayOpen(fr *dissect.Frame, f *dp4.Frame, err *dissect.Error) bool {
	if err != nil || fr.BadChecksum || !f.From.Proper() || !f.To.Proper() {
		return false
	}
	if f.Type == dp4.TypeData {
		return f.Flags&(dp4.EXT|dp4.BIG|dp4.CMD|dp4.ACK) == dp4.CMD
	}
	return f.Flags&(dp4.BIG|dp4.CMD) == 0 && len(f.Trailing) == 0 && !p.answers(fr, f)
}

// answers reports whether an acknowledgement names a packet that was captured of
// a connection with one of its players: the other index is wrong.
func (p *pair) answers(fr *dissect.Frame, f *dp4.Frame) bool {
	for _, c := range p.conns {
		dir := c.c.DirOf(fr.Datagram)
		if c.c.Players[dir] != f.From.Value && c.c.Players[dir.Other()] != f.To.Value {
			continue
		}
		s := &c.side[dir.Other()]
		top, ok := s.seq.Known()
		if ok && s.history.names(near(top, f.Sequence), f.MessageID) {
			return true
		}
	}
	return false
}

// stray gives the connection a frame without one of its own is counted in: one
// that shares a player, else the active one.
func (p *pair) stray(fr *dissect.Frame, f *dp4.Frame) *conn {
	if f.Type == dp4.TypeNone || len(p.conns) == 1 {
		return p.active
	}
	for _, c := range p.conns {
		dir := c.c.DirOf(fr.Datagram)
		if c.c.Players[dir] == f.From.Value || c.c.Players[dir.Other()] == f.To.Value {
			return c
		}
	}
	return p.active
}

// open starts a connection with the frame.
func (p *pair) open(fr *dissect.Frame, f *dp4.Frame) *conn {
	if len(p.conns) >= maxConns {
		p.drop(p.idlest(), fr.Time)
	}
	if p.active != nil {
		fr.Words |= dissect.NewConnection
	}
	c := newConn(p, fr, f)
	p.conns = append(p.conns, c)
	return c
}

// idlest is the connection that was silent the longest.
func (p *pair) idlest() *conn {
	idle := p.conns[0]
	for _, c := range p.conns {
		if c.c.LastFrame < idle.c.LastFrame {
			idle = c
		}
	}
	return idle
}

// drop settles a connection and follows it no longer.
func (p *pair) drop(old *conn, now int64) {
	keep := p.conns[:0]
	for _, c := range p.conns {
		if c != old {
			keep = append(keep, c)
		}
	}
	p.conns = keep
	p.end(old, now)
}

// end settles a connection that is no longer among those of the pair.
func (p *pair) end(c *conn, now int64) {
	c.finish(now)
	p.flow.LetGo(c.c)
	p.spare.Put(c)
}

// Unreachable implements session.Session: nobody listens there any more, for
// none of the players.
func (p *pair) Unreachable(d *dissect.Datagram) {
	for _, c := range p.conns {
		c.unreachable(c.c.DirOf(d).Other())
	}
}

// Sweep implements session.Session: without a close on the wire, nothing is
// known to be over but what nobody listens to any more. In files even that is
// followed on.
func (p *pair) Sweep(now int64) {
	if !p.flow.Live() {
		return
	}
	for i := len(p.conns) - 1; i >= 0; i-- {
		c := p.conns[i]
		silent := now - c.c.LastTime
		if silent <= p.flow.Rest() || !c.life.gone && silent <= p.flow.Idle() {
			continue
		}
		if p.drop(c, p.flow.Heard()); p.active == c {
			p.active = nil
		}
	}
	if n := len(p.conns); p.active == nil && n > 0 {
		p.active = p.conns[n-1]
	}
}

// Compact implements session.Compacter.
func (p *pair) Compact() {
	for _, c := range p.conns {
		for i := range c.side {
			c.side[i].history.clear()
		}
		c.c.Compact()
	}
}

// Close implements session.Session.
func (p *pair) Close(end int64) {
	for _, c := range p.conns {
		p.end(c, end)
	}
	p.conns, p.active = nil, nil
}
