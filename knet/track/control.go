package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// control tracks a control message.
func (c *conn) control(dir dissect.Dir, num seq.Num, m *knet.Message, fresh bool) {
	if m.Ambiguous() && c.pair.idsOpen() {
		c.spare[dir]++
	}
	switch m.Kind {
	case knet.PingRequest:
		c.asks(dir, num, m, fresh)
		c.life.pingAt[dir] = max(c.life.pingAt[dir], c.Frame.Time)
		c.hello(dir, m)
	case knet.PingReply:
		if m.Ambiguous() && c.pair.idsOpen() {
			c.asks(dir, num, m, fresh) // either of the two
		} else {
			c.answers(dir, m)
		}
	case knet.PacketAck:
		if m.Whole {
			c.packetAck(dir, m, fresh)
		}
	case knet.Disconnect, knet.DisconnectAck:
		c.closing(dir, m.Kind)
		return
	case knet.ConnectSyn, knet.ConnectSynAck, knet.ConnectAck:
		c.handshake(dir, m.Kind)
		return
	}
	c.spoken = true
	if c.Datagram.Dialect == knet.Spec {
		c.confirm(dir)
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

// packetAck applies what a PacketAck acknowledges to the other side.
func (c *conn) packetAck(dir dissect.Dir, m *knet.Message, fresh bool) {
	other := &c.side[dir.Other()]
	if _, ok := other.ids.Known(); !ok {
		return
	}
	first, mask := other.ids.Peek(m.Ack.PacketID&knet.PacketIDMask), m.Ack.Bits<<1
	if m.Ack.PacketID <= knet.PacketIDMask {
		mask |= 1
	}
	mask = c.reached(dir.Other(), first, mask)
	other.plain.acknowledged(first, mask)
	a, d := &c.ack, c.Frame.Datagram
	a.Frame, a.Time, a.HasTime, a.Copy = d.Frame, d.Time, d.HasTime, !fresh
	var told func(seq.Num, dissect.Words)
	if c.Datagram.Dialect == knet.Spec {
		told = other.acknowledged
	}
	c.Frame.Words |= c.c.Dir[dir.Other()].AcknowledgeRun(first, mask, a, c.link, told)
}

// reached leaves of what is acknowledged of a side, from a PacketID on, what the side can have
// come to: where all that it sent was captured, nothing that is far ahead of it.
func (c *conn) reached(dir dissect.Dir, first seq.Num, mask uint64) uint64 {
	out := &c.c.Dir[dir]
	top, sent := out.Window().Highest()
	if n := top + FarAhead - first + 1; sent && n < 64 && c.pair.sure() && out.Missing() == 0 {
		mask &= 1<<uint(max(n, 0)) - 1
	}
	return mask
}

// acksOnly looks at a datagram of nothing but acknowledgements: it is told when
// it says nothing new, and overtaking others is no reordering of data.
func (c *conn) acksOnly(dir dissect.Dir, x *Contents) {
	if !x.OnlyAcks() {
		return
	}
	if c.Frame.Words&(dissect.Ack|dissect.AckOfUncaptured|dissect.Duplicate) == 0 && c.started() {
		if _, ok := c.side[dir.Other()].ids.Known(); ok {
			c.Frame.Words |= dissect.DuplicateAck
		}
	}
	if c.Frame.Words.Has(dissect.OutOfOrder) {
		c.Frame.Words &^= dissect.OutOfOrder
		c.c.Dir[dir].OutOfOrder--
	}
}

// FarAhead is further than any datagrams that may be late together.
const FarAhead = 64

const (
	plainIDs   = 32
	enoughAcks = 32
)
