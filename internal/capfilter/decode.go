package capfilter

import (
	"errors"

	"golang.org/x/net/bpf"
)

// errUnknown is what files have nothing for.
var errUnknown = errors.New("packets of files have nothing that it could load")

// arithmeticOps are the operators of programs, without X.
var arithmeticOps = map[bpf.ALUOp]opcode{
	bpf.ALUOpAdd: opAdd, bpf.ALUOpSub: opSub, bpf.ALUOpMul: opMul, bpf.ALUOpDiv: opDiv, bpf.ALUOpMod: opMod,
	bpf.ALUOpAnd: opAnd, bpf.ALUOpOr: opOr, bpf.ALUOpXor: opXor,
	bpf.ALUOpShiftLeft: opShiftLeft, bpf.ALUOpShiftRight: opShiftRight,
}

// decode gives the instruction at a position in the form that is run.
func decode(in bpf.Instruction, at int) (instruction, error) {
	switch x := in.(type) {
	case bpf.RetConstant:
		return instruction{op: opReturn, k: x.Val}, nil
	case bpf.RetA:
		return instruction{op: opReturnA}, nil
	case bpf.LoadConstant:
		return byRegister(x.Dst, opLoadConst, opLoadXConst, x.Val), nil
	case bpf.LoadScratch:
		return scratch(byRegister(x.Dst, opLoadMem, opLoadXMem, uint32(x.N)))
	case bpf.StoreScratch:
		return scratch(byRegister(x.Src, opStore, opStoreX, uint32(x.N)))
	case bpf.LoadExtension:
		if x.Num != bpf.ExtLen {
			return instruction{}, errUnknown
		}
		return instruction{op: opLoadLen}, nil
	case bpf.LoadAbsolute:
		return sized(opLoad8, x.Off, x.Size)
	case bpf.LoadIndirect:
		return sized(opLoad8X, x.Off, x.Size)
	case bpf.LoadMemShift:
		return instruction{op: opHeader, k: x.Off}, nil
	case bpf.TAX:
		return instruction{op: opTAX}, nil
	case bpf.TXA:
		return instruction{op: opTXA}, nil
	case bpf.NegateA:
		return instruction{op: opNegate}, nil
	case bpf.ALUOpConstant:
		return constantALU(x)
	case bpf.ALUOpX:
		if op, ok := arithmeticOps[x.Op]; ok {
			return instruction{op: op - opAdd + opAddX}, nil
		}
	case bpf.Jump:
		return instruction{op: opJump, to: target(at, x.Skip)}, nil
	case bpf.JumpIf:
		return jump(at, x.Cond, opEqual, x.Val, x.SkipTrue, x.SkipFalse)
	case bpf.JumpIfX:
		return jump(at, x.Cond, opEqualX, 0, x.SkipTrue, x.SkipFalse)
	}
	return instruction{}, errors.New("there is no such instruction")
}

// byRegister makes an instruction for A or X.
func byRegister(r bpf.Register, a, x opcode, k uint32) instruction {
	if r == bpf.RegX {
		return instruction{op: x, k: k}
	}
	return instruction{op: a, k: k}
}

// scratch checks the number of a scratch cell.
func scratch(in instruction) (instruction, error) {
	if in.k >= scratchWords {
		return in, errors.New("there are 16 scratch cells")
	}
	return in, nil
}

// lowestSpecial is where places begin that are no bytes of the packet for the kernel.
const lowestSpecial = 1 << 31

// sized makes a load of 1, 2 or 4 bytes; op is that of 1 byte.
func sized(op opcode, at uint32, size int) (instruction, error) {
	if at >= lowestSpecial {
		return instruction{}, errUnknown
	}
	in := instruction{op: op, k: at, size: uint8(size)}
	switch size {
	case 1:
	case 2:
		in.op++
	case 4:
		in.op += 2
	default:
		return in, errors.New("loads are of 1, 2 or 4 bytes")
	}
	return in, nil
}

// constantALU makes an operation with a constant.
func constantALU(x bpf.ALUOpConstant) (instruction, error) {
	op, ok := arithmeticOps[x.Op]
	switch {
	case !ok:
		return instruction{}, errors.New("there is no such operator")
	case x.Val == 0 && (op == opDiv || op == opMod):
		return instruction{}, errors.New("division by zero")
	case x.Val > 31 && (op == opShiftLeft || op == opShiftRight):
		return instruction{}, errors.New("shift by more than 31 bits")
	}
	return instruction{op: op, k: x.Val}, nil
}

// jump makes a conditional jump; base is opEqual or opEqualX.
func jump(at int, cond bpf.JumpTest, base opcode, k uint32, skipTrue, skipFalse uint8) (instruction, error) {
	in := instruction{op: base, k: k, to: target(at, uint32(skipTrue)), no: target(at, uint32(skipFalse))}
	turned := false
	switch cond {
	case bpf.JumpEqual:
	case bpf.JumpNotEqual:
		turned = true
	case bpf.JumpGreaterThan:
		in.op += opGreater - opEqual
	case bpf.JumpLessOrEqual:
		in.op, turned = in.op+opGreater-opEqual, true
	case bpf.JumpGreaterOrEqual:
		in.op += opAtLeast - opEqual
	case bpf.JumpLessThan:
		in.op, turned = in.op+opAtLeast-opEqual, true
	case bpf.JumpBitsSet:
		in.op += opBits - opEqual
	case bpf.JumpBitsNotSet:
		in.op, turned = in.op+opBits-opEqual, true
	default:
		return in, errors.New("there is no such condition")
	}
	if turned {
		in.to, in.no = in.no, in.to
	}
	return in, nil
}

// target is where a jump leads, beyond all programs if it would wrap around.
func target(at int, skip uint32) int32 {
	return int32(at + 1 + int(min(skip, maxProgram)))
}
