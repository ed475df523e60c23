package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
)

// A fact is something a side did that only some dialects do.
type fact uint16

const (
	sentPing    fact = 1 << iota
	sentV01          // a fragment with the header of v0.1
	sentFork         // a fragment or an MTU test of fork36
	sentSpec         // a payload with the Fragmented flag and no header of a fragment
	ackedV01         // acknowledged a fragment of v0.1
	ackedFork        // … of fork36
	ackedPing        // acknowledged a Ping
	shortHello       // started with a Hello of type and id alone
	longHello        // started with a version byte
	beatHello        // kept alive with a Hello and a version byte
	beatShort        // kept alive with a Hello of type and id alone
	startedZero      // its first id was 0
	gaveReason       // a Disconnect with data
)

// facts are what was seen of one side.
type facts struct {
	seen        fact
	short, long uint32 // acknowledgements of 3 and of 4 bytes
}

func (f *facts) has(x fact) bool { return f.seen&x != 0 }

// pings reports a side that is of 2018-12 or later.
func (f *facts) pings() bool { return f.seen&(sentPing|sentFork|startedZero) != 0 || f.long > f.short }

// excludes is what facts say, the surest first; of facts that contradict each
// other the first counts.
var excludes = []struct {
	fact fact
	in   hazel.DialectSet
}{
	{sentFork, hazel.SetOf(hazel.Fork36)},
	{ackedFork, hazel.SetOf(hazel.Fork36)},
	{sentV01, hazel.SetOf(hazel.V01)},
	{ackedV01, hazel.SetOf(hazel.V01)},
	{sentPing, hazel.WithPing},
	{startedZero, hazel.SetOf(hazel.Current)},
	{shortHello, hazel.SetOf(hazel.Spec)},
	{sentSpec, hazel.SetOf(hazel.Spec)},
	{beatHello, hazel.SetOf(hazel.Spec, hazel.V01)},
	{beatShort, hazel.SetOf(hazel.Spec, hazel.V01)},
	{gaveReason, hazel.SetOf(hazel.Ack3, hazel.Current, hazel.Fork36)},
	{ackedPing, hazel.WithPing | hazel.SetOf(hazel.V01)},
}

// can gives the dialects that the facts allow. Fork36 is Current but for what it
// sends, so that it takes a fact of its own.
func (f *facts) can(family hazel.Dialect) hazel.DialectSet {
	if family == hazel.May14 || family == hazel.May30 {
		return hazel.SetOf(family)
	}
	set := hazel.PageTypes &^ hazel.SetOf(hazel.Fork36)
	narrow := func(in hazel.DialectSet) {
		if set&in != 0 {
			set &= in
		}
	}
	if f.seen&(sentFork|ackedFork) != 0 {
		set = hazel.SetOf(hazel.Fork36)
	}
	switch {
	case f.long > f.short:
		narrow(hazel.SetOf(hazel.Current))
	case f.short > f.long:
		narrow(hazel.ShortAcks)
	}
	for i := range excludes {
		if x := &excludes[i]; f.has(x.fact) {
			narrow(x.in)
		}
	}
	if f.seen&(beatShort|longHello) == beatShort|longHello {
		narrow(hazel.SetOf(hazel.V01)) // Hazel of 2018-11: the version byte was there at the start
	}
	return set
}

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

// disconnectFact is what a Disconnect tells: releases before 2019-06 send one
// byte.
func disconnectFact(f *hazel.Frame, fr *dissect.Frame) fact {
	if fr.Length > 1 && f.Type == hazel.Disconnect {
		return gaveReason
	}
	return 0
}
