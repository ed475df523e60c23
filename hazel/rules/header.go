package rules

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

// judgeHeader judges what one datagram shows alone. may is what its sender was
// known to speak before it.
func (j *judge) judgeHeader(dir dissect.Dir, may hazel.DialectSet) {
	fr, rules := j.Frame, &j.c.Rules
	switch {
	case fr.Words.Has(dissect.Duplicate):
		return
	case fr.Length == 0:
		j.report(rules.Here(rHdrEmpty, "the datagram is empty"))
		return
	case len(fr.Payload) == 0: // cut
		return
	}
	switch code, n := fr.Payload[0], fr.Length; {
	case may&mays != 0:
		j.judgeOldType(dir, may, code)
	case j.Packet.Type == hazel.None && n > 1:
		rules.PassSet(passesNone)
		j.judgePayload(dir, may)
		return
	case j.Packet.Type == hazel.Reliable && n >= 3:
		rules.PassSet(passesReliable)
		j.judgePayload(dir, may)
		return
	case j.Packet.Type == hazel.Acknowledgement && (n == 3 && may&hazel.ShortAcks != 0 || n == 4 && !may.Within(mays|hazel.ShortAcks)):
		rules.PassSet(passesAck)
		return
	case code == 0x00 || code == 0x01:
		rules.PassSet(passesData)
	case code >= 0x08 && code <= 0x0A:
		rules.PassSet(passesControl)
	default:
		j.judgeType(dir, may, code)
	}
	j.judgeShape(dir, may)
}

// judgeOldType judges a first byte where the dialect may be one of 2016-05, which
// has values of its own.
func (j *judge) judgeOldType(dir dissect.Dir, may hazel.DialectSet, code byte) {
	rules := &j.c.Rules
	rules.Pass(rHdrEmpty)
	if code >= 0x10 && j.Packet.Type == hazel.Unknown && may&hazel.PageTypes != 0 {
		rules.Unclear(rHdrReservedHi, conform.GuardDial, fmt.Sprintf("Type is %02X", code))
	}
}

// judgeType judges a first byte of a dialect with the page's types, other than the
// plainest ones (Hazel page, Header Data).
func (j *judge) judgeType(dir dissect.Dir, may hazel.DialectSet, code byte) {
	rules := &j.c.Rules
	rules.Pass(rHdrEmpty)
	if !rules.Check(rHdrReservedHi, code < 0x10) {
		j.report(rules.Here(rHdrReservedHi, fmt.Sprintf("Type is %02X: reserved bits %02X are set", code, code&0xf0)))
		return // what the other bits of an unknown type mean is not known either
	}
	if code&0x08 == 0 {
		j.judgeFlags(dir, may, code)
		return
	}
	if control := code & 0x07; control > 2 {
		j.judgeCode(dir, may, control)
	} else {
		rules.Pass(rHdrCode)
	}
}

// judgeFlags judges a type with Control clear.
func (j *judge) judgeFlags(dir dissect.Dir, may hazel.DialectSet, code byte) {
	rules := &j.c.Rules
	if !rules.Check(rHdrReserved4, code&0x04 == 0) {
		j.report(rules.Here(rHdrReserved4, fmt.Sprintf("Type is %02X: Control is clear and reserved bit 4 is set", code)))
	}
	if code > 0x03 {
		return
	}
	switch legal := code == 0x02 && may.Has(hazel.V01); {
	case may.Has(hazel.Spec) && !legal:
	case !rules.Check(rHdrFragrel, legal):
		j.report(rules.Here(rHdrFragrel, fmt.Sprintf("Type is %02X, which does not exist in the dialect", code)))
	}
}

// judgeCode judges a control code that the page does not name. Fragment and Ping
// are known from later releases, so that they are at most an oddity where only
// the page is spoken; MTUTest is one of the fork.
func (j *judge) judgeCode(dir dissect.Dir, may hazel.DialectSet, code byte) {
	var legal hazel.DialectSet
	known := false
	switch code {
	case 3:
		legal, known = hazel.SetOf(hazel.V01, hazel.Fork36), may.Has(hazel.Spec)
	case 4:
		legal, known = hazel.WithPing, may&hazel.SetOf(hazel.Spec, hazel.V01) != 0
	case 5:
		if j.Packet.FillsMTU(j.Frame) {
			legal = hazel.SetOf(hazel.Fork36)
		}
	}
	if code == 3 && j.Packet.Type == hazel.Unknown {
		legal &^= hazel.SetOf(hazel.Fork36) // it fits no layout
	}
	rules := &j.c.Rules
	if rules.Check(rHdrCode, may&legal != 0) {
		return
	}
	x := rules.Here(rHdrCode, fmt.Sprintf("the control code is %d", code))
	if known {
		x.AtMost = conform.Note
	}
	j.report(x)
}

// judgeShape judges the header after the type.
func (j *judge) judgeShape(dir dissect.Dir, may hazel.DialectSet) {
	fr, f, rules := j.Frame, j.Packet, &j.c.Rules
	switch f.Type {
	case hazel.None:
		if !rules.Check(rHdrUnrelEmpty, fr.Length > 1) {
			j.report(rules.Here(rHdrUnrelEmpty, "an unreliable packet without data"))
		}
		j.judgePayload(dir, may)
	case hazel.Reliable:
		if j.hasID(dir) {
			j.judgePayload(dir, may)
		}
	case hazel.MTUTest:
		j.hasID(dir)
	case hazel.Hello:
		if j.hasID(dir) {
			j.judgeHello(dir, may)
		}
	case hazel.Ping:
		if may&hazel.WithPing != 0 && j.hasID(dir) && !rules.Check(rHdrPinglen, fr.Length == 3 || !may.Within(hazel.WithPing)) {
			j.report(rules.Here(rHdrPinglen, fmt.Sprintf("a Ping of %d bytes, not 3", fr.Length)))
		}
	case hazel.Acknowledgement:
		j.judgeAckLength(dir, may)
	case hazel.Fragment, hazel.FragmentStart:
		j.judgeFragment(dir, may)
	}
}

// hasID judges and tells whether the two bytes of an ID are there.
func (j *judge) hasID(dir dissect.Dir) bool {
	rules, there := &j.c.Rules, j.Frame.Length >= 3
	if !rules.Check(rHdrRelid, there) {
		j.report(rules.Here(rHdrRelid, fmt.Sprintf("%s of %d bytes lacks the 2-byte ID", j.Packet.Type, j.Frame.Length)))
	}
	return there
}

// judgeHello judges the length of a Hello: the version byte came in 2016-11, and
// keepalives of late 2018 left it out. At the start it shows later which of them
// the sender speaks.
func (j *judge) judgeHello(dir dissect.Dir, may hazel.DialectSet) {
	rules := &j.c.Rules
	if rules.Check(rHdrHellolen, j.Frame.Length > 3 || may.Within(bare)) {
		return
	}
	x := rules.Here(rHdrHellolen, "a Hello of 3 bytes has no version byte")
	if may&bare == 0 {
		j.report(x)
		return
	}
	rules.Hold(x, bareHello{j, dir})
}

// bare are the dialects whose Hellos may have 3 bytes.
const bare = mays | 1<<hazel.Spec | 1<<hazel.V01

// A bareHello has no version byte.
type bareHello struct {
	j   *judge
	dir dissect.Dir
}

// Settle implements session.Settler.
func (h bareHello) Settle() (conform.Ruling, conform.Guard) {
	if h.j.Possible(h.dir)&bare != 0 {
		return conform.Passed, conform.GuardNone
	}
	return conform.Failed, conform.GuardNone
}

// judgeAckLength judges the length of an acknowledgement. The one of other
// dialects than the sender's is an oddity.
func (j *judge) judgeAckLength(dir dissect.Dir, may hazel.DialectSet) {
	n, rules := j.Frame.Length, &j.c.Rules
	short := mays | hazel.ShortAcks
	switch odd := n == 3 && may&short == 0 || n == 4 && may.Within(short); {
	case n != 3 && n != 4:
		j.report(rules.Here(rHdrAcklen, fmt.Sprintf("an acknowledgement of %d bytes", n)))
	case !rules.Check(rHdrAcklen, !odd):
		x := rules.Here(rHdrAcklen, fmt.Sprintf("an acknowledgement of %d bytes, a length that the sender's dialect does not use", n))
		x.AtMost = conform.Note
		j.report(x)
	}
}

// judgeFragment judges the header of a fragment: 7 bytes in v0.1; that of fork36
// begins with its ID. Of the page's two flags together an ID follows.
func (j *judge) judgeFragment(dir dissect.Dir, may hazel.DialectSet) {
	rules, n := &j.c.Rules, j.Frame.Length
	switch code := j.Packet.Code; {
	case code == 0x03 || code == 0x0B && may.Within(hazel.SetOf(hazel.Current, hazel.Fork36)):
		j.hasID(dir)
	case (code == 0x02 || code == 0x0B) && may.Within(hazel.SetOf(hazel.V01)):
		if !rules.Check(rHdrFraglayout, n >= hazel.FragmentHeader) {
			j.report(rules.Here(rHdrFraglayout, fmt.Sprintf("a fragment of %d bytes, whose header alone has %d", n, hazel.FragmentHeader)))
		}
	}
	if n >= hazel.FragmentHeader && (j.Packet.Dialect == hazel.V01 || j.Packet.Dialect == hazel.Fork36) {
		j.judgePlace(dir, may)
	}
}

// judgePlace judges count and index of a fragment (Hazel v0.1.2 Fragmented.cs;
// pull request 36).
func (j *judge) judgePlace(dir dissect.Dir, may hazel.DialectSet) {
	f, rules, wrong := j.Packet, &j.c.Rules, ""
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
		if count := j.partsOf(dir, f.MessageID); count > 0 && int(f.Index) >= count {
			wrong = fmt.Sprintf("fragment index %d of %d", f.Index, count)
		}
	}
	if !rules.Check(rHdrFragCount, wrong == "") {
		j.report(rules.Here(rHdrFragCount, wrong))
	}
}

// report judges a case against the frame at hand, unless that is a copy of one judged
// before (guard DUP).
func (j *judge) report(x conform.Case) {
	if !j.Frame.Words.Has(dissect.Duplicate) {
		j.c.Rules.Judge(x)
	}
}
