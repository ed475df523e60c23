package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

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

// Emit hands a message to the sink.
func (f *Flow) Emit(m *Message) {
	if f.table.cfg.Sink != nil {
		m.Time = f.table.clock.stamp(m.LastFrame, m.Time)
		f.table.cfg.Sink.Message(m)
	}
}

// report enters a finding into its connection and the frame at hand, if that is at
// fault, and hands it to the sink.
func (f *Flow) report(x *Finding, fr *dissect.Frame) {
	x.Time = f.table.clock.stamp(x.Frame, x.Time)
	if x.Failed() {
		x.Conn.Findings[x.Severity]++
		x.Conn.blame(x)
		if fr != nil && fr.Frame == x.Frame {
			fr.Notes = append(fr.Notes, dissect.Note{Rule: x.Rule.ID, Severity: x.Severity.String(), Message: x.Message})
			if x.Severity == conform.Error {
				x.Conn.suspectInjection()
			}
		}
	}
	if f.table.cfg.Sink != nil {
		f.table.cfg.Sink.Finding(x)
	}
}

// Acked tells the sink that a later frame acknowledges a frame, or, with by 0,
// that none will.
func (f *Flow) Acked(at seq.Position, by uint64) {
	if f.table.cfg.Sink != nil {
		f.table.cfg.Sink.Acked(at, by)
	}
}
