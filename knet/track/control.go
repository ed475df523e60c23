package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// control tracks a control message.
func (c *conn) control(s *side, num seq.Num, m *knet.Message, fresh bool) {
	if m.Ambiguous() && c.pair.idsOpen() {
		c.spare[s.dir]++
	}
	switch m.Kind {
	case knet.PingRequest:
		c.asks(s.dir, num, m, fresh)
		c.life.pingAt[s.dir] = max(c.life.pingAt[s.dir], c.Frame.Time)
		c.hello(s.dir, m)
	case knet.PingReply:
		if m.Ambiguous() && c.pair.idsOpen() {
			c.asks(s.dir, num, m, fresh) // either of the two
		} else {
			c.answers(s.dir, m)
		}
	case knet.PacketAck:
		if m.Whole {
			c.packetAck(s.peer, m, fresh)
		}
	case knet.Disconnect, knet.DisconnectAck:
		c.closing(s.dir, m.Kind)
		return
	case knet.ConnectSyn, knet.ConnectSynAck, knet.ConnectAck:
		c.handshake(s.dir, m.Kind)
		return
	}
	c.spoken = true
	if c.Datagram.Dialect == knet.Spec {
		c.confirm(s.dir)
	}
}

// recount corrects the count of PingRequests when the map of ids becomes known
// and is not the one that was assumed.
func (c *conn) recount(assumed, ids knet.IDMap) {
	for i := range c.spare {
		switch out := &c.c.Dir[i]; {
		case assumed == ids:
		case ids == knet.IDsFromOne:
			out.KeepAlives += c.spare[i]
		default:
			out.KeepAlives -= c.spare[i]
		}
		c.spare[i] = 0
	}
}

// hello infers roles from a server's first datagram: PacketID 1 with two
// PingRequests (kNet 715850d, NetworkServer.cpp 346). A client's has replies.
func (c *conn) hello(dir dissect.Dir, m *knet.Message) {
	if c.client < 0 && m.PingID == 2 && c.Datagram.PacketID <= 1 && c.Datagram.Dialect != knet.Spec && len(c.Datagram.Messages) > 1 && c.Datagram.Messages[0].Kind == knet.PingRequest {
		c.knowClient(dir.Other())
		c.c.Infer("roles")
	}
}

// packetAck applies what a PacketAck acknowledges of a side.
func (c *conn) packetAck(of *side, m *knet.Message, fresh bool) {
	if _, ok := of.ids.Known(); !ok {
		return
	}
	first, mask := of.ids.Peek(m.Ack.PacketID&knet.PacketIDMask), m.Ack.Bits<<1
	if m.Ack.PacketID <= knet.PacketIDMask {
		mask |= 1
	}
	mask = c.reached(of, first, mask)
	of.plain.acknowledged(first, mask)
	a, d := &c.ack, c.Frame.Datagram
	a.Frame, a.Time, a.HasTime, a.Copy = d.Frame, d.Time, d.HasTime, !fresh
	var told func(seq.Num, dissect.Words)
	if c.Datagram.Dialect == knet.Spec {
		told = of.acknowledged
	}
	c.Frame.Words |= of.out.AcknowledgeRun(first, mask, a, c.link, told)
}

// reached leaves of what is acknowledged of a side, from a PacketID on, what the side can have
// come to: where all that it sent was captured, nothing that is far ahead of it.
func (c *conn) reached(s *side, first seq.Num, mask uint64) uint64 {
	top, sent := s.out.Window().Highest()
	if n := top + FarAhead - first + 1; sent && n < 64 && c.pair.sure() && s.out.Missing() == 0 {
		mask &= 1<<uint(max(n, 0)) - 1
	}
	return mask
}

// acksOnly looks at a datagram of nothing but acknowledgements: it is told when
// it says nothing new, and overtaking others is no reordering of data.
func (c *conn) acksOnly(s *side, x *Contents) {
	if !x.OnlyAcks() {
		return
	}
	if c.Frame.Words&(dissect.Ack|dissect.AckOfUncaptured|dissect.Duplicate) == 0 && c.started() {
		if _, ok := s.peer.ids.Known(); ok {
			c.Frame.Words |= dissect.DuplicateAck
		}
	}
	if c.Frame.Words.Has(dissect.OutOfOrder) {
		c.Frame.Words &^= dissect.OutOfOrder
		s.out.OutOfOrder--
	}
}

// FarAhead is further than any datagrams that may be late together.
const FarAhead = 64

const (
	plainIDs   = 32
	enoughAcks = 32
)
