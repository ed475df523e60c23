package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
)

// A fact is something a side did that only some dialects do.
type fact uint32

const (
	sentPing    fact = 1 << iota
	sentV01          // a fragment with the header of v0.1
	sentFork         // a fragment or an MTU test of fork36
	sentFlags        // a payload with both flags of the page, Fragmented and Reliable
	sentSpec         // a payload with the Fragmented flag and no header of a fragment
	ackedV01         // acknowledged a fragment of v0.1
	ackedFork        // … of fork36
	ackedPing        // acknowledged a Ping
	shortHello       // started with a Hello of type and id alone
	longHello        // started with a version byte
	oddHello         // started with a Hello whose fourth byte is not 0
	beatHello        // kept alive with a Hello and a version byte
	beatShort        // kept alive with a Hello of type and id alone
	beatEmpty        // kept alive with a Reliable without data
	startedZero      // its first id was 0
	gaveReason       // a Disconnect with data
)

// pageMarks are facts that no release of the library has.
const pageMarks = sentFlags | shortHello | oddHello

// facts are what was seen of one side.
type facts struct {
	seen fact
	long int32  // acknowledgements of 4 bytes, less those of 3
	peer *facts // of the other side
}

func (f *facts) has(x fact) bool { return f.seen&x != 0 }

// pings reports a side that is of 2018-12 or later.
func (f *facts) pings() bool {
	return f.seen&(sentPing|sentFork) != 0 || f.long > 0 || f.has(startedZero) && !f.page() && f.peer.long >= 0
}

// page reports what only the page allows where the first id is 0: a Hello or flags that no
// release sends, or acknowledgements as they were before 2020.
func (f *facts) page() bool { return f.has(pageMarks) || f.long < 0 }

// excludes is what facts say, the surest first; of facts that contradict each
// other the first counts.
var excludes = []struct {
	fact fact
	in   hazel.DialectSet
}{
	{sentFork, hazel.SetOf(hazel.Fork36)},
	{ackedFork, hazel.SetOf(hazel.Fork36)},
	{sentFlags, hazel.SetOf(hazel.Spec)},
	{sentV01, hazel.SetOf(hazel.V01)},
	{ackedV01, hazel.SetOf(hazel.V01)},
	{sentPing, hazel.WithPing},
	{shortHello, hazel.SetOf(hazel.Spec)},
	{oddHello, hazel.SetOf(hazel.Spec)},
	{sentSpec, hazel.SetOf(hazel.Spec)},
	{beatHello, hazel.SetOf(hazel.Spec, hazel.V01)},
	{beatShort, hazel.SetOf(hazel.Spec, hazel.V01)},
	{beatEmpty, hazel.SetOf(hazel.Spec, hazel.V01)},
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
	case f.long > 0:
		narrow(hazel.SetOf(hazel.Current))
	case f.long < 0:
		narrow(hazel.ShortAcks)
	}
	for i := range excludes {
		if x := &excludes[i]; f.has(x.fact) {
			narrow(x.in)
		}
	}
	if f.has(startedZero) { // of 2023, or of the page, which leaves it open
		switch {
		case f.page() && set.Has(hazel.Spec):
			set = hazel.SetOf(hazel.Spec)
		case f.peer.long < 0: // which may be older than this side
			narrow(hazel.SetOf(hazel.Spec, hazel.Current))
		default:
			narrow(hazel.SetOf(hazel.Current))
		}
	}
	if f.seen&(beatShort|longHello) == beatShort|longHello {
		narrow(hazel.SetOf(hazel.V01)) // Hazel of 2018-11: the version byte was there at the start
	}
	return set
}

// disconnectFact is what a Disconnect tells: releases before 2019-06 send one
// byte.
func disconnectFact(f *hazel.Frame, fr *dissect.Frame) fact {
	if fr.Length > 1 && f.Type == hazel.Disconnect {
		return gaveReason
	}
	return 0
}
