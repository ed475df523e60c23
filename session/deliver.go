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
	m.Conn, m.Index = c, d.delivered
	d.delivered++
	c.flow.Emit(m)
}

// CountMessage is Deliver where nothing but the counters matters.
func (d *Direction) CountMessage(complete bool, size int) {
	if complete {
		d.Messages++
		d.MessageBytes += uint64(size)
	} else {
		d.IncompleteMessages++
	}
}

// Damaged reports a datagram that was damaged on its way: its checksum is wrong
// while others of its side are right. The receiver never saw it, so it is counted
// and touches no state (CAP-SUM). Where all checksums are wrong, the capture was
// edited.
func (c *Conn) Damaged(d *dissect.Datagram) bool {
	s := &c.Dir[c.DirOf(d)]
	if !d.BadChecksum {
		s.verified = s.verified || d.Sum != 0
		return false
	}
	return s.verified
}
