package track

import (
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// learn notes a fact about a side.
func (c *conn) learn(s *side, x fact) {
	if f := &s.facts; f.seen&x != x {
		f.seen |= x
		c.nameDialects()
	}
}

// nameDialects names the dialects that the facts leave: one for the connection,
// or, where the sides differ, one for each.
func (c *conn) nameDialects() {
	c.relearn()
	if c.forced != hazel.AnyDialect || c.secure != nil {
		return
	}
	a, b := c.side[0].facts.can(c.family), c.side[1].facts.can(c.family)
	c.c.Dialect, c.c.Dir[0].Dialect, c.c.Dir[1].Dialect = "", "", ""
	both := a & b
	d, sure := both.One()
	switch {
	case sure:
		c.c.Dialect = d.String()
	case both == 0:
		da, _ := a.One()
		db, _ := b.One()
		c.c.Dir[0].Dialect, c.c.Dir[1].Dialect = da.String(), db.String()
	}
	if both.Has(hazel.Spec) {
		both &^= hazel.SetOf(hazel.Ack3) // it shows by its Pings
	}
	if _, one := both.One(); one || c.family != hazel.AnyPage {
		both = 0
	}
	if c.left != both {
		c.left, c.c.Dialects = both, both.Names()
	}
}

// relearn forgets what is concluded from facts: they have changed.
func (c *conn) relearn() {
	for i := range c.side {
		c.side[i].may, c.side[i].reading = 0, hazel.AnyDialect
	}
}

// dialects gives those that a side may speak: those that the other side may speak, too,
// where there are any.
func (c *conn) dialects(s *side) hazel.DialectSet {
	own := s.facts.can(c.family)
	if both := own & s.peer.facts.can(c.family); both != 0 {
		return both
	}
	return own
}

// possible gives the dialects a side may speak by all that it did so far. What a
// frame of it breaks it must break in all of them.
func (c *conn) possible(s *side) hazel.DialectSet {
	if s.may == 0 {
		c.conclude(s)
	}
	return s.may
}

func (c *conn) conclude(s *side) {
	switch {
	case c.forced != hazel.AnyDialect:
		s.may = hazel.SetOf(c.forced)
	case c.family == hazel.AnyDialect:
		s.may = hazel.AllDialects
	default:
		s.may = s.facts.can(c.family)
	}
	if s.may.Has(hazel.Current) {
		s.may |= hazel.SetOf(hazel.Fork36) // which is Current but for what it adds
	}
}

// knowFamily learns which types the connection uses.
func (c *conn) knowFamily() {
	switch d := c.Packet.Dialect; {
	case c.Packet.Code <= 0x01: // these stand in several
	case d == hazel.May14 || d == hazel.May30:
		c.family = d
		c.nameDialects()
	default:
		c.family = hazel.AnyPage
		c.nameDialects()
	}
}

// dialectIDs are numbers of a side that only some releases acknowledge.
type dialectIDs struct{ pings, v01, fork recentNumbers }

func (s *side) specials() *dialectIDs {
	if s.special == nil {
		s.special = new(dialectIDs)
	}
	return s.special
}

// learnAck learns from the length of an acknowledgement, as it was sent.
func (c *conn) learnAck(s *side) {
	f := &s.facts
	before := f.long
	switch c.Frame.Length {
	case 3:
		f.long--
		c.side[0].ids.never, c.side[1].ids.never = true, true // SkeldJS came later
	case 4:
		f.long++
	}
	if before == 0 || f.long == 0 {
		c.nameDialects()
	}
}

// learnTransmission learns from a datagram with an id.
func (c *conn) learnTransmission(s *side, n Number) {
	switch f := c.Packet; {
	case f.Type == hazel.Reliable:
	case f.Type == hazel.Ping:
		c.learn(s, sentPing)
		s.specials().pings.add(n.Engine)
	case f.Type == hazel.Hello:
		c.learnHello(s, n)
	case f.Type == hazel.MTUTest && !f.FillsMTU(c.Frame):
	case f.Dialect == hazel.Fork36:
		c.learn(s, sentFork)
		s.specials().fork.add(n.Engine)
	case f.Dialect == hazel.V01:
		c.learn(s, sentV01)
		s.specials().v01.add(n.Engine)
	case f.Type == hazel.Fragment:
		c.learn(s, sentSpec)
	}
}

func (c *conn) learnHello(s *side, n Number) {
	long := c.Frame.Length > 3
	switch {
	case c.opens(s, n.Wire) && c.Packet.HasVersion && c.Packet.Version != 0:
		c.learn(s, oddHello)
	case !c.opens(s, n.Wire) && long && len(c.Packet.Data) == 0:
		c.learn(s, beatHello)
	case !c.opens(s, n.Wire) && !long:
		c.learn(s, beatShort)
	case long:
		c.learn(s, longHello)
	case c.family == hazel.AnyPage || c.family == hazel.AnyDialect:
		c.learn(s, shortHello)
	}
	if c.opens(s, n.Wire) && n.Wire == 0 {
		c.learn(s, startedZero)
	}
}

// learnAcked learns from what a side acknowledges: only releases that know
// fragments and Pings do. n is a number of the other side.
func (c *conn) learnAcked(s *side, n seq.Num) {
	switch x := s.peer.special; {
	case x == nil:
	case x.pings.has(n):
		c.learn(s, ackedPing)
	case x.v01.has(n):
		c.learn(s, ackedV01)
	case x.fork.has(n):
		c.learn(s, ackedFork)
	}
}
