// Package capfilter is capture filters.
package capfilter

import (
	"errors"
	"io"

	"golang.org/x/net/bpf"
)

var errNone = errors.New("expressions are not compiled yet")

// A VM runs a program on packets.
type VM struct{ vm *bpf.VM }

// NewVM checks a program.
func NewVM(p []bpf.Instruction) (*VM, error) { v, err := bpf.NewVM(p); return &VM{v}, err }

// Match judges a packet.
func (v *VM) Match(b []byte, _ int) bool { k, _ := v.vm.Run(b); return k > 0 }

// Check refuses every expression.
func Check(string) error { return errNone }

// Compile refuses every expression.
func Compile(string, uint32) ([]bpf.Instruction, error) { return nil, errNone }

// ForCooked can't rewrite anything.
func ForCooked([]bpf.Instruction) ([]bpf.Instruction, bool) { return nil, false }

// AcceptTagged accepts packets with a VLAN tag before the program is asked.
func AcceptTagged(p []bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{
		bpf.LoadExtension{Num: bpf.ExtVLANTagPresent},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
		bpf.RetConstant{Val: 262144},
	}, p...)
}

// ReadDDD refuses everything.
func ReadDDD(string, io.Reader) ([]bpf.Instruction, error) { return nil, errNone }
