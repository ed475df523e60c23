package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/conform"
)

// Sets of rules that most frames pass together, see Evaluation.PassSet.
const (
	passesData     = iota // types with Control clear
	passesControl         // types with Control set
	passesNone            // an unreliable packet with data
	passesReliable        // a reliable one with its ID
	passesAck             // an acknowledgement of the right length
	passesNext            // the next number
	passesAcked           // the first acknowledgement of a packet
)

var ruleSets = [][]int{
	passesData:     {rHdrEmpty, rHdrReservedHi, rHdrReserved4},
	passesControl:  {rHdrEmpty, rHdrReservedHi, rHdrCode},
	passesNone:     {rHdrEmpty, rHdrReservedHi, rHdrReserved4, rHdrUnrelEmpty},
	passesReliable: {rHdrEmpty, rHdrReservedHi, rHdrReserved4, rHdrRelid},
	passesAck:      {rHdrEmpty, rHdrReservedHi, rHdrCode, rHdrAcklen},
	passesNext:     {rRelIdSeq, rRelIdUnique, rHdrBigendian},
	passesAcked:    {rRelAckKnown, rRelAck, rRelAckSurplus},
}

const mays = 1<<hazel.May14 | 1<<hazel.May30 // dialects with types of their own

// possible gives the dialects a side may speak by all that it did so far. What a
// frame of it breaks it must break in all of them.
func (c headerJudge) possible(dir int) hazel.DialectSet {
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

// judgeHeader judges what one datagram shows alone. may is what its sender was
// known to speak before it.
func (c headerJudge) judgeHeader(dir int, may hazel.DialectSet) {
	fr, rules := c.fr, &c.c.Rules
	switch {
	case fr.Words.Has(dissect.Duplicate):
		return
	case fr.Length == 0:
		c.accuse(rules.Here(rHdrEmpty, "the datagram is empty"))
		return
	case len(fr.Payload) == 0: // cut
		return
	}
	switch code, n := fr.Payload[0], fr.Length; {
	case may&mays != 0:
		c.judgeOldType(dir, may, code)
	case c.f.Type == hazel.None && n > 1:
		rules.PassSet(passesNone)
		c.judgePayload(dir, may)
		return
	case c.f.Type == hazel.Reliable && n >= 3:
		rules.PassSet(passesReliable)
		c.judgePayload(dir, may)
		return
	case c.f.Type == hazel.Acknowledgement && (n == 3 && may&hazel.ShortAcks != 0 || n == 4 && !may.Within(mays|hazel.ShortAcks)):
		rules.PassSet(passesAck)
		return
	case code == 0x00 || code == 0x01:
		rules.PassSet(passesData)
	case code >= 0x08 && code <= 0x0A:
		rules.PassSet(passesControl)
	default:
		c.judgeType(dir, may, code)
	}
	c.judgeShape(dir, may)
}

// judgeOldType judges a first byte where the dialect may be one of 2016-05, which
// has values of its own.
func (c headerJudge) judgeOldType(dir int, may hazel.DialectSet, code byte) {
	rules := &c.c.Rules
	rules.Pass(rHdrEmpty)
	if code >= 0x10 && c.f.Type == hazel.Unknown && may&hazel.PageTypes != 0 {
		rules.Unclear(rHdrReservedHi, conform.GuardDial, fmt.Sprintf("Type is %02X", code))
	}
}

// judgeType judges a first byte of a dialect with the page's types, other than the
// plainest ones (Hazel page, Header Data).
func (c headerJudge) judgeType(dir int, may hazel.DialectSet, code byte) {
	rules := &c.c.Rules
	rules.Pass(rHdrEmpty)
	if !rules.Check(rHdrReservedHi, code < 0x10) {
		c.accuse(rules.Here(rHdrReservedHi, fmt.Sprintf("Type is %02X: reserved bits %02X are set", code, code&0xf0)))
		return // what the other bits of an unknown type mean is not known either
	}
	if code&0x08 == 0 {
		c.judgeFlags(dir, may, code)
		return
	}
	if control := code & 0x07; control > 2 {
		c.judgeCode(dir, may, control)
	} else {
		rules.Pass(rHdrCode)
	}
}

// judgeFlags judges a type with Control clear.
func (c headerJudge) judgeFlags(dir int, may hazel.DialectSet, code byte) {
	rules := &c.c.Rules
	if !rules.Check(rHdrReserved4, code&0x04 == 0) {
		c.accuse(rules.Here(rHdrReserved4, fmt.Sprintf("Type is %02X: Control is clear and reserved bit 4 is set", code)))
	}
	if code > 0x03 {
		return
	}
	switch legal := code == 0x02 && may.Has(hazel.V01); {
	case may.Has(hazel.Spec) && !legal:
	case !rules.Check(rHdrFragrel, legal):
		c.accuse(rules.Here(rHdrFragrel, fmt.Sprintf("Type is %02X, which does not exist in the dialect", code)))
	}
}

// judgeCode judges a control code that the page does not name. Fragment and Ping
// are known from later releases, so that they are at most an oddity where only
// the page is spoken; MTUTest is one of the fork.
func (c headerJudge) judgeCode(dir int, may hazel.DialectSet, code byte) {
	var legal hazel.DialectSet
	known := false
	switch code {
	case 3:
		legal, known = hazel.SetOf(hazel.V01, hazel.Fork36), may.Has(hazel.Spec)
	case 4:
		legal, known = hazel.WithPing, may&hazel.SetOf(hazel.Spec, hazel.V01) != 0
	case 5:
		if c.f.FillsMTU(c.fr) {
			legal = hazel.SetOf(hazel.Fork36)
		}
	}
	if code == 3 && c.f.Type == hazel.Unknown {
		legal &^= hazel.SetOf(hazel.Fork36) // it fits no layout
	}
	rules := &c.c.Rules
	if rules.Check(rHdrCode, may&legal != 0) {
		return
	}
	x := rules.Here(rHdrCode, fmt.Sprintf("the control code is %d", code))
	if known {
		x.AtMost = conform.Note
	}
	c.accuse(x)
}

// judgeShape judges the header behind the type.
func (c headerJudge) judgeShape(dir int, may hazel.DialectSet) {
	fr, f, rules := c.fr, c.f, &c.c.Rules
	switch f.Type {
	case hazel.None:
		if !rules.Check(rHdrUnrelEmpty, fr.Length > 1) {
			c.accuse(rules.Here(rHdrUnrelEmpty, "an unreliable packet without data"))
		}
		c.judgePayload(dir, may)
	case hazel.Reliable:
		if c.judgeID(dir) {
			c.judgePayload(dir, may)
		}
	case hazel.MTUTest:
		c.judgeID(dir)
	case hazel.Hello:
		if c.judgeID(dir) {
			c.judgeHello(dir, may)
		}
	case hazel.Ping:
		if may&hazel.WithPing != 0 && c.judgeID(dir) && !rules.Check(rHdrPinglen, fr.Length == 3 || !may.Within(hazel.WithPing)) {
			c.accuse(rules.Here(rHdrPinglen, fmt.Sprintf("a Ping of %d bytes, not 3", fr.Length)))
		}
	case hazel.Acknowledgement:
		c.judgeAckLength(dir, may)
	case hazel.Fragment, hazel.FragmentStart:
		c.judgeFragment(dir, may)
	}
}

// judgeID judges whether the two bytes of an ID are there.
func (c headerJudge) judgeID(dir int) bool {
	rules, there := &c.c.Rules, c.fr.Length >= 3
	if !rules.Check(rHdrRelid, there) {
		c.accuse(rules.Here(rHdrRelid, fmt.Sprintf("%s of %d bytes lacks the 2-byte ID", c.f.Type, c.fr.Length)))
	}
	return there
}

// judgeHello judges the length of a Hello: the version byte came in 2016-11, and
// keepalives of late 2018 left it out. At the start it shows later which of them
// the sender speaks.
func (c headerJudge) judgeHello(dir int, may hazel.DialectSet) {
	rules, bare := &c.c.Rules, mays|hazel.SetOf(hazel.Spec, hazel.V01)
	if rules.Check(rHdrHellolen, c.fr.Length > 3 || may.Within(bare)) {
		return
	}
	x := rules.Here(rHdrHellolen, "a Hello of 3 bytes has no version byte")
	if may&bare == 0 {
		c.accuse(x)
		return
	}
	rules.Hold(x, func() (conform.Ruling, conform.Guard) {
		if c.possible(dir)&bare != 0 {
			return conform.Passed, conform.GuardNone
		}
		return conform.Failed, conform.GuardNone
	})
}

// judgeAckLength judges the length of an acknowledgement. The one of other
// dialects than the sender's is an oddity.
func (c headerJudge) judgeAckLength(dir int, may hazel.DialectSet) {
	n, rules := c.fr.Length, &c.c.Rules
	short := mays | hazel.ShortAcks
	switch odd := n == 3 && may&short == 0 || n == 4 && may.Within(short); {
	case n != 3 && n != 4:
		c.accuse(rules.Here(rHdrAcklen, fmt.Sprintf("an acknowledgement of %d bytes", n)))
	case !rules.Check(rHdrAcklen, !odd):
		x := rules.Here(rHdrAcklen, fmt.Sprintf("an acknowledgement of %d bytes, a length that the sender's dialect does not use", n))
		x.AtMost = conform.Note
		c.accuse(x)
	}
}

// judgeFragment judges the header of a fragment: 7 bytes in v0.1; that of fork36
// begins with its ID. Of the page's two flags together an ID follows.
func (c headerJudge) judgeFragment(dir int, may hazel.DialectSet) {
	rules, n := &c.c.Rules, c.fr.Length
	switch code := c.f.Code; {
	case code == 0x03 || code == 0x0B && may.Within(hazel.SetOf(hazel.Current, hazel.Fork36)):
		c.judgeID(dir)
	case (code == 0x02 || code == 0x0B) && may.Within(hazel.SetOf(hazel.V01)):
		if !rules.Check(rHdrFraglayout, n >= hazel.FragmentHeader) {
			c.accuse(rules.Here(rHdrFraglayout, fmt.Sprintf("a fragment of %d bytes, whose header alone has %d", n, hazel.FragmentHeader)))
		}
	}
	if n >= hazel.FragmentHeader && (c.f.Dialect == hazel.V01 || c.f.Dialect == hazel.Fork36) {
		c.judgePlace(dir, may)
	}
}

// judgePlace judges count and index of a fragment (Hazel v0.1.2 Fragmented.cs;
// pull request 36).
func (c headerJudge) judgePlace(dir int, may hazel.DialectSet) {
	f, rules, wrong := c.f, &c.c.Rules, ""
	switch {
	case f.Dialect == hazel.Fork36 && f.Index >= f.Count:
		wrong = fmt.Sprintf("fragment index %d of %d", f.Index, f.Count)
	case f.Dialect == hazel.V01 && !may.Within(hazel.SetOf(hazel.V01)):
		return // it may be something else
	case f.Type == hazel.FragmentStart && f.Count == 0:
		wrong = "the fragment count is 0"
	case f.Dialect == hazel.V01 && f.Type == hazel.Fragment && f.Index == 0:
		wrong = "the index of a fragment after the first is 0"
	case f.Dialect == hazel.V01 && f.Type == hazel.Fragment:
		if count := c.side[dir].asm.count(f.MessageID); count > 0 && int(f.Index) >= count {
			wrong = fmt.Sprintf("fragment index %d of %d", f.Index, count)
		}
	}
	if !rules.Check(rHdrFragCount, wrong == "") {
		c.accuse(rules.Here(rHdrFragCount, wrong))
	}
}

// count gives the number of parts of a message that is being assembled, 0 when it is
// not known.
func (a *assembler) count(key uint16) int {
	for _, m := range a.open {
		if m.key == key {
			return m.count
		}
	}
	return 0
}

// accuse judges a case against the frame at hand, unless that is a copy of one judged
// before (guard DUP).
func (c headerJudge) accuse(x conform.Case) {
	if !c.fr.Words.Has(dissect.Duplicate) {
		c.c.Rules.Judge(x)
	}
}
