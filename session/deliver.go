package session

import "github.com/dpdissect/dpdissect/dissect"

// Deliver counts a message of a connection and hands it to the sink when it is
// wanted, with its connection and its index. The sender, the frame at hand and
// all that is said of the message itself are the caller's to fill in.
func (c *Conn) Deliver(m *Message) {
	d := &c.Dir[m.Dir]
	d.CountMessage(m.Complete, m.Size)
	if c.flow == nil {
		return
	}
	cfg := &c.flow.table.cfg
	if cfg.Messages == CountMessages || !m.Complete && !cfg.Incomplete {
		return
	}
	m.Conn, m.Index = c, d.Delivered()
	c.flow.Emit(m)
}

// Damaged is Direction.Damaged of the sender of a datagram.
func (c *Conn) Damaged(d *dissect.Datagram) bool {
	return c.Dir[c.DirOf(d)].Damaged(d)
}
