package capture

import (
	"fmt"

	"golang.org/x/net/bpf"

	"github.com/dpdissect/dpdissect/internal/capfilter"
)

// A Filter selects packets in the manner of the kernel's socket filters.
type Filter struct {
	program LinkFilter
	vms     map[LinkType]*capfilter.VM
	last    *capfilter.VM
	link    LinkType // of last
}

// A LinkFilter gives the program that selects packets of a link type. The error
// says that there is none.
type LinkFilter func(LinkType) ([]bpf.Instruction, error)

// NewFilter compiles an expression in pcap-filter's syntax. The error is a
// *syntax.Error.
func NewFilter(expr string) (*Filter, error) {
	if err := capfilter.Check(expr); err != nil {
		return nil, err
	}
	return &Filter{program: func(l LinkType) ([]bpf.Instruction, error) { return capfilter.Compile(expr, uint32(l)) }}, nil
}

// NewBytecodeFilter takes a program as it is, for packets of any link type.
func NewBytecodeFilter(prog []bpf.Instruction) *Filter {
	return &Filter{program: func(LinkType) ([]bpf.Instruction, error) { return prog, nil }}
}

// match judges a packet. The error says that the filter has no meaning for packets
// of its link type.
func (f *Filter) match(rec *Record) (bool, error) {
	if f.last == nil || f.link != rec.Link {
		vm, err := f.vm(rec.Link)
		if err != nil {
			return false, err
		}
		f.last, f.link = vm, rec.Link
	}
	return f.last.Match(rec.Data, rec.WireLen), nil
}

// Fits is nil where the filter has a meaning for packets of a link type.
func (f *Filter) Fits(l LinkType) error {
	_, err := f.vm(l)
	return err
}

func (f *Filter) vm(l LinkType) (*capfilter.VM, error) {
	if vm := f.vms[l]; vm != nil {
		return vm, nil
	}
	prog, err := f.program(l)
	if err != nil {
		return nil, fmt.Errorf("the capture filter is not applicable to packets of %v: %w", l, err)
	}
	vm, err := capfilter.NewVM(prog)
	if err != nil {
		return nil, fmt.Errorf("the capture filter: %w", err)
	}
	if f.vms == nil {
		f.vms = map[LinkType]*capfilter.VM{}
	}
	f.vms[l] = vm
	return vm, nil
}
