package knet

import "github.com/dpdissect/dpdissect/dissect"

// control tracks a control message.
func (c *conn) control(dir int, num int64, m *Message, fresh bool) {
	if m.ambiguous() && c.pair.params.IDs == IDsUnknown {
		c.spare[dir]++
	}
	switch m.Kind {
	case PingRequest:
		c.asks(dir, num, m, fresh)
		c.life.pingAt[dir] = max(c.life.pingAt[dir], c.fr.Time)
		c.hello(dir, m)
	case PingReply:
		if asked := c.side[1-dir].pings; m.whole && asked != nil && asked[m.PingID] != 0 {
			c.acknowledge(dir, asked[m.PingID]-1, fresh)
		}
		if m.ambiguous() && c.pair.params.IDs == IDsUnknown {
			c.asks(dir, num, m, fresh)
		}
	case PacketAck:
		if m.whole {
			c.packetAck(dir, m, fresh)
		}
	case Disconnect, DisconnectAck:
		c.closing(dir, m.Kind)
		return
	case ConnectSyn, ConnectSynAck, ConnectAck:
		c.handshake(dir, m.Kind)
		return
	}
	c.spoken = true
	if c.d.Dialect == Spec {
		c.confirm(dir)
	}
}

// asks remembers a PingRequest until it is answered.
func (c *conn) asks(dir int, num int64, m *Message, fresh bool) {
	if !m.whole || !fresh || len(m.Body) != 1 {
		return
	}
	s := &c.side[dir]
	if s.pings == nil {
		s.pings = new([256]int64)
	}
	s.pings[m.PingID] = num + 1
}

// ambiguous reports a message that is a PingRequest by one map of ids and a
// PingReply by the other.
func (m *Message) ambiguous() bool { return m.ID.Value == 1 && len(m.Body) == 1 }

// recount corrects the count of PingRequests when the map of ids becomes known
// and is not the usual one of the dialect.
func (c *conn) recount(p Params) {
	for i := range c.spare {
		switch out := &c.c.Dir[i]; {
		case p.Dialect == Spec && p.IDs == IDsFromOne:
			out.KeepAlives += c.spare[i]
		case p.Dialect != Spec && p.IDs == IDsFromZero:
			out.KeepAlives -= c.spare[i]
		}
		c.spare[i] = 0
	}
}

// hello infers roles from a server's first datagram: PacketID 1 with two
// PingRequests (kNet 715850d, NetworkServer.cpp 346). A client's has replies.
func (c *conn) hello(dir int, m *Message) {
	if c.client < 0 && m.PingID == 2 && c.d.PacketID <= 1 && c.d.Dialect != Spec && len(c.d.Messages) > 1 && c.d.Messages[0].Kind == PingRequest {
		c.knowClient(1 - dir)
		c.c.Infer("roles")
	}
}

// packetAck applies what a PacketAck acknowledges to the other side.
func (c *conn) packetAck(dir int, m *Message, fresh bool) {
	other := &c.side[1-dir]
	if _, ok := other.ids.Known(); !ok {
		return
	}
	var ids [MaxAcked]int64
	for _, id := range m.Ack.ids(ids[:0]) {
		c.acknowledge(dir, other.ids.Peek(uint32(id)), fresh)
	}
}

// acknowledge applies an acknowledgement of one datagram of the other side.
func (c *conn) acknowledge(dir int, num int64, fresh bool) {
	a, d := &c.ack, c.fr.Datagram
	a.Frame, a.Time, a.HasTime, a.Copy = d.Frame, d.Time, d.HasTime, !fresh
	words := c.c.Dir[1-dir].AcknowledgeOne(num, a, c.link)
	c.fr.Words |= words
	if c.d.Dialect == Spec {
		c.side[1-dir].acknowledged(num, words)
	}
}

// judgeAcks looks at a datagram of nothing but acknowledgements: it is told when
// it says nothing new, and overtaking others is no reordering of data.
func (c *conn) judgeAcks(dir int, x *contents) {
	if !x.onlyAcks() {
		return
	}
	if c.fr.Words&(dissect.Ack|dissect.AckOfUncaptured|dissect.Duplicate) == 0 && c.started() {
		if _, ok := c.side[1-dir].ids.Known(); ok {
			c.fr.Words |= dissect.DuplicateAck
		}
	}
	if c.fr.Words.Has(dissect.OutOfOrder) {
		c.fr.Words &^= dissect.OutOfOrder
		c.c.Dir[dir].OutOfOrder--
	}
}
