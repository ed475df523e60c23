package capfilter

import "golang.org/x/net/bpf"

// A cond is what decides about packets: a test, or tests joined in the order in
// which they are made.
type cond interface{}

type (
	// A test compares a value, in two forms.
	test struct {
		comparison
		reduced  comparison // with constants folded
		at       span       // of what it stands for
		relation bool       // it compares sums
	}
	// both and either make the second test if the first leaves it open.
	both   struct{ l, r cond }
	either struct{ l, r cond }
	// inverse is true where x is not.
	inverse struct{ x cond }
	// always is true or false without a look at the packet.
	always bool
)

// A comparison is of a value with the constant k or, unless that is nil, with rhs.
type comparison struct {
	val *value
	op  testOp
	k   uint32
	rhs *value // not for bits
}

// testOp is how values compare.
type testOp uint8

const (
	testEqual testOp = iota
	testGreater
	testAtLeast
	testBits // any of the bits is set
)

// holds says what a test of constants gives.
func (op testOp) holds(a, b uint32) bool {
	switch op {
	case testEqual:
		return a == b
	case testGreater:
		return a > b
	case testAtLeast:
		return a >= b
	}
	return a&b != 0
}

// A generator turns the tree of an expression into tests.
type generator struct {
	fault
	values
	link  *link
	shift uint32 // what vlan tags so far add to the place of the network header
	at    span   // what tests are made for
}

// allOf and anyOf join conditions.
func allOf(first cond, more ...cond) cond {
	for _, c := range more {
		first = both{first, c}
	}
	return first
}

func anyOf(first cond, more ...cond) cond {
	for _, c := range more {
		first = either{first, c}
	}
	return first
}

// compare makes a test of a value that needs no folding.
func (g *generator) compare(v *value, op testOp, k uint32) cond {
	c := comparison{val: v, op: op, k: k}
	return &test{comparison: c, reduced: c, at: g.at}
}

// constantly makes a test that has always the same outcome.
func (g *generator) constantly(outcome bool) cond {
	if outcome {
		return g.compare(g.constant(0), testEqual, 0)
	}
	return g.compare(g.constant(1), testEqual, 0)
}

// equal tests size bytes at a fixed place.
func (g *generator) equal(at uint32, size int, k uint32) cond {
	return g.compare(g.load(at, size), testEqual, k)
}

// masked tests the bits of mask in four bytes at a fixed place.
func (g *generator) masked(at, k, mask uint32) cond {
	v := g.load(at, 4)
	if mask == 0xffffffff {
		return g.compare(v, testEqual, k)
	}
	t := comparison{val: g.joined(bpf.ALUOpAnd, v, g.constant(mask)), op: testEqual, k: k}
	r := t
	r.val = g.binary(bpf.ALUOpAnd, v, g.constant(mask))
	return &test{comparison: t, reduced: r, at: g.at}
}

// net is the place of the network header.
func (g *generator) net() uint32 { return g.link.net + g.shift }

// condition gives the tests of a tree. Parts are looked at from left to right:
// vlan changes the places for all that comes after.
func (g *generator) condition(n node) cond {
	if g.set {
		return always(false)
	}
	g.at = n.place()
	switch x := n.(type) {
	case *logic:
		l := g.condition(x.l)
		r := g.condition(x.r)
		if x.or {
			return either{l, r}
		}
		return both{l, r}
	case *negation:
		return inverse{g.condition(x.x)}
	case *relation:
		return g.relation(x)
	case *identified:
		return g.identified(x)
	case *named:
		return g.named(x.proto)
	case *cast:
		return g.cast(x)
	case *vlan:
		return g.vlan(x)
	case *lengths:
		return g.lengths(x)
	}
	return always(false)
}

// lengths tests the length of the packet.
func (g *generator) lengths(x *lengths) cond {
	length := g.get(valueKey{kind: valLen})
	if x.greater {
		return g.compare(length, testAtLeast, x.n)
	}
	return inverse{g.compare(length, testGreater, x.n)}
}
