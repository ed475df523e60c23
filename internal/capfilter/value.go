package capfilter

import "golang.org/x/net/bpf"

// A value is what a program computes: a constant, the length of the packet, a
// load, or two values joined. Equal values of a program are the same pointer.
type value struct {
	valueKey
	loads bool // from the packet: computing it may reject
}

// valueKey is what makes values equal.
type valueKey struct {
	kind valueKind
	op   bpf.ALUOp // of valBinary
	size int       // of valLoad: 1, 2, 4
	k    uint32    // a constant, or the place of a load
	l, r *value    // of valBinary; l is what is added to the place of valLoad, or nil
}

type valueKind uint8

const (
	valConst  valueKind = iota
	valLen              // the length of the packet on the wire
	valLoad             // size bytes at k + l
	valHeader           // 4*([k]&0xf), the length of an IPv4 header at k
	valBinary
)

// values are those of one program.
type values map[valueKey]*value

// get gives the value of a key.
func (vs values) get(key valueKey) *value {
	v := vs[key]
	if v == nil {
		loads := key.kind == valLoad || key.kind == valHeader || key.kind == valBinary && (key.l.loads || key.r.loads)
		v = &value{key, loads}
		vs[key] = v
	}
	return v
}

func (vs values) constant(k uint32) *value { return vs.get(valueKey{kind: valConst, k: k}) }

// load is size bytes at a fixed place.
func (vs values) load(at uint32, size int) *value {
	return vs.get(valueKey{kind: valLoad, k: at, size: size})
}

// loadAt is size bytes at a place that is computed.
func (vs values) loadAt(at uint32, index *value, size int) *value {
	return vs.get(valueKey{kind: valLoad, k: at, l: index, size: size})
}

// header is the length of the IPv4 header at a place.
func (vs values) header(at uint32) *value { return vs.get(valueKey{kind: valHeader, k: at}) }

// joined joins two values as they stand.
func (vs values) joined(op bpf.ALUOp, l, r *value) *value {
	return vs.get(valueKey{kind: valBinary, op: op, l: l, r: r})
}

// binary joins two values. Constants are folded, and so are products with zero,
// whose loads thereby vanish, as in tcpdump.
func (vs values) binary(op bpf.ALUOp, l, r *value) *value {
	if l.kind == valConst && r.kind == valConst {
		return vs.constant(alu(op, l.k, r.k))
	}
	if vanishes(op, l, r) {
		return vs.constant(0)
	}
	if r.kind == valConst && r.k == 0 && op != bpf.ALUOpDiv && op != bpf.ALUOpMod {
		return l
	}
	return vs.joined(op, l, r)
}

// vanishes tells what is 0 whatever the packet holds.
func vanishes(op bpf.ALUOp, l, r *value) bool {
	zero := func(v *value) bool { return v.kind == valConst && v.k == 0 }
	switch op {
	case bpf.ALUOpMul, bpf.ALUOpAnd:
		return zero(l) || zero(r)
	case bpf.ALUOpShiftLeft, bpf.ALUOpShiftRight, bpf.ALUOpDiv, bpf.ALUOpMod:
		return zero(l)
	}
	return false
}

// alu computes with constants as programs do. The divisor is not 0: sums with
// such divisors are refused.
func alu(op bpf.ALUOp, a, b uint32) uint32 {
	switch op {
	case bpf.ALUOpAdd:
		return a + b
	case bpf.ALUOpSub:
		return a - b
	case bpf.ALUOpMul:
		return a * b
	case bpf.ALUOpDiv:
		return a / b
	case bpf.ALUOpMod:
		return a % b
	case bpf.ALUOpAnd:
		return a & b
	case bpf.ALUOpOr:
		return a | b
	case bpf.ALUOpXor:
		return a ^ b
	case bpf.ALUOpShiftLeft:
		return a << b
	}
	return a >> b
}
