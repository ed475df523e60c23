package capfilter

import "golang.org/x/net/bpf"

// AcceptTagged makes a program for Ethernet accept all packets that the kernel has
// taken a VLAN tag off: it is not in the data that the program sees, so that they
// must be judged again once it is put back. Programs of Compile are short enough
// for the three instructions that it adds.
func AcceptTagged(prog []bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{
		bpf.LoadExtension{Num: bpf.ExtVLANTagPresent},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
		bpf.RetConstant{Val: acceptLength},
	}, prog...)
}
