package filter

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// class is the type of a field in a filter.
type class uint8

const (
	classPresence class = iota // there or not there
	classBool
	classUint
	classInt       // element of a list of ids
	classTime      // nanoseconds since 1970
	classTimeOfDay // nanoseconds since midnight before the first packet
	classSeconds   // nanoseconds, written as seconds
	classBytes
	classText
	classAddress
)

var classNames = [...]string{
	"presence", "true or false", "number", "number", "time", "time", "seconds", "bytes", "text", "address",
}

func (c class) String() string { return classNames[c] }

// phrases complete "tp.seq is …".
var phrases = [...]string{
	"a group", "a flag", "a number", "a list of numbers", "a time", "a time", "a number of seconds", "bytes", "text", "an address",
}

func (o *operand) phrase() string { return phrases[o.class] }

// An address is an IP address, IPv4-mapped when it is IPv4, as two numbers.
type address struct{ high, low uint64 }

func makeAddress(b *[16]byte) address {
	return address{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

func compareAddresses(a, b address) int {
	if a.high != b.high {
		return cmp.Compare(a.high, b.high)
	}
	return cmp.Compare(a.low, b.low)
}

// kind is what the compiler does with operands of one Go type.
type kind interface {
	present(o *operand) test
	count(o *operand) source[uint64]
	constant(c *compiler, op relop, m mode, o *operand, a *atom) test
	member(c *compiler, x *membership, o *operand) test
	pair(op relop, m mode, a, b *operand) test
}

// kinds are the Go types of the classes.
var kinds = [...]kind{
	classBool:      uintKit(parseBool),
	classUint:      uintKit(parseUint),
	classInt:       intKit(parseInt),
	classTime:      intKit(parseTime),
	classTimeOfDay: intKit(parseTimeOfDay),
	classSeconds:   intKit(parseSpan),
	classBytes:     kit[[]byte]{func(o *operand) source[[]byte] { return o.bytes }, bytes.Compare, parseBytes},
	classText:      kit[string]{func(o *operand) source[string] { return o.texts }, cmp.Compare[string], parseText},
	classAddress:   kit[address]{func(o *operand) source[address] { return o.addresses }, compareAddresses, parseAddress},
}

func uintSource(o *operand) source[uint64] { return o.uints }

func uintKit(parse reader[uint64]) kit[uint64] {
	return kit[uint64]{uintSource, cmp.Compare[uint64], parse}
}

func intKit(parse reader[int64]) kit[int64] {
	return kit[int64]{func(o *operand) source[int64] { return o.ints }, cmp.Compare[int64], parse}
}

// A reader reads a constant as a value of an operand's notation; what it can't
// read it explains.
type reader[V any] func(n *notation, a *atom) (c interval[V], problem string)

// A kit implements kind for one Go type.
type kit[V any] struct {
	source  func(o *operand) source[V]
	compare func(a, b V) int
	parse   reader[V]
}

func (k kit[V]) present(o *operand) test         { return exists(k.source(o)) }
func (k kit[V]) count(o *operand) source[uint64] { return counted(k.source(o)) }

func (k kit[V]) constant(c *compiler, op relop, m mode, o *operand, a *atom) test {
	v, problem := k.parse(&o.notation, a)
	if problem != "" {
		c.Fail(a.At, "%s", problem)
		return nil
	}
	if op > opNe && k.compare(v.lo, v.hi) != 0 {
		c.Fail(a.At, "a subnet can only be tested with ==, != and in")
	}
	return k.quantified(m, o, holds(op, k.compare, v))
}

func (k kit[V]) member(c *compiler, x *membership, o *operand) test {
	set := make([]interval[V], 0, len(x.items))
	for _, it := range x.items {
		v, problem := k.parse(&o.notation, it.lo)
		at := it.lo.At
		if it.hi != nil && problem == "" {
			var hi interval[V]
			at = it.hi.At
			hi, problem = k.parse(&o.notation, it.hi)
			v.hi = hi.hi
		}
		if problem != "" {
			c.Fail(at, "%s", problem)
			return nil
		}
		if k.compare(v.lo, v.hi) > 0 {
			c.Fail(it.lo.At.To(at), "this range runs backwards")
		}
		set = append(set, v)
	}
	return k.quantified(memberMode(x), o, within(k.compare, set, !x.not))
}

// memberMode: in wants any value in the set, not in all of them outside.
func memberMode(x *membership) mode {
	switch {
	case x.mode != modeDefault:
		return x.mode
	case x.not:
		return modeAll
	}
	return modeAny
}

func (k kit[V]) pair(op relop, m mode, a, b *operand) test {
	return quantifiedPairs(m, k.source(a), k.source(b), relates(op, k.compare))
}
