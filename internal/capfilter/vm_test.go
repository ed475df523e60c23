package capfilter

import (
	"testing"

	"golang.org/x/net/bpf"
)

// TestVMNegates: x/net's machine has no negation.
func TestVMNegates(t *testing.T) {
	for _, a := range []uint32{0, 1, 5, 1 << 31, 1<<32 - 1} {
		vm, err := NewVM([]bpf.Instruction{bpf.LoadConstant{Val: a}, bpf.NegateA{}, bpf.JumpIf{Val: -a, SkipFalse: 1}, bpf.RetConstant{Val: 1}, bpf.RetConstant{}})
		if err != nil {
			t.Fatal(err)
		}
		if !vm.Match(nil, 0) {
			t.Errorf("-%d is not %d", a, -a)
		}
	}
}

// TestVMRefuses holds what is no program.
func TestVMRefuses(t *testing.T) {
	end := bpf.RetConstant{}
	for _, prog := range [][]bpf.Instruction{
		nil,
		make([]bpf.Instruction, 4097),
		{bpf.TAX{}},
		{bpf.Jump{Skip: 1}, end},
		{bpf.Jump{Skip: 0xffffffff}, end},
		{bpf.JumpIf{SkipTrue: 1}, end},
		{bpf.JumpIf{Cond: bpf.JumpNotEqual, SkipFalse: 1}, end},
		{bpf.JumpIfX{SkipFalse: 200}, end},
		{bpf.ALUOpConstant{Op: bpf.ALUOpDiv}, end},
		{bpf.ALUOpConstant{Op: bpf.ALUOpMod}, end},
		{bpf.ALUOpConstant{Op: bpf.ALUOpShiftLeft, Val: 32}, end},
		{bpf.LoadScratch{N: 16}, end},
		{bpf.StoreScratch{N: -1}, end},
		{bpf.LoadExtension{Num: bpf.ExtVLANTag}, end},
		{bpf.LoadAbsolute{Off: 0xfffff000, Size: 4}, end},
		{bpf.LoadAbsolute{Size: 3}, end},
		{bpf.RawInstruction{Op: 0xffff}, end},
		{nil, end},
	} {
		if _, err := NewVM(prog); err == nil {
			t.Errorf("%v is taken", prog)
		}
	}
}

// TestWireLength says which length a program sees.
func TestWireLength(t *testing.T) {
	prog, err := Compile("len = 1000", ethernet)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := NewVM(prog)
	if err != nil {
		t.Fatal(err)
	}
	if !vm.Match(make([]byte, 60), 1000) || vm.Match(make([]byte, 1000), 60) {
		t.Error("the captured length counts")
	}
}

// TestMatchAllocates nothing.
func TestMatchAllocates(t *testing.T) {
	vm := newBenchVM(t, "udp port 2302 and udp[8] = 0x3f")
	all := packets(ethernet, 100)
	if n := testing.AllocsPerRun(10, func() {
		for _, p := range all {
			vm.Match(p.data, p.wire)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
