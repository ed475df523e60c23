package filter

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/spell"
)

// functionNames are for messages.
var functionNames = []string{"len", "count", "lower", "upper", "string"}

// call compiles a function.
func (c *compiler) call(t *call) *operand {
	if a, constant := c.constant(t.arg); constant {
		c.Fail(a.At, "%s needs a field, but %s is a constant", t.fn, a.Text)
	}
	o := c.operand(t.arg)
	if c.Failed {
		return nil
	}
	r := &operand{notation: notation{name: t.fn + "(" + o.name + ")"}, at: t.at, computed: true, tree: o.tree, late: o.late}
	switch t.fn {
	case "len":
		c.length(r, o)
	case "count":
		c.count(r, o)
	case "lower":
		c.convert(r, o, strings.ToLower)
	case "upper":
		c.convert(r, o, strings.ToUpper)
	case "string":
		c.spelled(r, o)
	default:
		c.Fail(span{Start: t.at.Start, End: t.at.Start + len(t.fn)}, "unknown function %s%s", t.fn, spell.DidYouMean(t.fn, functionNames))
	}
	return r
}

// length is the number of bytes of each value.
func (c *compiler) length(r, o *operand) {
	r.class = classUint
	switch o.class {
	case classBytes:
		r.uints = mapped(o.bytes, func(b []byte) (uint64, bool) { return uint64(len(b)), true })
	case classText:
		r.uints = mapped(o.texts, func(s string) (uint64, bool) { return uint64(len(s)), true })
	default:
		c.Fail(o.at, "%s is %s, but len needs text or bytes", o.name, o.phrase())
	}
}

// count is the number of values, 0 for an absent field.
func (c *compiler) count(r, o *operand) {
	r.class = classUint
	switch {
	case o.class != classPresence:
		r.uints = kinds[o.class].count(o)
	case o.uints != nil:
		r.uints = counted(o.uints) // groups are counted by their nodes
	default:
		c.Fail(o.at, "%s has no values to count", o.name)
	}
}

// convert changes the case of text.
func (c *compiler) convert(r, o *operand, f func(string) string) {
	r.class = classText
	switch {
	case o.class == classText:
		r.texts = mapped(o.texts, func(s string) (string, bool) { return f(s), true })
	case o.plain:
		r.texts = mapped(o.bytes, func(b []byte) (string, bool) { return f(string(b)), true })
	default:
		c.Fail(o.at, "%s is %s, but lower and upper need text", o.name, o.phrase())
	}
}

// spelled is the text of a number or an address.
func (c *compiler) spelled(r, o *operand) {
	r.class = classText
	switch o.class {
	case classUint:
		r.texts = mapped(o.uints, func(v uint64) (string, bool) { return strconv.FormatUint(v, 10), true })
	case classInt:
		r.texts = mapped(o.ints, func(v int64) (string, bool) { return strconv.FormatInt(v, 10), true })
	case classAddress:
		r.texts = mapped(o.addresses, func(a address) (string, bool) { return a.String(), true })
	default:
		c.Fail(o.at, "%s is %s, but string needs a number or an address", o.name, o.phrase())
	}
}

// String is the usual notation.
func (a address) String() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], a.high)
	binary.BigEndian.PutUint64(b[8:], a.low)
	return netip.AddrFrom16(b).Unmap().String()
}
