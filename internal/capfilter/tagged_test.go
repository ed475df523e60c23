package capfilter

import (
	"testing"

	"golang.org/x/net/bpf"
)

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
