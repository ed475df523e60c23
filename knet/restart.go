package knet

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// How a new connection on the same address pair is told from what is left of the
// one before, in ns.
const (
	reconnectGap = 3.5e9 // both sides ping at least as often while connected
	restartGap   = 1e9   // later than any copy made by the network
	lateGap      = 10e9  // behind this, nothing of an ended connection comes
)

// mayReconnect reports whether a connect datagram opens another connection: this
// one is over, or its client has been silent, or it was never answered.
func (c *conn) mayReconnect(fr *dissect.Frame, dir int) bool {
	since := fr.Time - c.c.FirstTime
	if c.life.heard[dir] {
		since = fr.Time - c.life.heardAt[dir]
	}
	switch {
	case !fr.HasTime:
		return false
	case c.life.over():
		return since >= session.CopyHorizon
	}
	return since >= reconnectGap
}

// restarts reports whether a datagram begins a new series: a ConnectSyn on a
// connection that is past its handshake, or one of the first PacketIDs where it
// can be neither late nor a copy (the library's server makes a new connection of late
// datagrams of its client, and begins anew: kNet 715850d, NetworkServer.cpp 223-354).
func (c *conn) restarts(fr *dissect.Frame, d *Datagram, dir int) bool {
	s := &c.side[dir]
	ref, known := s.ids.Known()
	num := s.ids.Peek(d.PacketID)
	if d.Dialect == Spec && hasSyn(d) {
		sent := c.sent.Of(fr.Datagram, num, session.Unmarked)
		return c.started() && !s.sentBefore(d.PacketID, sent, true) &&
			(c.life.state != session.Opening || fr.Time-c.life.connectAt > connectTime)
	}
	if !known || num > ref || d.PacketID >= firstIDs || !fr.HasTime {
		return false
	}
	sent := c.sent.Of(fr.Datagram, num, session.Unmarked)
	f := &s.firsts[d.PacketID]
	switch {
	case s.sentBefore(d.PacketID, sent, d.Dialect == Spec):
		return false
	case f.seen && f.num == num:
		return fr.Time-f.time >= restartGap && (d.PacketID <= 1 || c.life.over() || ref-num > nearIDs)
	}
	return ref-num > farIDs || ref-num > nearIDs && fr.Time-c.life.heardAt[dir] >= restartGap
}

// sentBefore reports whether a datagram of the side with one of the first
// PacketIDs is a copy, or with again, a resend of the one captured before.
func (s *side) sentBefore(id uint32, sent *session.Sending, again bool) bool {
	if id >= firstIDs || !s.firsts[id].seen {
		return false
	}
	f := &s.firsts[id]
	switch {
	case f.hash != sent.Hash || f.num != sent.Num:
		return false
	case again:
		return sent.Time-f.time < lateGap
	case f.ipid != 0 && f.ipid == sent.IPID:
		return true
	}
	return sent.Time-f.time < restartGap
}

func hasSyn(d *Datagram) bool {
	for i := range d.Messages {
		if d.Messages[i].Kind == ConnectSyn {
			return true
		}
	}
	return false
}

// claims reports whether a datagram belongs to an ended connection rather than
// to the one that followed: its PacketID fits what the side had sent there, and
// not what it has sent since.
func (c *conn) claims(fr *dissect.Frame, d *Datagram, since *conn) bool {
	if c.finished || c.c.A != fr.Src && c.c.B != fr.Src {
		return false
	}
	dir := c.c.DirOf(fr.Datagram)
	ref, ok := c.side[dir].ids.Known()
	if !ok || fr.HasTime && fr.Time-c.life.heardAt[dir] > lateGap {
		return false
	}
	num := c.side[dir].ids.Peek(d.PacketID)
	if num > ref || ref-num > farIDs || d.PacketID < firstIDs {
		return false
	}
	s := &since.side[since.c.DirOf(fr.Datagram)]
	now, ok := s.ids.Known()
	return !ok || s.ids.Peek(d.PacketID)-now > nearIDs
}
