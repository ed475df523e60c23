package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// newConn makes the connection that starts with the frame.
func newConn(f *Flow, fr *dissect.Frame) *Conn {
	c := &Conn{ID: -1, Protocol: f.protocol.Protocol, A: fr.Src, B: fr.Dst, Dir: f.table.spareSides.Take(), FirstFrame: fr.Frame, flow: f, flip: f.side(fr.Datagram) == 1}
	if f.continues(fr) {
		c.A, c.B, c.flip, c.succeeds = c.B, c.A, !c.flip, true
	}
	c.Bits, c.DetectedBy = f.bits, f.detectedBy
	f.table.leaveOut(f)
	c.crowded, f.crowdedOut = f.crowdedOut, 0
	c.active = f.table.spare.Take()
	for i := range dissect.Dirs {
		o := seq.Options{Opened: fr.Time, LowMemory: f.table.cfg.LowMemory, Links: f.table.cfg.Links, Account: f.table.cfg.Endings}
		if tell := f.table.cfg.Settled; tell != nil {
			o.Settled = func(x seq.Settled) {
				x.Time = f.table.clock.stamp(x.Frame, x.Time)
				tell(c, i, x)
			}
		}
		if r, ok := f.table.cfg.Sink.(Recounter); ok {
			o.Trip = func(of seq.MeasureSet, at, ns int64) { r.Measured(c, i, of, at, ns) }
		}
		if o.Links {
			o.Never = func(at seq.Position) { f.Acked(at, 0) }
		}
		c.Dir[i].Open(&c.active.dirs[i], &c.Dir[i.Other()], o)
	}
	c.Rules, c.quality = Evaluation{&c.active.law}, Evaluation{&c.active.quality}
	law, quality := f.tallySets()
	*c.Rules.evaluation = evaluation{c: c, flow: f, rules: f.protocol.Rules, tallies: law}
	*c.quality.evaluation = evaluation{c: c, flow: f, rules: Quality, tallies: quality}
	c.Rules.sight, c.quality.sight = &c.active.sight, &unseen
	return c
}

// continues reports whether the connection that a frame starts succeeds one whose opening
// by its client was captured, though its server sends first: the server lost its state, or
// takes a datagram that came late for a new client. Sides keep their names then.
func (f *Flow) continues(fr *dissect.Frame) bool {
	old := f.at
	return old != nil && old.Complete && old.Roles[0] == client && old.B == fr.Src && old.A == fr.Dst
}

// client is the role of the side that opens a connection, where a protocol has servers.
const client = "client"

// close settles what is open and frees all that no report asks for.
func (c *Conn) close() {
	if !c.closed {
		c.closed, c.SummedUp = true, c.flow.summedUp
		if c.flow.Live() {
			c.pulses = &[2]seq.Pulse{c.Pulse(0), c.Pulse(1)}
		}
		over := c.State >= Closed
		c.active.endWaits(c.flow.table.end, over)
		c.Rules.close(c.flow.table.end, over)
		if c.flow.table.cfg.Endings {
			c.Ending = c.ending()
		}
		c.Trail = c.trail()
		for dir := range dissect.Dirs {
			c.diagnoseGiveUp(dir) // before the windows are freed
			c.Dir[dir].Close()
		}
		if c.succeeds && c.State == Refused {
			c.State = Reset // its peer did answer, before
		}
		c.assess()
		c.concludeEnding()
		for dir := range dissect.Dirs {
			c.Dir[dir].Free()
		}
		c.leave()
	}
}

// Compact makes the connection small (Compacter).
func (c *Conn) Compact() {
	for dir := range dissect.Dirs {
		if !c.closed {
			c.Dir[dir].Compact()
		}
	}
}

// Open starts a connection with the frame that is its first.
func (f *Flow) Open(fr *dissect.Frame) *Conn {
	c := newConn(f, fr)
	f.open++
	f.table.open++
	f.table.conns = append(f.table.conns, c)
	if f.at != nil {
		f.at.Next = c
	}
	return c
}

// Finish settles a connection to which nothing can be added any more.
func (f *Flow) Finish(c *Conn) {
	f.at = c
	c.close()
}
