package track

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
)

func newPair(f *session.Flow, learned *probe, opts *Options, judge func() Judge) *pair {
	shared := f.Room(func() any { return &room{event: new(Event)} }).(*room)
	return &pair{flow: f, opts: opts, judge: judge, learned: learned, room: shared}
}

// Input implements session.Session.
func (p *pair) Input(fr *dissect.Frame) *session.Conn {
	c := p.find(fr)
	fr.Layout = c.layout()
	err := p.room.frame.Decode(fr.Payload, c.params, fr.Tree)
	fr.Type = p.room.frame.Type.String()
	c.input(fr, &p.room.frame, err)
	c.Frame, c.Packet = nil, nil
	if p.flow.Wants().Summaries {
		fr.Summary = dp8.AppendPartialSummary(fr.Summary, &p.room.frame, err)
	}
	return c.c
}

// layout is what the connection's frames are decoded by.
func (c *conn) layout() dissect.Layout {
	l := dissect.Layout{Version: c.params.Version}
	switch {
	case c.params.Signing == dp8.Unsigned:
		l.Signing = dissect.SigningNone
	case c.params.Signing == dp8.Signed && c.mode == ModeFull:
		l.Signing = dissect.SigningFull
	case c.params.Signing == dp8.Signed:
		l.Signing = dissect.SigningFast
	}
	return l
}

// find gives the connection a datagram belongs to, new when it starts one:
//  1. A frame without a session id belongs to the active connection.
//  2. One with the id of a connection belongs to that, unless it is a CONNECT that begins the
//     same session again (overBy).
//  3. A CONNECT with a new id starts a connection, unless receivers ignore it or it goes on
//     with a pending attempt (starts).
//  4. Anything else with a new id starts one when the other side named the id before, or when
//     the active one may be over; else it stays with the active one as a stray.
func (p *pair) find(fr *dissect.Frame) *conn {
	id, op, ok := sessionOf(fr.Payload)
	if !ok {
		if p.active == nil {
			p.active = p.open(fr, false)
		}
		return p.active
	}
conns:
	for i := len(p.conns) - 1; i >= 0; i-- {
		if c := p.conns[i]; c.c.HasSessionID && c.c.SessionID == id {
			if op == dp8.OpConnect && c.overBy(fr) {
				break conns
			}
			return c
		}
	}
	if op == dp8.OpConnect && p.active != nil && !p.starts(fr) {
		return p.active
	}
	switch {
	case p.active == nil:
	case op != dp8.OpConnect && p.active.claimsOwn(p.active.c.DirOf(fr.Datagram), id):
		c := p.open(fr, true)
		p.active = c
		return c
	case op == dp8.OpHardDisconnect, !p.active.c.HasSessionID && op != dp8.OpConnect:
		return p.active
	case op != dp8.OpConnect && (!p.mayRestart(fr) || p.active.awaits(fr)):
		return p.active // a stray answer with another id: judged where it came
	}
	c := p.open(fr, op != dp8.OpHardDisconnect)
	if p.active == nil || p.mayRestart(fr) {
		p.active = c
	}
	return c
}

// starts reports whether a CONNECT with a new session id starts a connection: it
// has no fault that makes receivers ignore it, and does not go on with a pending
// attempt.
func (p *pair) starts(fr *dissect.Frame) bool {
	a := p.active
	return isReal(fr.Payload) && !a.changesID(fr) && (a.c.HasSessionID || a.started())
}

// AttemptGap is the time after a handshake, in ns, from which on a CONNECT is a new attempt and
// no late copy.
const AttemptGap = 10e9

// overBy reports whether a CONNECT with the connection's own id starts another
// one: the handshake was completed, and this is the first CONNECT of an attempt,
// sent later than the one before.
func (c *conn) overBy(fr *dissect.Frame) bool {
	b := fr.Payload
	return isReal(b) && c.quiet(fr) && c.hs.Connects > 0 && c.life.state >= session.Established && b[2] == 0 &&
		(int32(binary.LittleEndian.Uint32(b[12:])-c.hs.tick) > 0 || fr.HasTime && fr.Time-c.hs.connectAt > AttemptGap)
}

// mayRestart reports whether a new connection may follow the active one without
// its CONNECT having been captured: that is over, or was silent for long while it was
// opened or closed, so that the rest of it was not captured.
func (p *pair) mayRestart(fr *dissect.Frame) bool {
	c := p.active
	rested := fr.HasTime && fr.Time-c.c.LastTime > longSilence
	switch c.life.state {
	case session.Opening:
		return rested || !c.hs.Answered
	case session.Closing:
		return rested
	}
	return c.life.state >= session.Closed
}

// sessionOf gives the session id of a command frame that names one.
func sessionOf(b []byte) (id uint32, op uint8, ok bool) {
	if len(b) < 12 || dp8.Command(b[0])&^dp8.Poll != dp8.CFrame || b[1] < dp8.OpConnect || b[1] > dp8.OpHardDisconnect {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint32(b[8:]), b[1], true
}

// open starts a connection with the frame.
func (p *pair) open(fr *dissect.Frame, handshake bool) *conn {
	if len(p.conns) > maxPending {
		p.drop()
	}
	c := newConn(p, fr)
	p.conns = append(p.conns, c)
	if len(p.conns) > 1 {
		fr.Words |= dissect.NewConnection
	}
	if handshake {
		c.life.state = session.Opening
		c.rival = p.active
		c.rivalOpen = c.rival != nil && c.rival.life.state == session.Opening
	} else if p.learned != nil {
		c.adopt(p.learned)
	}
	p.learned = nil
	return c
}

// drop finishes the oldest connection that is not the active one.
func (p *pair) drop() {
	for i, c := range p.conns {
		if c != p.active {
			c.finish(c.c.LastTime)
			p.flow.LetGo(c.c)
			p.conns = append(p.conns[:i], p.conns[i+1:]...)
			return
		}
	}
}

// Unreachable implements session.Session.
func (p *pair) Unreachable(d *dissect.Datagram) {
	if len(p.conns) == 0 {
		return
	}
	c := p.conns[len(p.conns)-1]
	c.unreachable(c.c.Dir[c.c.DirOf(d).Other()].Frames > 0)
}

// Sweep implements session.Session.
func (p *pair) Sweep(now int64) {
	for _, c := range p.conns {
		if p.isOver(c) && now-c.c.LastTime > p.flow.Rest() {
			c.finish(now)
		}
	}
}

// Compact implements session.Compacter.
func (p *pair) Compact() {
	for _, c := range p.conns {
		for i := range c.side {
			c.side[i].History.clear()
		}
		c.c.Compact()
	}
}

// isOver reports whether the end of a connection was captured. In files, one that
// was refused or given up is followed on: it may be tried again.
func (p *pair) isOver(c *conn) bool {
	s := c.life.state
	return s == session.Closed || s == session.Reset || s > session.Reset && p.flow.Live()
}

// Close implements session.Session.
func (p *pair) Close(end int64) {
	for _, c := range p.conns {
		c.finish(end)
	}
	p.conns, p.active = nil, nil
}
