package capfilter

import "golang.org/x/net/bpf"

// A value is what a program computes: a constant, the length of the packet, a
// load, or two values joined. Equal values of a program are the same pointer.
type value struct {
	valueKey
	usesX bool // computing it overwrites X
	cells int  // how many scratch cells computing it takes
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
	if v != nil {
		return v
	}
	v = &value{valueKey: key}
	switch {
	case key.kind == valHeader:
		v.usesX = true
	case key.kind == valLoad && key.l != nil:
		v.usesX, v.cells = true, key.l.cells
	case key.kind == valBinary && key.r.kind == valConst:
		v.usesX, v.cells = key.l.usesX, key.l.cells
	case key.kind == valBinary:
		v.usesX, v.cells = true, pairCells(key.l, key.r)
	}
	vs[key] = v
	return v
}

// pairCells counts the scratch cells that it takes to load a into A and x into X. Where
// one must wait in a cell for the other, that is the one which takes more cells
// itself.
func pairCells(a, x *value) int {
	if !a.usesX || x.direct() {
		return max(a.cells, x.cells)
	}
	if a.cells == x.cells {
		return a.cells + 1
	}
	return max(a.cells, x.cells)
}

// direct says whether X takes a value without the help of A.
func (v *value) direct() bool { return v.kind == valConst || v.kind == valHeader }

func (vs values) constant(k uint32) *value { return vs.get(valueKey{kind: valConst, k: k}) }

func (vs values) length() *value { return vs.get(valueKey{kind: valLen}) }

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

// join joins two values; constants make a constant.
func (vs values) join(op bpf.ALUOp, l, r *value) *value {
	if l.kind == valConst && r.kind == valConst {
		return vs.constant(alu(op, l.k, r.k))
	}
	return vs.get(valueKey{kind: valBinary, op: op, l: l, r: r})
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
