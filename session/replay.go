package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// SetAside says of the frame at hand, whose number is provisional (seq.Direction.Place), whether
// it is a copy, and whether an acknowledgement of it may come.
func (c *Conn) SetAside(dir dissect.Dir, s *seq.Sending, fr *dissect.Frame) {
	out := &c.Dir[dir]
	fr.Words |= out.Unnumbered(s, true)
	fr.Awaits = c.links() && out.Provisionals().Has(fr.Datagram)
}

// links reports whether it is to be told which frame acknowledges which.
func (c *Conn) links() bool { return c.flow != nil && c.flow.table.cfg.Links }

// Believe hands the provisional frames of a side that are confirmed to track, oldest
// first, each as the frame at hand: the connection's rules judge it until the one that
// really is comes back. They were counted when they came. What is said of gaps before
// them is told at the frame that confirms them.
func (c *Conn) Believe(dir dissect.Dir, at *dissect.Frame, track func(fr *dissect.Frame)) {
	c.Replay(dir, at, c.Dir[dir].Provisionals().TakeConfirmed(), track)
}

// Replay is Believe for frames of a side that the tracker itself kept aside, and said of them
// that they await an acknowledgement. at is nil when no frame is at hand.
func (c *Conn) Replay(dir dissect.Dir, at *dissect.Frame, kept []*dissect.Datagram, track func(fr *dissect.Frame)) {
	doubt := c.Rules.doubt
	c.recount(at)
	for _, d := range kept {
		fr := &dissect.Frame{Datagram: d, Protocol: c.Protocol.Name, Connection: -1, Direction: 'a' + byte(dir)}
		c.setFrame(fr, dir)
		c.Rules.doubt = conform.GuardNone
		track(fr)
		if c.links() && !fr.Awaits {
			c.flow.Acked(seq.Position{Frame: d.Frame, Part: d.Part}, 0)
		}
		c.recount(fr)
		if at != nil {
			at.Words |= fr.Words & dissect.Gap
		}
	}
	c.Rules.doubt = doubt
	if at != nil {
		dir = c.DirOf(at.Datagram)
	}
	c.setFrame(at, dir)
}

// recount tells a sink that follows counters which frame is behind what was counted since
// it was told last.
func (c *Conn) recount(fr *dissect.Frame) {
	if fr == nil || c.flow == nil {
		return
	}
	if r, ok := c.flow.table.cfg.Sink.(Recounter); ok {
		r.Recount(fr, c)
	}
}

// setFrame makes a frame the one at hand.
func (c *Conn) setFrame(fr *dissect.Frame, dir dissect.Dir) {
	c.active.fr, c.Rules.dir, c.quality.dir = fr, dir, dir
}

// JudgeRefuted judges provisional frames of a side that turned out to be out of place, as
// seq.Provisionals.Refuted gives them: describe fills in the rule and the message, or what
// stands against it.
func (c *Conn) JudgeRefuted(dir dissect.Dir, frames []seq.ProvisionalFrame, describe func(p *seq.ProvisionalFrame, x *conform.Case)) {
	for _, p := range frames {
		x := conform.Case{Dir: dir, Frame: p.Frame, Time: p.Time, HasTime: p.HasTime, Proof: []uint64{p.By}}
		if p.By == 0 {
			x.Blocked = conform.GuardUnwrap // nothing shows that its side went on before it
		}
		describe(&p, &x)
		c.Rules.Judge(x)
	}
}
