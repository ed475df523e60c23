package capfilter

import (
	"errors"
	"fmt"

	"golang.org/x/net/bpf"
)

// A VM runs a program on packets of files, in the machine of x/net. It is safe for concurrent use.
type VM struct {
	machine *bpf.VM
	prog    []bpf.Instruction // where it asks for the length of packets, else nil
}

// errUnknown is what files have nothing for.
var errUnknown = errors.New("packets of files have nothing that it could load")

// lowestSpecial is where places begin that are no bytes of the packet for the kernel.
const lowestSpecial = 1 << 31

// NewVM makes a VM of a program that is valid as the kernel understands it: of 1 to
// 4096 instructions, with jumps that stay inside, the last one a return, and no
// division by a constant 0. Instructions that ask for more than the packet and its
// length are an error, since files have no more.
func NewVM(prog []bpf.Instruction) (*VM, error) {
	if len(prog) == 0 || len(prog) > maxProgram {
		return nil, fmt.Errorf("a program has 1 to %d instructions, this one %d", maxProgram, len(prog))
	}
	vm := &VM{}
	run := make([]bpf.Instruction, len(prog))
	for i, in := range prog {
		if err := check(in); err != nil {
			return nil, fmt.Errorf("instruction %d (%v): %w", i+1, in, err)
		}
		switch in.(type) {
		case bpf.NegateA: // which the machine does not have; it is the same modulo 2^32
			in = bpf.ALUOpConstant{Op: bpf.ALUOpMul, Val: 1<<32 - 1}
		case bpf.LoadExtension:
			vm.prog = run
		}
		run[i] = in
	}
	var err error
	vm.machine, err = bpf.NewVM(run)
	return vm, err
}

// check refuses what the machine would run and the kernel would not, and what files have nothing for.
func check(in bpf.Instruction) error {
	switch x := in.(type) {
	case nil, bpf.RawInstruction:
		return errors.New("there is no such instruction")
	case bpf.LoadExtension:
		if x.Num != bpf.ExtLen {
			return errUnknown
		}
	case bpf.LoadAbsolute:
		return inPacket(x.Off)
	case bpf.LoadIndirect:
		return inPacket(x.Off)
	case bpf.ALUOpConstant:
		switch {
		case x.Val == 0 && (x.Op == bpf.ALUOpDiv || x.Op == bpf.ALUOpMod):
			return errors.New("division by zero")
		case x.Val > 31 && (x.Op == bpf.ALUOpShiftLeft || x.Op == bpf.ALUOpShiftRight):
			return errors.New("shift by more than 31 bits")
		}
	}
	return nil
}

func inPacket(at uint32) error {
	if at >= lowestSpecial {
		return errUnknown
	}
	return nil
}

// Match says whether the program selects a packet, of which data was captured and
// which had wireLen bytes. As in the kernel, a load after the captured bytes and a
// division by zero reject it.
func (v *VM) Match(data []byte, wireLen int) bool {
	machine := v.machine
	if v.prog != nil && wireLen != len(data) {
		machine = v.ofLength(wireLen)
	}
	n, _ := machine.Run(data)
	return n != 0
}

// ofLength is the machine for a packet that is cut: for x/net's, packets are as long as what there is of them.
func (v *VM) ofLength(wireLen int) *bpf.VM {
	run := append([]bpf.Instruction(nil), v.prog...)
	for i, in := range run {
		if _, is := in.(bpf.LoadExtension); is {
			run[i] = bpf.LoadConstant{Dst: bpf.RegA, Val: uint32(wireLen)}
		}
	}
	machine, err := bpf.NewVM(run)
	if err != nil {
		panic(err) // NewVM took it already
	}
	return machine
}
