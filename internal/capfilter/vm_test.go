package capfilter

import (
	"testing"

	"golang.org/x/net/bpf"
	"pgregory.net/rapid"
)

// drawProgram makes a valid program of up to 30 instructions.
func drawProgram(t *rapid.T) []bpf.Instruction {
	n := rapid.IntRange(1, 30).Draw(t, "n")
	var prog []bpf.Instruction
	for i := range n - 1 {
		prog = append(prog, drawInstruction(t, n-2-i))
	}
	return append(prog, rapid.SampledFrom([]bpf.Instruction{bpf.RetA{}, bpf.RetConstant{Val: 7}, bpf.RetConstant{}}).Draw(t, "end"))
}

// drawInstruction makes one that is followed by so many before the last.
func drawInstruction(t *rapid.T, rest int) bpf.Instruction {
	k := rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32()).Draw(t, "k")
	size := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "size")
	cell := rapid.IntRange(0, 15).Draw(t, "cell")
	reg := rapid.SampledFrom([]bpf.Register{bpf.RegA, bpf.RegX}).Draw(t, "reg")
	op := rapid.SampledFrom([]bpf.ALUOp{bpf.ALUOpAdd, bpf.ALUOpSub, bpf.ALUOpMul, bpf.ALUOpDiv, bpf.ALUOpMod,
		bpf.ALUOpAnd, bpf.ALUOpOr, bpf.ALUOpXor, bpf.ALUOpShiftLeft, bpf.ALUOpShiftRight}).Draw(t, "op")
	cond := bpf.JumpTest(rapid.IntRange(int(bpf.JumpEqual), int(bpf.JumpBitsNotSet)).Draw(t, "cond"))
	yes, no := uint8(rapid.IntRange(0, rest).Draw(t, "yes")), uint8(rapid.IntRange(0, rest).Draw(t, "no"))
	switch rapid.IntRange(0, 15).Draw(t, "kind") {
	case 0:
		return bpf.LoadConstant{Dst: reg, Val: k}
	case 1, 2:
		return bpf.LoadAbsolute{Off: k % 64, Size: size}
	case 3:
		return bpf.LoadIndirect{Off: k % 64, Size: size}
	case 4:
		return bpf.LoadMemShift{Off: k % 64}
	case 5:
		return bpf.LoadExtension{Num: bpf.ExtLen}
	case 6:
		return bpf.LoadScratch{Dst: reg, N: cell}
	case 7:
		return bpf.StoreScratch{Src: reg, N: cell}
	case 8:
		return bpf.TAX{}
	case 9:
		return bpf.TXA{}
	case 10:
		return bpf.NegateA{}
	case 11:
		if op == bpf.ALUOpShiftLeft || op == bpf.ALUOpShiftRight {
			k %= 32
		}
		return bpf.ALUOpConstant{Op: op, Val: max(k, 1)}
	case 12:
		return bpf.ALUOpX{Op: op}
	case 13:
		return bpf.Jump{Skip: uint32(no)}
	case 14:
		return bpf.JumpIfX{Cond: cond, SkipTrue: yes, SkipFalse: no}
	}
	return bpf.JumpIf{Cond: cond, Val: k, SkipTrue: yes, SkipFalse: no}
}

// TestVMAgainstNet runs random programs on random packets here and in x/net's
// machine, which knows no other length than that of the data.
func TestVMAgainstNet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prog := drawProgram(t)
		other, err := bpf.NewVM(prog)
		if err != nil {
			t.Skip(err)
		}
		vm, err := NewVM(prog)
		if err != nil {
			t.Fatalf("%v: %v", prog, err)
		}
		data := rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(t, "data")
		n, err := other.Run(data)
		if err != nil {
			t.Skip(err)
		}
		if got := vm.Match(data, len(data)); got != (n != 0) {
			t.Fatalf("%v: we say %v, x/net %d", prog, got, n)
		}
	})
}

// TestProgramsAgainstNet runs the programs of the table in both machines.
func TestProgramsAgainstNet(t *testing.T) {
	all := packets(ethernet, 2000)
	for _, e := range expressionTable(t) {
		prog, err := Compile(e, ethernet)
		if err != nil {
			continue
		}
		other, err := bpf.NewVM(prog)
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		vm, err := NewVM(prog)
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		for _, p := range all {
			n, err := other.Run(p.data)
			if got := vm.Match(p.data, len(p.data)); err != nil || got != (n != 0) {
				t.Fatalf("%s: we say %v, x/net %d, %v: %x", e, got, n, err, p.data)
			}
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
