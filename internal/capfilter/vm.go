package capfilter

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/net/bpf"
)

// A VM runs a program on packets of files. It is safe for concurrent use.
type VM struct{ code []instruction }

// An instruction is one of a program, with jumps as positions.
type instruction struct {
	op     opcode
	size   uint8
	k      uint32
	no, to int32 // where a jump leads when its condition fails, and holds
}

// opcode says what an instruction does; those with X take X for their constant.
type opcode uint8

const (
	opReturn opcode = iota
	opReturnA
	opLoadConst
	opLoadXConst
	opLoadLen
	opLoad8
	opLoad16
	opLoad32
	opLoad8X
	opLoad16X
	opLoad32X
	opHeader
	opLoadMem
	opLoadXMem
	opStore
	opStoreX
	opTAX
	opTXA
	opNegate
	opAdd
	opSub
	opMul
	opDiv
	opMod
	opAnd
	opOr
	opXor
	opShiftLeft
	opShiftRight
	opAddX
	opSubX
	opMulX
	opDivX
	opModX
	opAndX
	opOrX
	opXorX
	opShiftLeftX
	opShiftRightX
	opJump
	opEqual
	opGreater
	opAtLeast
	opBits
	opEqualX
	opGreaterX
	opAtLeastX
	opBitsX
)

// NewVM makes a VM of a program that is valid as the kernel understands it: of 1 to
// 4096 instructions, with jumps that stay inside, the last one a return, and no
// division by a constant 0. Instructions that ask for more than the packet and its
// length are an error, since files have no more.
func NewVM(prog []bpf.Instruction) (*VM, error) {
	if len(prog) == 0 || len(prog) > maxProgram {
		return nil, fmt.Errorf("a program has 1 to %d instructions, this one %d", maxProgram, len(prog))
	}
	vm := &VM{make([]instruction, len(prog))}
	for i, in := range prog {
		d, err := decode(in, i)
		if err == nil && (int(d.no) >= len(prog) || int(d.to) >= len(prog)) {
			err = errors.New("the jump leads out of the program")
		}
		if err != nil {
			return nil, fmt.Errorf("instruction %d (%v): %w", i+1, in, err)
		}
		vm.code[i] = d
	}
	if last := vm.code[len(prog)-1].op; last != opReturn && last != opReturnA {
		return nil, errors.New("the last instruction is not a return")
	}
	return vm, nil
}

// Match says whether the program selects a packet, of which data was captured and
// which had wireLen bytes. As in the kernel, a load after the captured bytes and a
// division by zero reject it.
func (v *VM) Match(data []byte, wireLen int) bool {
	var a, x uint32
	var mem [scratchWords]uint32
	code := v.code
	for pc := 0; ; {
		in := &code[pc]
		k := in.k
		pc++
		switch in.op {
		case opReturn:
			return k != 0
		case opReturnA:
			return a != 0
		case opLoadLen:
			a = uint32(wireLen)
		case opLoad8:
			if uint64(k) >= uint64(len(data)) {
				return false
			}
			a = uint32(data[k])
		case opLoad16:
			if uint64(k)+2 > uint64(len(data)) {
				return false
			}
			a = uint32(binary.BigEndian.Uint16(data[k:]))
		case opLoad32:
			if uint64(k)+4 > uint64(len(data)) {
				return false
			}
			a = binary.BigEndian.Uint32(data[k:])
		case opLoad8X, opLoad16X, opLoad32X:
			at := uint64(k) + uint64(x)
			if at+uint64(in.size) > uint64(len(data)) {
				return false
			}
			a = load(data[at:], in.size)
		case opHeader:
			if uint64(k) >= uint64(len(data)) {
				return false
			}
			x = uint32(data[k]&0xf) * 4
		case opJump:
			pc = int(in.to)
		case opEqual:
			pc = in.branch(a == k)
		case opGreater:
			pc = in.branch(a > k)
		case opAtLeast:
			pc = in.branch(a >= k)
		case opBits:
			pc = in.branch(a&k != 0)
		case opEqualX:
			pc = in.branch(a == x)
		case opGreaterX:
			pc = in.branch(a > x)
		case opAtLeastX:
			pc = in.branch(a >= x)
		case opBitsX:
			pc = in.branch(a&x != 0)
		case opLoadConst, opLoadXConst, opLoadMem, opLoadXMem, opStore, opStoreX, opTAX, opTXA:
			a, x = in.move(a, x, &mem)
		default:
			var ok bool
			if a, ok = in.arithmetic(a, x); !ok {
				return false
			}
		}
	}
}

// branch gives the position where a jump leads.
func (in *instruction) branch(holds bool) int {
	if holds {
		return int(in.to)
	}
	return int(in.no)
}

// load reads 1, 2 or 4 bytes.
func load(data []byte, size uint8) uint32 {
	switch size {
	case 1:
		return uint32(data[0])
	case 2:
		return uint32(binary.BigEndian.Uint16(data))
	}
	return binary.BigEndian.Uint32(data)
}

// move gives A and X after an instruction that sets one of them or a scratch cell.
func (in *instruction) move(a, x uint32, mem *[scratchWords]uint32) (newA, newX uint32) {
	k := in.k
	switch in.op {
	case opLoadConst:
		a = k
	case opLoadXConst:
		x = k
	case opLoadMem:
		a = mem[k&(scratchWords-1)]
	case opLoadXMem:
		x = mem[k&(scratchWords-1)]
	case opStore:
		mem[k&(scratchWords-1)] = a
	case opStoreX:
		mem[k&(scratchWords-1)] = x
	case opTAX:
		x = a
	case opTXA:
		a = x
	}
	return a, x
}

// arithmetic computes A; ok is false for a division by zero.
func (in *instruction) arithmetic(a, x uint32) (result uint32, ok bool) {
	if in.op == opNegate {
		return -a, true
	}
	op, b := in.op, in.k
	if op >= opAddX {
		op, b = op-opAddX+opAdd, x
	}
	switch op {
	case opAdd:
		return a + b, true
	case opSub:
		return a - b, true
	case opMul:
		return a * b, true
	case opDiv:
		if b == 0 {
			return 0, false
		}
		return a / b, true
	case opMod:
		if b == 0 {
			return 0, false
		}
		return a % b, true
	case opAnd:
		return a & b, true
	case opOr:
		return a | b, true
	case opXor:
		return a ^ b, true
	case opShiftLeft:
		return a << b, true
	}
	return a >> b, true
}
