package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// learn notes a fact about a side.
func (c *conn) learn(dir dissect.Dir, x fact) {
	if f := &c.side[dir].facts; f.seen&x != x {
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
func (c *conn) dialects(dir dissect.Dir) hazel.DialectSet {
	own := c.side[dir].facts.can(c.family)
	if both := own & c.side[dir.Other()].facts.can(c.family); both != 0 {
		return both
	}
	return own
}

// possible gives the dialects a side may speak by all that it did so far. What a
// frame of it breaks it must break in all of them.
func (c *conn) possible(dir dissect.Dir) hazel.DialectSet {
	s := &c.side[dir]
	switch {
	case s.may != 0:
		return s.may
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
	return s.may
}

// knowFamily learns which types the connection uses.
func (c *conn) knowFamily() {
	if c.family != hazel.AnyDialect || c.forced != hazel.AnyDialect {
		return
	}
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

// learnAck learns from the length of an acknowledgement, as it was sent.
func (c *conn) learnAck(dir dissect.Dir) {
	f := &c.side[dir].facts
	before := f.long > f.short
	equal := f.long == f.short
	switch c.Frame.Length {
	case 3:
		f.short++
		c.side[0].ids.never, c.side[1].ids.never = true, true // SkeldJS came later
	case 4:
		f.long++
	}
	if f.long == f.short {
		c.relearn()
	}
	if equal || before != (f.long > f.short) {
		c.nameDialects()
	}
}

// learnTransmission learns from a datagram with an id.
func (c *conn) learnTransmission(dir dissect.Dir, n Number) {
	switch f := c.Packet; {
	case f.Type == hazel.Reliable:
	case f.Type == hazel.Ping:
		c.learn(dir, sentPing)
	case f.Type == hazel.Hello:
		c.learnHello(dir, n)
	case f.Type == hazel.MTUTest && !f.FillsMTU(c.Frame):
	case f.Dialect == hazel.Fork36:
		c.learn(dir, sentFork)
		c.side[dir].asm.fork.add(n.Engine)
	case f.Dialect == hazel.V01:
		c.learn(dir, sentV01)
		c.side[dir].asm.own.add(n.Engine)
	case f.Type == hazel.Fragment:
		c.learn(dir, sentSpec)
	}
	if c.Packet.Type == hazel.Ping {
		c.side[dir].asm.pings.add(n.Engine)
	}
}

func (c *conn) learnHello(dir dissect.Dir, n Number) {
	long := c.Frame.Length > 3
	switch {
	case c.opens(dir, n.Wire) && c.Packet.HasVersion && c.Packet.Version != 0:
		c.learn(dir, oddHello)
	case !c.opens(dir, n.Wire) && long && len(c.Packet.Data) == 0:
		c.learn(dir, beatHello)
	case !c.opens(dir, n.Wire) && !long:
		c.learn(dir, beatShort)
	case long:
		c.learn(dir, longHello)
	case c.family == hazel.AnyPage || c.family == hazel.AnyDialect:
		c.learn(dir, shortHello)
	}
	if c.opens(dir, n.Wire) && n.Wire == 0 {
		c.learn(dir, startedZero)
	}
}

// learnAcked learns from what a side acknowledges: only releases that know
// fragments and Pings do. n is a number of the other side.
func (c *conn) learnAcked(dir dissect.Dir, n seq.Num) {
	asm := &c.side[dir.Other()].asm
	switch {
	case asm.pings.has(n):
		c.learn(dir, ackedPing)
	case asm.own.has(n):
		c.learn(dir, ackedV01)
	case asm.fork.has(n):
		c.learn(dir, ackedFork)
	}
}
