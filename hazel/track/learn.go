package track

import "github.com/dpdissect/dpdissect/hazel"

// learn notes a fact about a side.
func (c *conn) learn(dir int, x fact) {
	if f := &c.side[dir].facts; f.seen&x != x {
		f.seen |= x
		c.nameDialects()
	}
}

// nameDialects names the dialects that the facts leave: one for the connection,
// or, where the sides differ, one for each.
func (c *conn) nameDialects() {
	c.side[0].may, c.side[1].may = 0, 0
	if c.forced != hazel.AnyDialect || c.secure != nil {
		return
	}
	a, b := c.side[0].facts.can(c.family), c.side[1].facts.can(c.family)
	da, aSure := a.One()
	db, bSure := b.One()
	c.c.Dialect, c.c.Dir[0].Dialect, c.c.Dir[1].Dialect = "", "", ""
	switch {
	case aSure && b.Has(da):
		c.c.Dialect = da.String()
	case bSure && a.Has(db):
		c.c.Dialect = db.String()
	default:
		c.c.Dir[0].Dialect, c.c.Dir[1].Dialect = da.String(), db.String()
	}
}

// knowFamily learns which types the connection uses.
func (c *conn) knowFamily() {
	if c.family != hazel.AnyDialect || c.forced != hazel.AnyDialect {
		return
	}
	switch d := c.f.Dialect; {
	case c.f.Code <= 0x01: // these stand in several
	case d == hazel.May14 || d == hazel.May30:
		c.family = d
		c.nameDialects()
	default:
		c.family = hazel.AnyPage
		c.side[0].may, c.side[1].may = 0, 0
	}
}

// learnAck learns from the length of an acknowledgement, as it was sent.
func (c *conn) learnAck(dir int) {
	f := &c.side[dir].facts
	before := f.long > f.short
	equal := f.long == f.short
	switch c.fr.Length {
	case 3:
		f.short++
		c.side[0].ids.never, c.side[1].ids.never = true, true // SkeldJS came later
	case 4:
		f.long++
	}
	if f.long == f.short {
		c.side[dir].may = 0
	}
	if equal || before != (f.long > f.short) {
		c.nameDialects()
	}
}

// learnSending learns from a datagram with an id.
func (c *conn) learnSending(dir int, n number) {
	switch f := c.f; {
	case f.Type == hazel.Reliable:
	case f.Type == hazel.Ping:
		c.learn(dir, sentPing)
	case f.Type == hazel.Hello:
		c.learnHello(dir, n)
	case f.Type == hazel.MTUTest && !f.FillsMTU(c.fr):
	case f.Dialect == hazel.Fork36:
		c.learn(dir, sentFork)
		c.side[dir].asm.fork.add(n.engine)
	case f.Dialect == hazel.V01:
		c.learn(dir, sentV01)
		c.side[dir].asm.own.add(n.engine)
	case f.Type == hazel.Fragment:
		c.learn(dir, sentSpec)
	}
	if c.f.Type == hazel.Ping {
		c.side[dir].asm.pings.add(n.engine)
	}
}

func (c *conn) learnHello(dir int, n number) {
	long := c.fr.Length > 3
	switch {
	case !c.opens(dir, n.wire) && long && len(c.f.Data) == 0:
		c.learn(dir, beatHello)
	case !c.opens(dir, n.wire) && !long:
		c.learn(dir, beatShort)
	case long:
		c.learn(dir, longHello)
	case c.family == hazel.AnyPage || c.family == hazel.AnyDialect:
		c.learn(dir, shortHello)
	}
	if c.opens(dir, n.wire) && n.wire == 0 {
		c.learn(dir, startedZero)
	}
}

// learnAcked learns from what a side acknowledges: only releases that know
// fragments and Pings do. n is a number of the other side.
func (c *conn) learnAcked(dir int, n int64) {
	asm := &c.side[1-dir].asm
	switch {
	case asm.pings.has(n):
		c.learn(dir, ackedPing)
	case asm.own.has(n):
		c.learn(dir, ackedV01)
	case asm.fork.has(n):
		c.learn(dir, ackedFork)
	}
}
