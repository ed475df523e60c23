package capfilter

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
)

// asKernel puts what the kernel would say of a packet in the place of the loads that
// ask it, for a packet of Linux cooked v2.
func asKernel(prog []bpf.Instruction, p packet) []bpf.Instruction {
	out := make([]bpf.Instruction, len(prog))
	for i, in := range prog {
		out[i] = in
		if x, ok := in.(bpf.LoadExtension); ok {
			v := uint32(p.wire - cookedHeader)
			switch x.Num {
			case bpf.ExtProto:
				v = uint32(binary.BigEndian.Uint16(p.data))
			case bpf.ExtInterfaceIndex:
				v = binary.BigEndian.Uint32(p.data[4:])
			case bpf.ExtLinkLayerType:
				v = uint32(binary.BigEndian.Uint16(p.data[8:]))
			case bpf.ExtType:
				v = uint32(p.data[10])
			}
			out[i] = bpf.LoadConstant{Dst: bpf.RegA, Val: v}
		}
	}
	return out
}

// TestForCooked compares programs with what they are rewritten to, without the
// kernel: TestKernelCooked is with it.
func TestForCooked(t *testing.T) {
	all := packets(276, 1000)
	rewritten := 0
	exprs := append(expressionTable(t), "link[0:2] = 0x800", "link[4:4] = 2", "link[8:2] = 1", "link[10] = 4 and udp", "len = 100 or ip")
	for _, e := range exprs {
		prog, err := Compile(e, 276)
		if err != nil {
			continue
		}
		cooked, ok := ForCooked(prog)
		if !ok {
			t.Logf("not to be rewritten: %s", e)
			continue
		}
		rewritten++
		vm, err := NewVM(prog)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			if len(p.data) < cookedHeader {
				continue
			}
			vc, err := NewVM(asKernel(cooked, p))
			if err != nil {
				t.Fatalf("%s: %v", e, err)
			}
			if got, want := vc.Match(p.data[cookedHeader:], p.wire-cookedHeader), vm.Match(p.data, p.wire); got != want {
				t.Fatalf("%s: %v, want %v: %x", e, got, want, p.data)
			}
		}
	}
	if rewritten < 200 {
		t.Errorf("only %d were rewritten", rewritten)
	}
}

// TestForCookedRefuses what the kernel can't be asked for, and jumps that get too long.
func TestForCookedRefuses(t *testing.T) {
	for _, e := range []string{"link[0] = 8", "link[12:4] = 1", "link[18:4] = 1", "link[len] = 1"} {
		prog, err := Compile(e, 276)
		if err != nil {
			t.Fatal(err)
		}
		if out, ok := ForCooked(prog); ok {
			t.Errorf("%s: %v", e, out)
		}
	}
	far := []bpf.Instruction{bpf.JumpIf{SkipTrue: 255}}
	for range 255 {
		far = append(far, bpf.LoadExtension{Num: bpf.ExtLen})
	}
	far = append(far, bpf.RetA{})
	if out, ok := ForCooked(far); ok {
		t.Errorf("%v", out[0])
	}
	if _, ok := ForCooked([]bpf.Instruction{bpf.Jump{Skip: 0xffffffff}, bpf.RetA{}}); ok {
		t.Error("a jump out of the program")
	}
}

// TestAcceptTagged says what is put before a program.
func TestAcceptTagged(t *testing.T) {
	prog := []bpf.Instruction{bpf.RetConstant{}}
	out := AcceptTagged(prog)
	for tagged, want := range []bool{false, true} {
		run := append([]bpf.Instruction{bpf.LoadConstant{Dst: bpf.RegA, Val: uint32(tagged)}}, out[1:]...)
		vm, err := NewVM(run)
		if err != nil {
			t.Fatal(err)
		}
		if got := vm.Match(nil, 0); got != want {
			t.Errorf("tag present %d: %v", tagged, got)
		}
	}
}
