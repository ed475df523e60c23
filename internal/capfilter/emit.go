package capfilter

import "golang.org/x/net/bpf"

// acceptLength is what programs return for packets they select, as in tcpdump.
const acceptLength = 262144

const (
	// maxProgram is how many instructions the kernel takes.
	maxProgram = 4096
	// maxCompiled leaves room for those of AcceptTagged.
	maxCompiled = maxProgram - 3
)

// A body is what a block does before its jump, and that jump.
type body struct {
	code   []bpf.Instruction
	cond   bpf.JumpTest
	k      uint32
	withX  bool // compare with X instead of k
	next   [2]*block
	merged bool // another body is in its place
}

// registers are what A and X hold, nil if that is not known.
type registers struct{ a, x *value }

// An emitter turns a graph into instructions.
type emitter struct {
	code []bpf.Instruction // of the block being made
	reg  registers
	free int // the next scratch cell
	deep bool
}

// emit gives the program of a graph, nil if it has more instructions than the
// kernel takes or needs more scratch cells than there are.
func (g *graph) emit() []bpf.Instruction {
	bodies := make([]body, len(g.blocks))
	after := make([]registers, len(g.blocks))
	deep := false
	for i, b := range g.blocks {
		e := emitter{reg: before(g.in[i], after, b == g.root)}
		bodies[i] = e.body(b)
		after[i] = e.reg
		deep = deep || e.deep
	}
	if deep {
		return nil
	}
	return g.layout(bodies)
}

// before is what the registers hold where edges meet.
func before(in []edge, after []registers, root bool) registers {
	if root || len(in) == 0 {
		return registers{}
	}
	r := after[in[0].from.id]
	for _, e := range in[1:] {
		o := after[e.from.id]
		if o.a != r.a {
			r.a = nil
		}
		if o.x != r.x {
			r.x = nil
		}
	}
	return r
}

// body makes the code of a block.
func (e *emitter) body(b *block) body {
	out := body{k: b.k, next: b.next, cond: bpf.JumpEqual}
	switch b.op {
	case testGreater:
		out.cond = bpf.JumpGreaterThan
	case testAtLeast:
		out.cond = bpf.JumpGreaterOrEqual
	case testBits:
		out.cond = bpf.JumpBitsSet
	}
	v := b.val
	switch {
	case b.rhs != nil:
		e.pair(v, b.rhs)
		out.withX = true
	case b.op != testEqual || b.k != 0 || v.kind != valBinary || e.reg.a == v:
		e.toA(v)
	case v.op == bpf.ALUOpAnd && v.r.kind == valConst:
		e.toA(v.l)
		out.cond, out.k = bpf.JumpBitsSet, v.r.k
		out.next[0], out.next[1] = out.next[1], out.next[0]
	default:
		e.toA(v)
	}
	out.code = e.code
	return out
}

// add appends an instruction.
func (e *emitter) add(i bpf.Instruction) { e.code = append(e.code, i) }

// toA computes a value in A.
func (e *emitter) toA(v *value) {
	if e.reg.a == v {
		return
	}
	switch v.kind {
	case valConst:
		e.add(bpf.LoadConstant{Dst: bpf.RegA, Val: v.k})
	case valLen:
		e.add(bpf.LoadExtension{Num: bpf.ExtLen})
	case valLoad:
		if v.l == nil {
			e.add(bpf.LoadAbsolute{Off: v.k, Size: v.size})
		} else {
			e.toX(v.l)
			e.add(bpf.LoadIndirect{Off: v.k, Size: v.size})
		}
	case valHeader:
		e.toX(v)
		e.add(bpf.TXA{})
	case valBinary:
		if v.r.kind == valConst {
			e.toA(v.l)
			e.add(bpf.ALUOpConstant{Op: v.op, Val: v.r.k})
		} else {
			e.pair(v.l, v.r)
			e.add(bpf.ALUOpX{Op: v.op})
		}
	}
	e.reg.a = v
}

// direct says whether X takes a value without the help of A.
func (v *value) direct() bool { return v.kind == valConst || v.kind == valHeader }

// toX computes a value in X; A is lost unless the value is direct.
func (e *emitter) toX(v *value) {
	if e.reg.x == v {
		return
	}
	switch v.kind {
	case valConst:
		e.add(bpf.LoadConstant{Dst: bpf.RegX, Val: v.k})
	case valHeader:
		e.add(bpf.LoadMemShift{Off: v.k})
	default:
		e.toA(v)
		e.add(bpf.TAX{})
	}
	e.reg.x = v
}

// needsX says whether computing a value overwrites X.
func (v *value) needsX() bool {
	switch v.kind {
	case valLoad:
		return v.l != nil
	case valHeader:
		return true
	case valBinary:
		return v.r.kind != valConst || v.l.needsX()
	}
	return false
}

// pair computes a in A and x in X.
func (e *emitter) pair(a, x *value) {
	switch {
	case e.reg.x == x && (e.reg.a == a || !a.needsX()) || x.direct():
		e.toA(a)
		e.toX(x)
	case !a.needsX():
		e.toX(x)
		e.toA(a)
	default:
		e.toA(x)
		cell := e.free
		if e.free++; e.free > scratchWords {
			e.deep, cell = true, 0
		}
		e.add(bpf.StoreScratch{Src: bpf.RegA, N: cell})
		e.toA(a)
		e.add(bpf.LoadScratch{Dst: bpf.RegX, N: cell})
		e.reg.x = x
		e.free--
	}
}
