package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

func newConn(p *pair, fr *dissect.Frame) *conn {
	c, f := p.spare.Take(), p.flow
	c.flow, c.wants, c.client, c.forced = f, f.Wants(), -1, p.forced
	c.c = f.Open(fr)
	c.c.Follow(&c.life.state, &c.life.closer, c)
	c.c.Dialect = c.forced.String()
	switch c.forced {
	case hazel.AnyDialect:
	case hazel.May14, hazel.May30:
		c.family = c.forced
	default:
		c.family = hazel.AnyPage
	}
	for i := range dissect.Dirs {
		c.c.Dir[i].SetLimits(limits)
		c.side[i].asm.conn, c.side[i].asm.dir = c, i
		c.side[i].records.lowMemory = c.wants.LowMemory
		c.side[i].facts.peer = &c.side[i.Other()].facts
	}
	if p.judge != nil {
		c.judge = p.judge()
		c.judge.Follow(View{c})
	}
	return c
}

// link notes that the frame at hand acknowledges another one.
func (c *conn) link(at seq.Position) {
	c.Frame.Acks = append(c.Frame.Acks, at.Frame)
	c.flow.Acked(at, c.Frame.Frame)
}

// input tracks one decoded datagram of side dir.
func (c *conn) input(dir dissect.Dir, fr *dissect.Frame, f *hazel.Frame, err *dissect.Error) {
	c.begin(fr, f, fr.Frame)
	c.c.Malform(fr, err)
	c.May = c.possible(dir)
	switch {
	case c.finished: // too late to change anything
	case c.c.Damaged(fr.Datagram):
		c.count(dir, c.keepsAlive(dir, 0))
		c.Parts = Unread
	case err != nil && !fr.Cut():
		c.malformed(dir)
		c.Parts = Unread
		if c.secure == nil {
			c.Parts |= Plain
		}
	case c.secure != nil:
		c.secure.input(c, dir)
	case err != nil:
		c.count(dir, false)
		c.Parts = Unread
	default:
		c.track(dir)
		c.Parts |= Plain
	}
	c.tell(dir)
	if c.c.Dir[dir].Provisionals().HasRefuted() {
		c.refuted(dir)
	}
	if fr.HasTime {
		c.side[dir].lastSent = fr.Time
		if f.Type != hazel.Acknowledgement {
			c.side[dir].spokeAt = fr.Time
		}
	}
}

// malformed remembers the id that a receiver reads out of a datagram that is too
// short for one: its buffer is filled with zeros, and it acknowledges that.
func (c *conn) malformed(dir dissect.Dir) {
	c.Frame.Words |= c.c.Dir[dir].Unnumbered(c.Sent.Of(c.Frame.Datagram, 0, seq.Unmarked), true)
	b := c.Frame.Payload
	if t := c.Packet.Type; (t == hazel.Reliable || t == hazel.Ping || t == hazel.Hello) && len(b) < 3 {
		id := uint16(0)
		if len(b) == 2 {
			id = uint16(b[1]) << 8
		}
		c.side[dir].junk.add(id)
	}
}

// track turns a datagram of a plain connection into facts. Payloads with the
// Fragmented flag of 2016 have no number; the page gives 03 one, and what stands
// there is taken for one when it follows the ids before it.
func (c *conn) track(dir dissect.Dir) {
	c.knowFamily()
	c.life.heard(dir)
	c.side[dir.Other()].tries.alone = 0
	s, out := &c.side[dir], &c.c.Dir[dir]
	switch c.Packet.Type {
	case hazel.None:
		c.unreliable(dir)
	case hazel.Acknowledgement:
		c.acknowledgement(dir)
	case hazel.Disconnect:
		c.Frame.Words |= out.Unnumbered(c.Sent.Of(c.Frame.Datagram, 0, seq.Unmarked), false)
		c.learn(dir, disconnectFact(c.Packet, c.Frame))
		c.disconnect(dir)
	default:
		if c.Packet.Code == 0x03 {
			c.learn(dir, sentFlags)
			s.flags = s.flags || c.forced == hazel.Spec || c.nearby(dir, c.Packet.ID)
		}
		if !c.Packet.HasID || c.Packet.Code == 0x03 && !s.flags {
			c.learn(dir, sentSpec)
			c.unreliable(dir)
			return
		}
		n, ok := s.ids.number(c.Packet.ID)
		if !ok {
			c.late(dir)
			return
		}
		c.numbered(dir, n)
	}
}

// nearby reports whether an id is one of the next of a side, or of the last: its first
// one is low.
func (c *conn) nearby(dir dissect.Dir, id uint16) bool {
	s := &c.side[dir].ids
	if _, ok := s.ids.Known(); !ok {
		return !c.c.Complete || id <= firstAnswers
	}
	return s.follows(id)
}

// late takes a datagram whose number was thought to be left out.
func (c *conn) late(dir dissect.Dir) {
	c.count(dir, false)
	if c.Frame.Words |= c.c.Dir[dir].Unnumbered(c.Sent.Of(c.Frame.Datagram, 0, seq.Unmarked), true); !c.Frame.Words.Has(dissect.Duplicate) && c.Packet.Type == hazel.Reliable {
		c.msg.Number = c.side[dir].ids.peek(c.Packet.ID)
		c.deliver(dir, true)
	}
}

// unreliable tracks data without a number: each datagram is a message, but for
// copies.
func (c *conn) unreliable(dir dissect.Dir) {
	c.count(dir, false)
	c.speaks(dir)
	words := c.c.Dir[dir].Unnumbered(c.Sent.Of(c.Frame.Datagram, 0, seq.Unmarked), false)
	if c.Frame.Words |= words; words == 0 {
		c.deliver(dir, false)
	}
}

// numbered tracks a datagram with an id of its own.
func (c *conn) numbered(dir dissect.Dir, n Number) {
	out, alive := &c.c.Dir[dir], c.keepsAlive(dir, n.Wire)
	c.count(dir, alive)
	c.Sent.Of(c.Frame.Datagram, n.Engine, seq.Unmarked)
	switch out.Place(&c.Sent, c.Frame.Datagram) {
	case seq.Provisional:
		c.c.SetAside(dir, &c.Sent, c.Frame)
		return
	case seq.Confirmed:
		c.believe(dir)
	}
	c.believed(dir, n, alive)
}

// believed tracks a datagram whose id stands in the series of its side.
func (c *conn) believed(dir dissect.Dir, n Number, alive bool) {
	s, out := &c.side[dir], &c.c.Dir[dir]
	v := out.Send(&c.Sent)
	s.ids.advance(n)
	c.Frame.Words |= v.Words
	c.Frame.Awaits = c.wants.Links && v.Novelty != seq.Forgotten
	if v.Words&(dissect.Retry|dissect.Duplicate) != 0 {
		c.Frame.RetryOf = v.RetryOf
	}
	c.Late = false
	if h := &c.side[dir.Other()].history; v.Words != 0 || h.Any && n.Engine <= h.Num {
		c.Late = h.Any && v.Novelty == seq.First
		h.await(n.Engine) // it may have been acknowledged before
	}
	c.learnTransmission(dir, n)
	c.try(dir, n.Engine, v)
	c.noteTransmission(dir, n, v)
	switch {
	case c.Packet.Type == hazel.Hello:
		c.sawHello(dir, n)
	case c.Packet.Type != hazel.Ping:
		c.speaks(dir)
	}
	if v.Novelty == seq.First && !alive {
		c.deliverNumbered(dir, n)
	}
}

// count enters a captured frame by what it is, copies and retries included.
func (c *conn) count(dir dissect.Dir, alive bool) {
	out := &c.c.Dir[dir]
	switch c.Packet.Type {
	case hazel.Acknowledgement:
		out.Acks++
	case hazel.None, hazel.Reliable, hazel.Fragment, hazel.FragmentStart:
		if !alive {
			out.DataFrames++
		}
	}
	if alive {
		out.KeepAlives++
		c.Frame.Words |= dissect.KeepAlive
	}
}
