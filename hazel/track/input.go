package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

func newConn(p *pair, fr *dissect.Frame) *conn {
	c, f := p.spare.Take(), p.flow
	c.Event = p.event
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
		s, peer := &c.side[i], &c.side[i.Other()]
		s.out, s.peer, s.dir = &c.c.Dir[i], peer, i
		s.out.SetLimits(limits)
		s.asm.conn, s.asm.side = c, s
		s.facts.peer = &peer.facts
	}
	if p.judge != nil {
		c.judge = p.judge()
		c.judge.Follow(View{c}, c.Event)
	}
	return c
}

// link notes that the frame at hand acknowledges another one.
func (c *conn) link(at seq.Position) {
	c.Frame.Acks = append(c.Frame.Acks, at.Frame)
	c.flow.Acked(at, c.Frame.Frame)
}

// input tracks one decoded datagram of a side.
func (c *conn) input(s *side, fr *dissect.Frame, f *hazel.Frame, err *dissect.Error) {
	c.begin(fr, f, fr.Frame)
	c.c.Malform(fr, err)
	c.May = c.possible(s)
	switch {
	case c.finished:
		return // too late to change anything
	case s.out.Damaged(fr.Datagram):
		c.count(s, c.keepsAlive(s, 0))
		c.Parts = Unread
	case err != nil && !fr.Cut():
		c.malformed(s)
		c.Parts = Unread
		if c.secure == nil {
			c.Parts |= Plain
		}
	case c.secure != nil:
		c.secure.input(c, s.dir)
	case err != nil:
		c.count(s, false)
		c.Parts = Unread
	default:
		c.track(s)
		c.Parts |= Plain
	}
	c.tell(s)
	if s.out.Provisionals().HasRefuted() {
		c.refuted(s)
	}
	if fr.HasTime {
		s.lastSent = fr.Time
		if f.Type != hazel.Acknowledgement {
			s.spokeAt = fr.Time
		}
	}
}

// malformed remembers the id that a receiver reads out of a datagram that is too
// short for one: its buffer is filled with zeros, and it acknowledges that.
func (c *conn) malformed(s *side) {
	c.Frame.Words |= s.out.Unnumbered(c.Sent.Of(c.Frame.Datagram, 0, seq.Unmarked), true)
	b := c.Frame.Payload
	if t := c.Packet.Type; (t == hazel.Reliable || t == hazel.Ping || t == hazel.Hello) && len(b) < 3 {
		id := uint16(0)
		if len(b) == 2 {
			id = uint16(b[1]) << 8
		}
		s.junk.add(id)
	}
}

// track turns a datagram of a plain connection into facts. Payloads with the
// Fragmented flag of 2016 have no number; the page gives 03 one, and what stands
// there is taken for one when it follows the ids before it.
func (c *conn) track(s *side) {
	if c.family == hazel.AnyDialect {
		c.knowFamily()
	}
	c.life.heard(s.dir)
	s.peer.tries.alone = 0
	switch c.Packet.Type {
	case hazel.None:
		c.unreliable(s)
	case hazel.Acknowledgement:
		c.acknowledgement(s)
	case hazel.Disconnect:
		c.Frame.Words |= s.out.Unnumbered(c.Sent.Of(c.Frame.Datagram, 0, seq.Unmarked), false)
		c.learn(s, disconnectFact(c.Packet, c.Frame))
		c.disconnect(s)
	default:
		if c.Packet.Code == 0x03 {
			c.learn(s, sentFlags)
			s.flags = s.flags || c.forced == hazel.Spec || c.nearby(s, c.Packet.ID)
		}
		if !c.Packet.HasID || c.Packet.Code == 0x03 && !s.flags {
			c.learn(s, sentSpec)
			c.unreliable(s)
			return
		}
		n, ok := s.ids.number(c.Packet.ID)
		if !ok {
			c.late(s)
			return
		}
		c.numbered(s, n)
	}
}

// nearby reports whether an id is one of the next of a side, or of the last: its first
// one is low.
func (c *conn) nearby(s *side, id uint16) bool {
	if _, ok := s.ids.ids.Known(); !ok {
		return !c.c.Complete || id <= firstAnswers
	}
	return s.ids.follows(id)
}

// late takes a datagram whose number was thought to be left out.
func (c *conn) late(s *side) {
	c.count(s, false)
	if c.Frame.Words |= s.out.Unnumbered(c.Sent.Of(c.Frame.Datagram, 0, seq.Unmarked), true); !c.Frame.Words.Has(dissect.Duplicate) && c.Packet.Type == hazel.Reliable {
		c.msg.Number = s.ids.peek(c.Packet.ID)
		c.deliver(s, true)
	}
}

// unreliable tracks data without a number: each datagram is a message, but for
// copies.
func (c *conn) unreliable(s *side) {
	c.count(s, false)
	c.speaks(s)
	words := s.out.Unnumbered(c.Sent.Of(c.Frame.Datagram, 0, seq.Unmarked), false)
	if c.Frame.Words |= words; words == 0 {
		c.deliver(s, false)
	}
}

// numbered tracks a datagram with an id of its own.
func (c *conn) numbered(s *side, n Number) {
	alive := c.keepsAlive(s, n.Wire)
	c.count(s, alive)
	c.Sent.Of(c.Frame.Datagram, n.Engine, seq.Unmarked)
	if !s.out.IsNext(n.Engine) {
		switch s.out.Place(&c.Sent, c.Frame.Datagram) {
		case seq.Provisional:
			c.c.SetAside(s.dir, &c.Sent, c.Frame)
			return
		case seq.Confirmed:
			c.believe(s)
		}
	}
	c.believed(s, n, alive)
}

// believed tracks a datagram whose id stands in the series of its side.
func (c *conn) believed(s *side, n Number, alive bool) {
	v := s.out.Send(&c.Sent)
	s.ids.advance(n)
	c.Frame.Words |= v.Words
	c.Frame.Awaits = c.wants.Links && v.Novelty != seq.Forgotten
	if v.Words&(dissect.Retry|dissect.Duplicate) != 0 {
		c.Frame.RetryOf = v.RetryOf
	}
	c.Late = false
	if h := &s.peer.history; v.Words != 0 || h.Any && n.Engine <= h.Num {
		c.Late = h.Any && v.Novelty == seq.First
		h.await(n.Engine) // it may have been acknowledged before
	}
	c.learnTransmission(s, n)
	c.try(s, n.Engine, v)
	c.noteTransmission(s, n, v)
	switch {
	case c.Packet.Type == hazel.Hello:
		c.sawHello(s, n)
	case c.Packet.Type != hazel.Ping:
		c.speaks(s)
	}
	if v.Novelty == seq.First && !alive {
		c.deliverNumbered(s, n)
	}
}

// count enters a captured frame by what it is, copies and retries included.
func (c *conn) count(s *side, alive bool) {
	switch c.Packet.Type {
	case hazel.Acknowledgement:
		s.out.Acks++
	case hazel.None, hazel.Reliable, hazel.Fragment, hazel.FragmentStart:
		if !alive {
			s.out.DataFrames++
		}
	}
	if alive {
		s.out.KeepAlives++
		c.Frame.Words |= dissect.KeepAlive
	}
}
