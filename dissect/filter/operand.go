package filter

import (
	"math"
	"math/bits"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// An operand is a compiled term: its class, how its constants are written and
// the source of that class.
type operand struct {
	notation
	at        span
	class     class
	computed  bool   // the result of a function, always there or not worth asking
	tree      bool   // looks at Frame.Tree
	late      bool   // looks at what is known only when the frame is printed
	notices   bool   // asks for ICMP notices
	here      test   // presence, when there is no source that tells
	row       bitRow // the only row that uints reads, if there is but one
	uints     source[uint64]
	ints      source[int64]
	texts     source[string]
	bytes     source[[]byte]
	addresses source[address]
}

// unified makes numbers of one sort where b is of the other.
func (o *operand) unified(b *operand) *operand {
	flag := o.class == classBool && b.class == classUint
	if flag || o.class == classUint && b.class == classInt {
		u := *o
		u.class, u.row = b.class, bitRow{}
		if !flag {
			u.ints = mapped(o.uints, func(v uint64) (int64, bool) { return int64(v), v <= math.MaxInt64 })
		}
		return &u
	}
	return o
}

// constant gives the atom of a term that can only be a constant, because it is
// no name and doesn't look like one.
func (c *compiler) constant(t term) (*atom, bool) {
	a, ok := t.(*atom)
	if !ok {
		return nil, false
	}
	if a.Kind != syntax.Word {
		return a, true
	}
	_, known := c.set.lookup(a.Text)
	return a, !known && !looksLikeName(a.Text)
}

// looksLikeName tells misspelled names from constants.
func looksLikeName(s string) bool {
	letter := s[0] == '_' || 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z'
	lower := strings.ToLower(s)
	return letter && !strings.ContainsAny(s, ":/+") && lower != "true" && lower != "false"
}

// asConstant decides about a term that stands right of a field: it is a constant
// unless it names a field that the left side can be compared with.
func (c *compiler) asConstant(t term, o *operand) *atom {
	a, ok := t.(*atom)
	if !ok {
		return nil
	}
	e, known := c.set.lookup(a.Text)
	if a.Kind != syntax.Word || !known {
		return a
	}
	if _, named := o.named(a.Text); named || o.plain {
		return a
	}
	word := !strings.Contains(a.Text, ".") // such as ack, which is one of the analysis
	if o.class == classText && (word && e.class != classText || o.words != nil) {
		return a
	}
	return nil
}

// operand compiles a term.
func (c *compiler) operand(t term) *operand {
	var o *operand
	switch t := t.(type) {
	case *atom:
		o = c.field(t)
	case *slice:
		o = c.slice(t)
	case *call:
		o = c.call(t)
	case *masked:
		o = c.masked(t)
	}
	if c.Failed || o == nil {
		return &operand{}
	}
	c.tree, c.late, c.notices = c.tree || o.tree, c.late || o.late, c.notices || o.notices
	return o
}

// field looks a name up.
func (c *compiler) field(a *atom) *operand {
	e, ok := c.set.lookup(a.Text)
	if a.Kind != syntax.Word || !ok {
		c.Fail(a.At, "%s", c.set.unknown(a))
		return nil
	}
	o := e.operand
	o.name, o.at = a.Text, a.At
	return &o
}

// masked compiles x & constant, for numbers and for short byte strings.
func (c *compiler) masked(t *masked) *operand {
	o := c.operand(t.x)
	if c.Failed {
		return nil
	}
	if o.class == classBytes {
		o = c.maskedBytes(o, t.mask)
	}
	if c.Failed {
		return nil
	}
	if o.class != classUint {
		c.Fail(o.at, "%s is %s, but & needs a number", o.name, o.phrase())
		return nil
	}
	m, problem := parseUint(&o.notation, t.mask)
	if problem != "" {
		c.Fail(t.mask.At, "%s", problem)
		return nil
	}
	masked := *o
	masked.at = t.place()
	masked.row.mask &= m.lo
	masked.uints = mapped(o.uints, func(v uint64) (uint64, bool) { return v & m.lo, true })
	return &masked
}

// maskedBytes makes a number of bytes that are as long as a mask.
func (c *compiler) maskedBytes(o *operand, mask *atom) *operand {
	b, problem := parseBytes(&o.notation, mask)
	if problem == "" && (len(b.lo) == 0 || len(b.lo) > 8) {
		problem = "a mask has 1 to 8 bytes"
	}
	if problem != "" {
		c.Fail(mask.At, "%s", problem)
		return nil
	}
	n := *o
	n.class, n.size, n.octets = classUint, len(b.lo), true
	n.uints = mapped(o.bytes, func(v []byte) (uint64, bool) { return bigEndian(v), len(v) == len(b.lo) })
	return &n
}

// bigEndian is the number of the last 8 bytes.
func bigEndian(b []byte) (v uint64) {
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

// slice compiles x[…].
func (c *compiler) slice(t *slice) *operand {
	o := c.operand(t.x)
	if c.Failed {
		return nil
	}
	s := *o
	s.at, s.here, s.words, s.computed = t.place(), nil, nil, false
	switch o.class {
	case classBytes:
		s.bytes = mapped(o.bytes, cut[[]byte](t.ranges))
	case classText:
		s.texts = mapped(o.texts, cut[string](t.ranges))
	default:
		c.Fail(o.at, "%s is %s, and only bytes and text have slices", o.name, o.phrase())
	}
	return &s
}

// cut takes ranges of a value. A value without one of them has no slice.
func cut[V []byte | string](ranges []byteRange) func(V) (V, bool) {
	if len(ranges) > 1 {
		return func(v V) (V, bool) { return join(v, ranges) }
	}
	r := ranges[0]
	return func(v V) (part V, ok bool) {
		from, to, ok := r.bounds(len(v))
		if !ok {
			return part, false
		}
		return v[from:to], true
	}
}

// join puts several ranges of a value together.
func join[V []byte | string](v V, ranges []byteRange) (V, bool) {
	var all []byte
	for _, r := range ranges {
		from, to, ok := r.bounds(len(v))
		if !ok {
			return V(all), false
		}
		all = append(all, v[from:to]...)
	}
	return V(all), true
}

// sizeOf counts the bytes that the constants of a row may take.
func sizeOf(f *dissect.Field) int {
	size := f.Size
	if f.Base == dissect.Mask64 {
		return 8 // what the wire holds of it varies
	}
	if n := (bits.Len64(allBits(f)) + 7) / 8; n > size && size > 0 {
		size = n
	}
	return size
}

// allBits are the masks of all bits of a row.
func allBits(f *dissect.Field) (mask uint64) {
	for i := range f.Bits {
		mask |= f.Bits[i].Mask
	}
	return mask
}
