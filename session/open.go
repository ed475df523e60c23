package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// newConn makes the connection that starts with the frame.
func newConn(f *Flow, fr *dissect.Frame) *Conn {
	c := &Conn{ID: -1, Protocol: f.protocol.Protocol, A: fr.Src, B: fr.Dst, Dir: f.table.spareSides.Take(), FirstFrame: fr.Frame, flow: f, flip: f.half(fr.Datagram) == 1}
	if f.continues(fr) {
		c.A, c.B, c.flip, c.succeeds = c.B, c.A, !c.flip, true
	}
	c.Bits, c.DetectedBy = f.bits, f.detectedBy
	f.table.leaveOut(f)
	c.crowded, f.crowdedOut = f.crowdedOut, 0
	c.active = f.table.spare.Take()
	for i := range dissect.Dirs {
		cfg, l := &f.table.cfg, &c.active.listeners[i]
		*l = listener{c, i}
		_, trips := cfg.Sink.(Recounter)
		o := seq.Options{Opened: fr.Time, LowMemory: cfg.LowMemory, Links: cfg.Links, Settles: cfg.Settled != nil, Trips: trips, Account: cfg.Endings, Listener: l}
		c.Dir[i].Open(&c.active.dirs[i], &c.Dir[i.Other()], o)
	}
	c.Rules, c.quality = Evaluation{&c.active.law}, Evaluation{&c.active.quality}
	law, quality := f.tallySets()
	*c.Rules.evaluation = evaluation{c: c, flow: f, rules: f.protocol.Rules, tallies: law}
	*c.quality.evaluation = evaluation{c: c, flow: f, rules: Quality, tallies: quality}
	c.Rules.sight, c.quality.sight = &c.active.sight, &unseen
	return c
}

// A listener tells others what is concluded about a side.
type listener struct {
	c   *Conn
	dir dissect.Dir
}

// Never implements seq.Listener.
func (l *listener) Never(at seq.Position) { l.c.flow.Acked(at, 0) }

// Settled implements seq.Listener.
func (l *listener) Settled(x seq.Settled) {
	t := l.c.flow.table
	x.Time = t.clock.stamp(x.Frame, x.Time)
	t.cfg.Settled(l.c, l.dir, x)
}

// Tripped implements seq.Listener.
func (l *listener) Tripped(of seq.MeasureSet, at, ns int64) {
	l.c.flow.table.cfg.Sink.(Recounter).Measured(l.c, l.dir, of, at, ns)
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
