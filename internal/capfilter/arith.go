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

// relation compares two sums. What each load needs, such as that the packet is
// TCP, is tested before.
func (g *generator) relation(x *relation) cond {
	if cells(x.l) > scratchWords || cells(x.r)+1 > scratchWords {
		g.fail(x.at, "this is nested too deep: %d numbers would be kept at once", scratchWords+1)
		return always(false)
	}
	var need []cond
	l := g.sum(x.l, &need)
	r := g.sum(x.r, &need)
	c := g.comparison(x.op, l, r)
	if g.set || len(need) == 0 {
		return c
	}
	return both{allOf(need[0], need[1:]...), c}
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

// comparison makes the test of two values.
func (g *generator) comparison(op string, l, r *value) cond {
	var c cond
	switch op {
	case "=", "!=":
		c = g.compare(g.binary(bpf.ALUOpSub, l, r), testEqual, 0)
	case ">", "<=":
		c = g.order(l, testGreater, r)
	default:
		c = g.order(l, testAtLeast, r)
	}
	if op == "!=" || op == "<" || op == "<=" {
		return inverse{c}
	}
	return c
}

// order compares the size of two values.
func (g *generator) order(l *value, op testOp, r *value) cond {
	if r.kind == valConst {
		return g.compare(l, op, r.k)
	}
	return &test{val: l, op: op, rhs: r, at: g.at}
}

// sum gives the value of a sum, and adds to need what must be true before it may
// be computed.
func (g *generator) sum(x *sum, need *[]cond) *value {
	switch x.kind {
	case sumLen:
		return g.get(valueKey{kind: valLen})
	case sumLoad:
		return g.loadSum(x, need)
	case sumNegate:
		return g.binary(bpf.ALUOpSub, g.constant(0), g.sum(x.l, need))
	case sumBinary:
		l := g.sum(x.l, need)
		r := g.sum(x.r, need)
		if !g.computable(x, l, r) {
			return g.constant(0)
		}
		return g.binary(aluOps[x.op], l, r)
	}
	return g.constant(x.num)
}

// computable refuses what tcpdump refuses: to divide zero or by it, and to shift
// everything out.
func (g *generator) computable(x *sum, l, r *value) bool {
	zero := func(v *value) bool { return v.kind == valConst && v.k == 0 }
	switch x.op {
	case "/", "%":
		if zero(r) || zero(l) {
			g.fail(x.at, "division of or by zero")
		}
	case "<<", ">>":
		if r.kind == valConst && r.k > 31 {
			g.fail(x.at, "shift by more than 31 bits")
		}
	}
	return !g.set
}

// maxOffset bounds the places of loads: the system's programs take what lies
// above for something else than packets.
const maxOffset = 1 << 30

// loadSum gives the value of proto[index:size].
func (g *generator) loadSum(x *sum, need *[]cond) *value {
	index := g.sum(x.l, need)
	base, header := g.reach(x.proto, need)
	if index.kind == valConst {
		if index.k > maxOffset {
			g.fail(x.l.at, "no packet is as long as that")
		}
		base, index = base+index.k, nil
	}
	switch {
	case header == nil:
	case index == nil:
		index = header
	default:
		index = g.binary(bpf.ALUOpAdd, index, header)
	}
	return g.loadAt(base, index, x.size)
}

// reach tests that a packet has the header of a protocol, and gives its place:
// a constant and, behind IPv4, the length of that header.
func (g *generator) reach(proto string, need *[]cond) (base uint32, header *value) {
	net := g.net()
	switch proto {
	case "ether", "link":
		return 0, nil
	case "ip", "ip6", "arp", "rarp":
		*need = append(*need, g.carries(etherTypes[proto]))
		return net, nil
	case "icmp6":
		*need = append(*need, allOf(g.carries(typeIP6), g.equal(net+6, 1, 58)))
		return net + 40, nil
	}
	*need = append(*need, allOf(g.carries(typeIP4), g.named(proto), g.unfragmented()))
	return net, g.header(net)
}
