package capfilter

import "github.com/dpdissect/dpdissect/dissect/syntax"

import "golang.org/x/net/bpf"

// A cond is what decides about packets: a test, or tests joined in the order in
// which they are made.
type cond interface {
	// lower makes blocks of the condition, given those to go on with where it is
	// true and false, and gives the first.
	lower(g *graph, yes, no *block) *block
}

type (
	// A test compares a value with the constant k or, unless that is nil, with rhs.
	test struct {
		val *value
		op  bpf.JumpTest // equal, greater, greater or equal, or any of the bits set
		k   uint32
		rhs *value
	}
	// both and either make the second test if the first leaves it open.
	both   struct{ l, r cond }
	either struct{ l, r cond }
	// inverse is true where x is not.
	inverse struct{ x cond }
	// always is true or false without a look at the packet.
	always bool
)

// holds says what a test of constants gives.
func holds(op bpf.JumpTest, a, b uint32) bool {
	switch op {
	case bpf.JumpEqual:
		return a == b
	case bpf.JumpGreaterThan:
		return a > b
	case bpf.JumpGreaterOrEqual:
		return a >= b
	}
	return a&b != 0
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

// compare makes a test of a value with a constant. That some bits are 0 is one
// instruction.
func compare(v *value, op bpf.JumpTest, k uint32) cond {
	if v.kind == valConst {
		return always(holds(op, v.k, k))
	}
	if op == bpf.JumpEqual && k == 0 && v.kind == valBinary && v.op == bpf.ALUOpAnd && v.r.kind == valConst {
		return inverse{test{val: v.l, op: bpf.JumpBitsSet, k: v.r.k}}
	}
	return test{val: v, op: op, k: k}
}

// A generator turns the tree of an expression into tests.
type generator struct {
	syntax.Fault
	values
	link  *link
	shift uint32 // what vlan tags so far add to the place of the network header
	at    span   // what tests are made for
}

// equal tests size bytes at a fixed place.
func (g *generator) equal(at uint32, size int, k uint32) cond {
	return compare(g.load(at, size), bpf.JumpEqual, k)
}

// masked tests the bits of mask in four bytes at a fixed place. Bytes of which no
// bit counts are not looked at.
func (g *generator) masked(at, k, mask uint32) cond {
	switch mask {
	case 0:
		return always(true)
	case 0xffffffff:
		return g.equal(at, 4, k)
	}
	return compare(g.join(bpf.ALUOpAnd, g.load(at, 4), g.constant(mask)), bpf.JumpEqual, k)
}

// net is the place of the network header.
func (g *generator) net() uint32 { return g.link.net + g.shift }

// condition gives the tests of a tree. Parts are looked at from left to right:
// vlan changes the places for all that comes after.
func (g *generator) condition(n node) cond {
	if g.Failed {
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
	if x.greater {
		return compare(g.length(), bpf.JumpGreaterOrEqual, x.n)
	}
	return inverse{compare(g.length(), bpf.JumpGreaterThan, x.n)}
}
