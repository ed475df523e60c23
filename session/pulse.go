package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Pulse says how the side that sends in direction 0 (a) or 1 (b) does now, or did
// when the connection was closed.
func (c *Conn) Pulse(dir dissect.Dir) seq.Pulse {
	d := &c.Dir[dir]
	p := d.Pulse()
	if !d.IsOpen() {
		if c.pulses != nil {
			p = c.pulses[dir]
			p.Frames, p.Bytes = d.Frames, d.Bytes
		}
		return p
	}
	if c.Rules.evaluation != nil {
		s := c.Rules.sight
		p.Last, p.HasLast = s.last[dir], s.frames[dir] > 0 && s.last[dir] != 0
	}
	return p
}

// Follow tells where the protocol keeps the state of the connection while it goes on,
// and whose closing frame came first: State and ClosedBy are written at its end.
// limit may be nil.
func (c *Conn) Follow(state *State, closer *Side, limit TimeLimit) {
	a := c.active
	a.now, a.closer, a.limit = state, closer, limit
}

// A TimeLimit tells whether a connection is timed out when nothing more came until a time,
// in ns.
type TimeLimit interface{ TimedOut(end int64) bool }

// StateNow is how far the connection has come and who closed it, as far as is known
// now, in a run without end also from the clock: it may be timed out by silence alone,
// until a frame comes. State and ClosedBy say it once nothing can change it any more.
func (c *Conn) StateNow() (State, Side) {
	if a := c.active; a != nil && a.now != nil && a.limit != nil && a.limit.TimedOut(c.flow.table.heard()) {
		return TimedOut, NoSide
	}
	return c.stateSeen()
}

// stateSeen is StateNow by what was captured.
func (c *Conn) stateSeen() (State, Side) {
	a := c.active
	switch {
	case a == nil || a.now == nil:
		return c.State, c.ClosedBy
	case a.closer != nil && (*a.now == Closed || *a.now == Reset):
		return *a.now, *a.closer
	}
	return *a.now, NoSide
}

// Over reports whether the connection has ended: no frame is expected any more. It may
// turn out that it goes on.
func (c *Conn) Over() bool {
	state, _ := c.StateNow()
	return c.closed || state >= Closed
}

// Unanswered tells of a connection that goes on what was sent again and again without
// an answer: the frame that sent it first, and what is known of it; "" for nothing.
func (c *Conn) Unanswered() (frame uint64, text string) {
	for dir := range dissect.Dirs {
		if c.closed {
			break
		}
		if u, ok := c.Dir[dir].Unanswered(); ok {
			return u.Frame, c.sayUnanswered(&u)
		}
	}
	return 0, ""
}
