package capfilter

import "golang.org/x/net/bpf"

// aluOps are the operators of sums.
var aluOps = map[string]bpf.ALUOp{
	"+": bpf.ALUOpAdd, "-": bpf.ALUOpSub, "*": bpf.ALUOpMul, "/": bpf.ALUOpDiv, "%": bpf.ALUOpMod,
	"&": bpf.ALUOpAnd, "|": bpf.ALUOpOr, "^": bpf.ALUOpXor, "<<": bpf.ALUOpShiftLeft, ">>": bpf.ALUOpShiftRight,
}

// relation compares two sums. What each needs, such as that the packet is TCP, is
// tested before.
func (g *generator) relation(x *relation) cond {
	l, needL := g.sum(x.l)
	r, needR := g.sum(x.r)
	return allOf(needL, needR, g.comparison(x.op, l, r))
}

// mirrored are the comparisons that say the same with their sides exchanged.
var mirrored = map[string]string{"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

// comparison makes the test of two values.
func (g *generator) comparison(op string, l, r *value) cond {
	if l.kind == valConst {
		l, r, op = r, l, mirrored[op]
	}
	jump := bpf.JumpEqual
	switch op {
	case ">", "<=":
		jump = bpf.JumpGreaterThan
	case ">=", "<":
		jump = bpf.JumpGreaterOrEqual
	}
	var c cond = test{val: l, op: jump, rhs: r}
	if r.kind == valConst {
		c = compare(l, jump, r.k)
	}
	if op == "!=" || op == "<" || op == "<=" {
		return inverse{c}
	}
	return c
}

// sum gives the value of a sum, and what must be true before it may be computed.
// That is, as in tcpdump, only what the leftmost number needs: len + udp[4] = 100
// may be true of TCP.
func (g *generator) sum(x *sum) (*value, cond) {
	switch x.kind {
	case sumLen:
		return g.length(), always(true)
	case sumLoad:
		return g.loadSum(x)
	case sumNegate:
		v, need := g.sum(x.l)
		return g.join(bpf.ALUOpSub, g.constant(0), v), need
	case sumBinary:
		return g.binary(x)
	}
	return g.constant(x.num), always(true)
}

// binary joins two sums.
func (g *generator) binary(x *sum) (*value, cond) {
	l, need := g.sum(x.l)
	r, _ := g.sum(x.r)
	switch zero := r.kind == valConst && r.k == 0; {
	case zero && (x.op == "/" || x.op == "%"):
		g.Fail(x.r.at, "division by zero")
	case (x.op == "<<" || x.op == ">>") && !r.below32():
		g.Fail(x.r.at, "this shifts by more than 31 bits, or may do so: what that gives depends on who runs the filter (write & 31)")
	}
	if op := unclear(x); op != "" {
		g.Fail(x.at, "write parentheses around %s and its two sides: beside other operators C and tcpdump read it differently", op)
	}
	if g.Failed {
		return l, need
	}
	return g.join(aluOps[x.op], l, r), need
}

// below32 says whether a value is certainly less than 32.
func (v *value) below32() bool {
	small := func(v *value) bool { return v.kind == valConst && v.k < 32 }
	return small(v) || v.kind == valBinary && v.op == bpf.ALUOpAnd && (small(v.l) || small(v.r))
}

// unclear gives an operator ^ or % that stands beside another operator without
// parentheses, or "". tcpdump takes all that follows it for its right side.
func unclear(x *sum) string {
	odd := func(op string) bool { return op == "^" || op == "%" }
	for _, side := range [...]*sum{x.l, x.r} {
		open := !side.closed && (side.kind == sumBinary || side.kind == sumNegate && side == x.l)
		switch {
		case open && odd(x.op):
			return x.op
		case open && odd(side.op):
			return side.op
		}
	}
	return ""
}

// maxOffset bounds the places of loads: the system's programs take what lies
// above for something else than packets.
const maxOffset = 1 << 30

// loadSum gives the value of proto[index:size].
func (g *generator) loadSum(x *sum) (*value, cond) {
	index, need := g.sum(x.l)
	base, header, need := g.reach(x.proto, need)
	switch {
	case index.kind == valConst && index.k > maxOffset:
		g.Fail(x.l.at, "no packet is as long as that")
	case index.kind == valConst && header == nil:
		return g.load(base+index.k, x.size), need
	case index.kind == valConst:
		return g.loadAt(base+index.k, header, x.size), need
	case header != nil:
		index = g.join(bpf.ALUOpAdd, index, header)
	}
	return g.loadAt(base, index, x.size), need
}

// reach gives the place of the header of a protocol, a constant and, after IPv4,
// the length of that header; and the test that a packet has it, and what the index
// into it needs.
func (g *generator) reach(proto string, index cond) (base uint32, header *value, need cond) {
	net := g.net()
	switch proto {
	case "ether", "link":
		return 0, nil, index
	case "ip", "ip6", "arp", "rarp":
		return net, nil, both{index, g.carries(etherTypes[proto])}
	case "icmp6":
		return net + 40, nil, allOf(index, g.carries(typeIP6), g.equal(net+6, 1, 58))
	}
	return net, g.header(net), allOf(g.carries(typeIP4), index, g.named(proto), g.unfragmented())
}
