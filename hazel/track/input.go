package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

func newConn(p *pair, fr *dissect.Frame) *conn {
	c, f := p.spare.Take(), p.flow
	c.wants, c.client, c.forced = f.Wants(), -1, p.forced
	c.c = f.Open(fr)
	c.c.Follow(&c.life.state, &c.life.closer, c.timedOut)
	c.c.Dialect = c.forced.String()
	switch c.forced {
	case hazel.AnyDialect:
	case hazel.May14, hazel.May30:
		c.family = c.forced
	default:
		c.family = hazel.AnyPage
	}
	for i := range c.side {
		c.c.Dir[i].SetLimits(limits)
		c.side[i].asm.conn, c.side[i].asm.dir = c, i
		c.side[i].packets.lowMemory = c.wants.LowMemory
		c.side[i].facts.peer = &c.side[1-i].facts
	}
	c.link = func(at seq.Position) {
		c.fr.Acks = append(c.fr.Acks, at.Frame)
		f.Acked(at, c.fr.Frame)
	}
	return c
}

// input tracks one decoded datagram.
func (c *conn) input(fr *dissect.Frame, f *hazel.Frame, err *dissect.Error) {
	c.fr, c.f, c.now = fr, f, fr.Frame
	dir := c.c.Count(fr)
	c.c.Malform(fr, err)
	may, judged := c.side[dir].may, false
	if may == 0 {
		may = c.headers().possible(dir)
	}
	switch {
	case c.finished: // too late to change anything
	case c.c.Damaged(fr.Datagram):
		c.count(dir, c.keepsAlive(dir, 0))
		c.side[dir].unread++
	case err != nil && !fr.Cut():
		c.malformed(dir)
		c.side[dir].unread++
		judged = c.secure == nil
	case c.secure != nil:
		c.secure.input(c, dir)
	case err != nil:
		c.count(dir, false)
		c.side[dir].unread++
	default:
		c.track(dir)
		judged = true
	}
	if judged {
		if !c.begun {
			c.sessions().judgeStart(dir)
		}
		c.headers().judgeHeader(dir, may)
		if err == nil && (c.life.byes[0]|c.life.byes[1]) != 0 {
			c.sessions().judgeAfterwards(dir)
		}
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
func (c *conn) malformed(dir int) {
	c.fr.Words |= c.c.Dir[dir].Unnumbered(c.sent.Of(c.fr.Datagram, 0, seq.Unmarked), true)
	b := c.fr.Payload
	if t := c.f.Type; (t == hazel.Reliable || t == hazel.Ping || t == hazel.Hello) && len(b) < 3 {
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
func (c *conn) track(dir int) {
	c.knowFamily()
	c.life.heard(dir)
	c.side[1-dir].tries.alone = 0
	s, out := &c.side[dir], &c.c.Dir[dir]
	switch c.f.Type {
	case hazel.None:
		c.unreliable(dir)
	case hazel.Acknowledgement:
		c.acknowledgement(dir)
	case hazel.Disconnect:
		c.fr.Words |= out.Unnumbered(c.sent.Of(c.fr.Datagram, 0, seq.Unmarked), false)
		c.learn(dir, disconnectFact(c.f, c.fr))
		c.disconnect(dir)
	default:
		if c.f.Code == 0x03 {
			c.learn(dir, sentFlags)
			s.flags = s.flags || c.forced == hazel.Spec || c.nearby(dir, c.f.ID)
		}
		if !c.f.HasID || c.f.Code == 0x03 && !s.flags {
			c.learn(dir, sentSpec)
			c.unreliable(dir)
			return
		}
		n, ok := s.ids.number(c.f.ID)
		if !ok {
			c.late(dir)
			return
		}
		c.numbered(dir, n)
	}
}

// nearby reports whether an id is one of the next of a side, or of the last: its first
// one is low.
func (c *conn) nearby(dir int, id uint16) bool {
	s := &c.side[dir].ids
	if _, ok := s.ids.Known(); !ok {
		return !c.c.Complete || id <= firstAnswers
	}
	return s.follows(id)
}

// late takes a datagram whose number was thought to be left out.
func (c *conn) late(dir int) {
	c.count(dir, false)
	if c.fr.Words |= c.c.Dir[dir].Unnumbered(c.sent.Of(c.fr.Datagram, 0, seq.Unmarked), true); !c.fr.Words.Has(dissect.Duplicate) && c.f.Type == hazel.Reliable {
		c.msg.Number = c.side[dir].ids.peek(c.f.ID)
		c.deliver(dir, true)
	}
}

// unreliable tracks data without a number: each datagram is a message, but for
// copies.
func (c *conn) unreliable(dir int) {
	c.count(dir, false)
	c.speaks(dir)
	words := c.c.Dir[dir].Unnumbered(c.sent.Of(c.fr.Datagram, 0, seq.Unmarked), false)
	if c.fr.Words |= words; words == 0 {
		c.deliver(dir, false)
	}
}

// numbered tracks a datagram with an id of its own.
func (c *conn) numbered(dir int, n number) {
	out, alive := &c.c.Dir[dir], c.keepsAlive(dir, n.wire)
	c.count(dir, alive)
	c.sent.Of(c.fr.Datagram, n.engine, seq.Unmarked)
	switch out.Place(&c.sent, c.fr.Datagram) {
	case seq.Provisional:
		c.c.SetAside(dir, &c.sent, c.fr)
		c.judgeRefuted(dir)
		return
	case seq.Confirmed:
		c.believe(dir)
	}
	c.believed(dir, n, alive)
	if out.Provisionals().HasRefuted() {
		c.judgeRefuted(dir)
	}
}

// believed tracks a datagram whose id stands in the series of its side.
func (c *conn) believed(dir int, n number, alive bool) {
	s, out := &c.side[dir], &c.c.Dir[dir]
	v := out.Send(&c.sent)
	s.ids.advance(n)
	c.fr.Words |= v.Words
	c.fr.Awaits = c.wants.Links && v.Novelty != seq.Forgotten
	if v.Words&(dissect.Retry|dissect.Duplicate) != 0 {
		c.fr.RetryOf = v.RetryOf
	}
	late := false
	if h := &c.side[1-dir].history; v.Words != 0 || h.any && n.engine <= h.num {
		late = h.any && v.Novelty == seq.First
		h.await(n.engine) // it may have been acknowledged before
	}
	c.learnSending(dir, n)
	c.try(dir, n.engine, v)
	c.deliveries().judgeSending(dir, n, v)
	if late {
		c.deliveries().judgeClaimed(dir, n.engine)
	}
	switch {
	case c.f.Type == hazel.Hello:
		c.sawHello(dir, n, v.Novelty == seq.First)
	case c.f.Type != hazel.Ping:
		c.speaks(dir)
	}
	if v.Novelty == seq.First && !alive {
		c.deliverNumbered(dir, n)
	}
}

// count enters a captured frame by what it is, copies and retries included.
func (c *conn) count(dir int, alive bool) {
	out := &c.c.Dir[dir]
	switch c.f.Type {
	case hazel.Acknowledgement:
		out.Acks++
	case hazel.None, hazel.Reliable, hazel.Fragment, hazel.FragmentStart:
		if !alive {
			out.DataFrames++
		}
	}
	if alive {
		out.KeepAlives++
		c.fr.Words |= dissect.KeepAlive
	}
}
