package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// How a new connection on the same address pair is told from what is left of the
// one before, in ns.
const (
	ReconnectGap = 3.5e9 // both sides ping at least as often while connected
	RestartGap   = 1e9   // later than any copy made by the network
	lateGap      = 10e9  // following this, nothing of an ended connection comes
)

// mayReconnect reports whether a connect datagram opens another connection: this
// one is over, or its client has been silent, or it was never answered.
func (c *conn) mayReconnect(fr *dissect.Frame, dir dissect.Dir) bool {
	since := fr.Time - c.c.FirstTime
	if c.life.heard[dir] {
		since = fr.Time - c.life.heardAt[dir]
	}
	switch {
	case !fr.HasTime:
		return false
	case c.life.over():
		return since >= seq.CopyHorizon
	}
	return since >= ReconnectGap
}

// restarts reports whether a datagram begins a new series. With Spec only a
// ConnectSyn or ConnectSynAck does: a low PacketID may be up to 50 transmissions old.
// With Reference it is one of the first PacketIDs where it can be neither late nor
// a copy (the library's server makes a new connection of late datagrams of its
// client, and begins again: kNet 715850d, NetworkServer.cpp 223-354).
func (c *conn) restarts(fr *dissect.Frame, d *knet.Datagram, dir dissect.Dir) bool {
	switch {
	case d.Dialect == knet.Spec:
		return c.reopens(fr, d, dir)
	case d.PacketID >= firstIDs || !fr.HasTime:
		return false
	}
	s := &c.side[dir]
	ref, known := s.ids.Known()
	num := s.ids.Peek(d.PacketID)
	if !known || num > ref {
		return false
	}
	if !c.life.over() && (c.continues(d, dir) || d.Plain && !d.Reliable && d.PacketID > 1) {
		return false // … or shows nothing of another connection
	}
	sent := c.Sent.Of(fr.Datagram, num, seq.Unmarked)
	f := &s.firsts[d.PacketID]
	switch {
	case s.sentBefore(d.PacketID, sent):
		return false
	case f.seen && f.num == num:
		return fr.Time-f.time >= RestartGap && (d.PacketID <= 1 || c.life.over() || ref-num > NearIDs)
	}
	return ref-num > FarIDs || ref-num > NearIDs && fr.Time-c.life.heardAt[dir] >= RestartGap
}

// goneOn is from which number on a side of Reference has gone on too far for another connection
// to have come there with its first PacketIDs; closeBy is how near to it what goes on is.
const (
	goneOn   = 32
	closeBy  = 8
	reopened = 2 // PingRequests that a side sends as it begins
)

// continues reports that a datagram of Reference belongs to the connection at hand, whatever
// its PacketID, which may be damaged: its reliable messages, or the PacketIDs that it
// acknowledges, go on where the sides are, or it answers a PingRequest that waits.
func (c *conn) continues(d *knet.Datagram, dir dissect.Dir) bool {
	s, peer := &c.side[dir], &c.side[dir.Other()]
	near := func(of *seq.Serial, id uint32) bool {
		ref, known := of.Known()
		return known && ref >= goneOn && max(of.Peek(id)-ref, ref-of.Peek(id)) <= closeBy
	}
	for i := range d.Messages {
		m := &d.Messages[i]
		switch {
		case !m.Whole:
		case m.IsReliable() && near(&s.numbers, m.Number), m.Kind == knet.PacketAck && near(&peer.ids, m.Ack.PacketID&knet.PacketIDMask):
			return true
		case m.Kind == knet.PingReply && m.PingID > reopened:
			if p := peer.pings.at(m.PingID); p != nil && p.id == m.PingID && !p.answered {
				return true
			}
		}
	}
	return false
}

// reopens reports a ConnectSyn or ConnectSynAck of Spec that opens another
// connection: its side has said something else before, or the attempt at hand is
// over. Until then a further one repeats the first, whatever it looks like
// (AMB-KN-23).
func (c *conn) reopens(fr *dissect.Frame, d *knet.Datagram, dir dissect.Dir) bool {
	s := &c.side[dir]
	k := opening(d)
	if k == knet.Application || !c.started() || c.isCopy(fr, d, dir) {
		return false
	}
	switch l := &c.life; {
	case !l.over() && s.goesOn(d):
		return false // out of place, but of this connection
	case l.over():
		return k == knet.ConnectSyn || c.client != dir && fr.Time-l.heardAt[dir] >= RestartGap
	case s.spoke:
		return fr.Time-s.spokeAt >= seq.StartHorizon // else it was overtaken
	case l.connects > 0:
		return k == knet.ConnectSyn && fr.Time-l.connectAt > ConnectTime
	}
	return k == knet.ConnectSyn && c.spoken
}

// goesOn reports a datagram whose PacketID goes on after those of its side: those
// of another connection begin again.
func (s *side) goesOn(d *knet.Datagram) bool {
	ref, known := s.ids.Known()
	num := s.ids.Peek(d.PacketID)
	return known && s.spoke && num > ref && num < ref+FarAway
}

// says notes a message of Spec other than ConnectSyn and ConnectSynAck. A client
// says nothing before it is answered: that is left from the connection before.
func (c *conn) says(s *side) {
	if !s.spoke && (c.life.connects == 0 || c.life.heard[s.peer.dir]) {
		s.spoke, s.spokeAt = true, c.Frame.Time
	}
}

// isCopy reports a copy, made by the network or the capture, of a datagram that its side
// sent before.
func (c *conn) isCopy(fr *dissect.Frame, d *knet.Datagram, dir dissect.Dir) bool {
	var s seq.Sending
	return c.c.Dir[dir].Copied(s.Of(fr.Datagram, c.side[dir].ids.Peek(d.PacketID), seq.Unmarked))
}

// opening is the kind of the message that opens a connection with Spec, or
// Application.
func opening(d *knet.Datagram) knet.Kind {
	for i := range d.Messages {
		if k := d.Messages[i].Kind; k == knet.ConnectSyn || k == knet.ConnectSynAck {
			return k
		}
	}
	return knet.Application
}

// sentBefore reports whether a datagram of the side with one of the first
// PacketIDs is a copy of the one captured before.
func (s *side) sentBefore(id uint32, sent *seq.Sending) bool {
	if id >= firstIDs || !s.firsts[id].seen {
		return false
	}
	f := &s.firsts[id]
	switch {
	case f.hash != sent.Hash || f.num != sent.Num:
		return false
	case f.ipid != 0 && f.ipid == sent.IPID:
		return true
	}
	return sent.Time-f.time < RestartGap
}

// claims reports whether a datagram belongs to an ended connection rather than
// to the one that followed: its PacketID fits what the side had sent there, and
// not what it has sent since.
func (c *conn) claims(fr *dissect.Frame, d *knet.Datagram, since *conn) bool {
	if c.finished || c.c.A != fr.Src && c.c.B != fr.Src {
		return false
	}
	dir := c.c.DirOf(fr.Datagram)
	ref, ok := c.side[dir].ids.Known()
	if !ok || fr.HasTime && fr.Time-c.life.heardAt[dir] > lateGap {
		return false
	}
	num := c.side[dir].ids.Peek(d.PacketID)
	switch {
	case num > ref || ref-num > FarIDs || d.PacketID < firstIDs:
		return false
	case opening(d) != knet.Application:
		return c.isCopy(fr, d, dir)
	}
	s := &since.side[since.c.DirOf(fr.Datagram)]
	now, ok := s.ids.Known()
	return !ok || s.ids.Peek(d.PacketID)-now > NearIDs
}
