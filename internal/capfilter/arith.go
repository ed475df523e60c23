package capfilter

import "golang.org/x/net/bpf"

const aluAnd = bpf.ALUOpAnd

// aluOps are the operators of sums.
var aluOps = map[string]bpf.ALUOp{
	"+": bpf.ALUOpAdd, "-": bpf.ALUOpSub, "*": bpf.ALUOpMul, "/": bpf.ALUOpDiv, "%": bpf.ALUOpMod,
	"&": bpf.ALUOpAnd, "|": bpf.ALUOpOr, "^": bpf.ALUOpXor, "<<": bpf.ALUOpShiftLeft, ">>": bpf.ALUOpShiftRight,
}

// scratchWords are the cells that a program has for sums.
const scratchWords = 16

// relation compares two sums. What each needs, such as that the packet is TCP, is
// tested before.
func (g *generator) relation(x *relation) cond {
	if cells(x.l) > scratchWords || cells(x.r)+1 > scratchWords {
		g.fail(x.at, "this is nested too deep: %d numbers would be kept at once", scratchWords+1)
		return always(false)
	}
	l, needL := g.sum(x.l)
	r, needR := g.sum(x.r)
	return together(together(needL, needR), g.comparison(x.op, l, r))
}

// together makes both tests; those that are nil need not be made.
func together(l, r cond) cond {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	}
	return both{l, r}
}

// cells is how many numbers must be kept at once.
func cells(x *sum) int {
	switch x.kind {
	case sumBinary:
		return max(cells(x.l), cells(x.r)+1)
	case sumNegate:
		return cells(x.l) + 1
	case sumLoad:
		return cells(x.l) + 1
	}
	return 1
}

// A term is the value of a sum, as written and with constants folded.
type term struct{ written, reduced *value }

// comparison makes the test of two values.
func (g *generator) comparison(op string, l, r term) cond {
	if l.reduced.kind == valConst && r.reduced.kind == valConst {
		g.fail(g.at, "this compares constants: it has the same outcome for all packets")
	}
	t := &test{at: g.at, relation: true}
	switch op {
	case "=", "!=":
		t.comparison = comparison{val: g.joined(bpf.ALUOpSub, l.written, r.written), op: testEqual}
		t.reduced = equality(g.binary(bpf.ALUOpSub, l.reduced, r.reduced), 0)
	case ">", "<=":
		t.order(l, testGreater, r)
	default:
		t.order(l, testAtLeast, r)
	}
	if op == "!=" || op == "<" || op == "<=" {
		return inverse{t}
	}
	return t
}

// order compares the size of two values.
func (t *test) order(l term, op testOp, r term) {
	t.comparison = comparison{val: l.written, op: op, rhs: r.written}
	t.reduced = comparison{val: l.reduced, op: op, rhs: r.reduced}
	if r.reduced.kind == valConst {
		t.reduced.k, t.reduced.rhs = r.reduced.k, nil
	}
}

// equality compares a value with a constant. What is subtracted from the value
// moves to the constant, or to the other side.
func equality(v *value, k uint32) comparison {
	for v.kind == valBinary && v.op == bpf.ALUOpSub && v.r.kind == valConst {
		v, k = v.l, k+v.r.k
	}
	if v.kind == valBinary && v.op == bpf.ALUOpSub && k == 0 {
		return comparison{val: v.l, op: testEqual, rhs: v.r}
	}
	return comparison{val: v, op: testEqual, k: k}
}

// join joins two terms.
func (g *generator) join(op bpf.ALUOp, l, r term) term {
	return term{g.joined(op, l.written, r.written), g.binary(op, l.reduced, r.reduced)}
}

// same is the term of a value that can't be folded.
func same(v *value) term { return term{v, v} }

// sum gives the value of a sum, and what must be true before it may be computed,
// nil for nothing. As in tcpdump, that is only what the leftmost number needs:
// len + udp[4] = 100 is true of TCP, too.
func (g *generator) sum(x *sum) (term, cond) {
	switch x.kind {
	case sumLen:
		return same(g.get(valueKey{kind: valLen})), nil
	case sumLoad:
		return g.loadSum(x)
	case sumNegate:
		v, need := g.sum(x.l)
		return g.join(bpf.ALUOpSub, same(g.constant(0)), v), need
	case sumBinary:
		l, need := g.sum(x.l)
		r, _ := g.sum(x.r)
		if !g.computable(x, r.reduced) {
			return same(g.constant(0)), nil
		}
		v := g.join(aluOps[x.op], l, r)
		if v.reduced.kind == valConst && (l.reduced.kind != valConst || r.reduced.kind != valConst) {
			g.fail(x.at, "this is 0 whatever the packet holds")
		}
		return v, need
	}
	return same(g.constant(x.num)), nil
}

// computable refuses to divide by zero and to shift everything out. As tcpdump
// does, it looks at the first number of the right side, wherever that stands:
// 5 / ip[0] is refused.
func (g *generator) computable(x *sum, r *value) bool {
	first := x.r
	for first.l != nil {
		first = first.l
	}
	bad := func(wrong func(k uint32) bool) bool {
		return first.kind == sumNumber && wrong(first.num) || r.kind == valConst && wrong(r.k)
	}
	switch x.op {
	case "/", "%":
		if bad(func(k uint32) bool { return k == 0 }) {
			g.fail(x.r.at, "division by zero: tcpdump takes the first number for the divisor")
		}
	case "<<", ">>":
		if bad(func(k uint32) bool { return k > 31 }) {
			g.fail(x.r.at, "shift by more than 31 bits: tcpdump takes the first number for the width")
		}
	}
	return !g.set
}

// maxOffset bounds the places of loads: the system's programs take what lies
// above for something else than packets.
const maxOffset = 1 << 30

// loadSum gives the value of proto[index:size].
func (g *generator) loadSum(x *sum) (term, cond) {
	index, need := g.sum(x.l)
	if t, ok := need.(*test); ok && t.constant() == 0 {
		g.fail(x.l.at, "no packet of %s has this", g.link.name)
	}
	base, header, reach := g.reach(x.proto)
	need = together(need, reach)
	written := index.written
	if header != nil {
		written = g.joined(bpf.ALUOpAdd, written, header)
	}
	load := term{written: g.loadAt(base, written, x.size)}
	switch {
	case index.reduced.kind == valConst:
		if index.reduced.k > maxOffset {
			g.fail(x.l.at, "no packet is as long as that")
		}
		load.reduced = g.loadAt(base+index.reduced.k, header, x.size)
	case header == nil:
		load.reduced = g.loadAt(base, index.reduced, x.size)
	default:
		load.reduced = g.loadAt(base, g.binary(bpf.ALUOpAdd, index.reduced, header), x.size)
	}
	return load, need
}

// reach gives the place of the header of a protocol, a constant and, behind IPv4,
// the length of that header; and the test that a packet has it.
func (g *generator) reach(proto string) (base uint32, header *value, has cond) {
	net := g.net()
	switch proto {
	case "ether", "link":
		return 0, nil, nil
	case "ip", "ip6", "arp", "rarp":
		return net, nil, g.carries(etherTypes[proto])
	case "icmp6":
		return net + 40, nil, allOf(g.carries(typeIP6), g.equal(net+6, 1, 58))
	}
	return net, g.header(net), allOf(g.carries(typeIP4), g.named(proto), g.unfragmented())
}
