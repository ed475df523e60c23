package capfilter

import "golang.org/x/net/bpf"

// acceptLength is what programs return for packets they select, as in tcpdump.
const acceptLength = 262144

const (
	// maxProgram bounds the instructions that the kernel takes.
	maxProgram = 4096
	// maxCompiled leaves room for those of AcceptTagged.
	maxCompiled = maxProgram - 3
	// scratchWords are the cells that a program has to keep numbers in.
	scratchWords = 16
)

// registers are what A and X hold, nil if that is not known.
type registers struct{ a, x *value }

// An emitter makes the instructions that compute values.
type emitter struct {
	code []bpf.Instruction
	reg  registers
	free int // the next scratch cell
}

// bodies makes what each block does before its jump. What all ways to a block leave
// in a register is not computed again.
func (g *graph) bodies() [][]bpf.Instruction {
	before := map[*block]registers{g.root: {}}
	bodies := make([][]bpf.Instruction, len(g.blocks))
	for i := len(g.blocks) - 1; i >= 0; i-- {
		b := g.blocks[i]
		e := emitter{reg: before[b]}
		if b.rhs != nil {
			e.pair(b.val, b.rhs)
		} else {
			e.toA(b.val)
		}
		bodies[i] = e.code
		for _, n := range b.next {
			r, seen := before[n]
			if !seen {
				r = e.reg
			}
			before[n] = r.shared(e.reg)
		}
	}
	return bodies
}

// shared is what two ways to a place leave in the registers.
func (r registers) shared(o registers) registers {
	if r.a != o.a {
		r.a = nil
	}
	if r.x != o.x {
		r.x = nil
	}
	return r
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

// pair computes a in A and x in X. Where computing each overwrites what the other
// needs, one waits in a scratch cell.
func (e *emitter) pair(a, x *value) {
	switch {
	case x.direct(), e.reg.x == x && !a.usesX:
		e.toA(a)
		e.toX(x)
	case !a.usesX:
		e.toX(x)
		e.toA(a)
	case a.cells > x.cells:
		e.toA(a)
		e.wait(func(cell int) {
			e.toX(x)
			e.add(bpf.LoadScratch{Dst: bpf.RegA, N: cell})
		})
	default:
		e.toA(x)
		e.wait(func(cell int) {
			e.toA(a)
			e.add(bpf.LoadScratch{Dst: bpf.RegX, N: cell})
		})
	}
	e.reg = registers{a, x}
}

// wait keeps A in a scratch cell while something else is computed. There are enough:
// to take n cells at once a sum must have 2^n loads, and none is that long.
func (e *emitter) wait(do func(cell int)) {
	e.add(bpf.StoreScratch{Src: bpf.RegA, N: e.free})
	e.free++
	do(e.free - 1)
	e.free--
}
