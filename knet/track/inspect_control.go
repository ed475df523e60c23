package track

import "github.com/dpdissect/dpdissect/knet"

// MinRate is MinDatagramRate, a second (kNet page, Characteristic Values).
const MinRate = 5

// sizeOf is the size of a control message's body, from PingRequest on; -1 for those of any.
var sizeOf = [...]int{1, 1, 2, knet.AckSize, 0, 0, -1, -1, 0}

// inspectControl looks at a control message (kNet page, Reserved Messages).
func (c *conn) inspectControl(m *knet.Message) {
	if m.Kind < knet.Disconnect && c.pair.idsOpen() && knet.BodySize[m.Kind] != len(m.Body) {
		return // the ids may mean something else
	}
	if m.Kind == knet.FlowControlRequest && len(m.Body) == knet.AckSize && c.acksLately(m) {
		c.noteFault(OtherMap, 3, m)
		return
	}
	if want := sizeOf[m.Kind-knet.PingRequest]; want >= 0 && len(m.Body) != want {
		c.noteFault(WrongSize, want, m)
		return
	}
	if c.Datagram.Dialect == knet.Spec {
		c.inspectPageControl(m)
	} else {
		c.inspectLibraryControl(m)
	}
	if m.Kind == knet.FlowControlRequest && m.Rate < MinRate {
		c.noteFault(LowRate, 0, m)
	}
}

// inspectLibraryControl: with Reference each message says itself whether it is
// reliable, and the order means nothing.
func (c *conn) inspectLibraryControl(m *knet.Message) {
	switch rel := m.IsReliable(); {
	case (m.Kind == knet.PingRequest || m.Kind == knet.PingReply) && rel:
		c.noteFault(ReliablePing, 0, m)
	case m.Kind == knet.PacketAck && rel:
		c.noteFault(ReliableAck, 0, m)
	case m.Kind == knet.FlowControlRequest && !rel:
		c.noteFault(UnreliableFlow, 0, m)
	}
	if m.Kind == knet.PacketAck && m.Ack.PacketID > knet.PacketIDMask {
		c.noteFault(HighAckBits, 0, m)
	}
}

// inspectPageControl: with Spec the datagram says whether it is reliable.
func (c *conn) inspectPageControl(m *knet.Message) {
	rel := c.Datagram.Reliable
	switch m.Kind {
	case knet.PingRequest, knet.PingReply:
		if rel {
			c.noteFault(ReliablePing, 0, m)
		}
	case knet.PacketAck:
		c.inspectAckRel(m, rel)
	case knet.FlowControlRequest:
		if !rel {
			c.noteFault(UnreliableRate, 0, m)
		}
	case knet.ConnectAck:
		if !rel {
			c.noteFault(UnreliableAnswer, 0, m)
		}
	case knet.ConnectSyn, knet.ConnectSynAck:
		if rel {
			c.noteFault(ReliableHandshake, 0, m)
		}
	case knet.Disconnect, knet.DisconnectAck:
		c.inspectEnd(m, rel)
		return
	}
	if m.Code() != 0 {
		c.noteFault(OrderedControl, 0, m)
	}
}

func (c *conn) inspectEnd(m *knet.Message, rel bool) {
	if rel {
		c.noteFault(ReliableEnd, 0, m)
	}
	if !c.Datagram.InOrder {
		c.noteFault(UnorderedEnd, 0, m)
	}
}

// inspectAckRel: acknowledgements may ride in a reliable datagram with others; one
// of nothing but acknowledgements would be acknowledged itself.
func (c *conn) inspectAckRel(m *knet.Message, rel bool) {
	if !rel {
		return
	}
	for i := range c.Datagram.Messages {
		if c.Datagram.Messages[i].Kind != knet.PacketAck {
			c.noteFault(AcksAmong, 0, m)
			return
		}
	}
	c.noteFault(ReliableAck, 0, m)
}

// inspectMap looks at a message of the application that would be a PacketAck by the
// other map of ids.
func (c *conn) inspectMap(m *knet.Message) {
	if m.ID.Value == 4 && len(m.Body) == knet.AckSize && c.pair.params.IDs == knet.IDsFromZero && !c.pair.idsOpen() && c.acksLately(m) {
		c.noteFault(OtherMap, 4, m)
	}
}

// lately is how long ago, in ns, what a PacketAck names was sent at most.
const lately = 10e9

// acksLately reports a body that is a PacketAck of datagrams sent lately, and of
// nothing else.
func (c *conn) acksLately(m *knet.Message) bool {
	dir := c.c.DirOf(c.Frame.Datagram)
	out, a := &c.c.Dir[dir.Other()], knet.AckOf(m.Body, c.Datagram.Dialect)
	if c.side[dir].bits.wordFirst {
		a = a.Other()
	}
	var ids [knet.MaxAcked]int64
	list := a.AppendIDs(ids[:0])
	for _, id := range list {
		x, _ := out.Look(c.side[dir.Other()].ids.Peek(uint32(id)))
		if !x.Captured || x.NoAck || c.Frame.Time-x.Time > lately {
			return false
		}
	}
	return len(list) > 0
}
