package capfilter

import "golang.org/x/net/bpf"

// cookedHeader is the length of the header of Linux cooked v2.
const cookedHeader = 20

// cookedFields are the fields of that header that the kernel knows of packets
// without one, by place and size.
var cookedFields = map[[2]int]bpf.Extension{
	{0, 2}:  bpf.ExtProto,
	{4, 4}:  bpf.ExtInterfaceIndex,
	{8, 2}:  bpf.ExtLinkLayerType,
	{10, 1}: bpf.ExtType,
}

// ForCooked rewrites a program for packets of Linux cooked v2 so that the kernel
// runs it for a packet socket of type SOCK_DGRAM. There the data begins with the
// network header, 20 bytes later, and what the link header says is asked from the
// kernel: the protocol, the index and type of the interface and the direction of
// the packet. ok is false if the program looks at anything else of the header, or
// if its jumps can't be made as long as they get.
func ForCooked(prog []bpf.Instruction) (out []bpf.Instruction, ok bool) {
	start := make([]int, len(prog)+1) // where instructions come to stand
	for i, in := range prog {
		start[i+1] = start[i] + 1
		if isLength(in) {
			start[i+1]++ // for the header
		}
	}
	for i, in := range prog {
		moved, ok := cooked(in, i, start)
		if !ok {
			return nil, false
		}
		out = append(out, moved)
		if isLength(in) {
			out = append(out, bpf.ALUOpConstant{Op: bpf.ALUOpAdd, Val: cookedHeader})
		}
	}
	return out, len(out) <= maxProgram
}

// isLength tells the load of the length of the packet.
func isLength(in bpf.Instruction) bool {
	x, ok := in.(bpf.LoadExtension)
	return ok && x.Num == bpf.ExtLen
}

// cooked rewrites the i-th instruction; start says where all of them come to stand.
func cooked(in bpf.Instruction, i int, start []int) (bpf.Instruction, bool) {
	skip := func(n uint32) (uint32, bool) {
		to := i + 1 + int(min(n, maxProgram))
		if to >= len(start) {
			return 0, false
		}
		return uint32(start[to] - start[i+1]), true
	}
	switch x := in.(type) {
	case bpf.LoadAbsolute:
		if x.Off >= cookedHeader {
			x.Off -= cookedHeader
			return x, true
		}
		ext, ok := cookedFields[[2]int{int(x.Off), x.Size}]
		return bpf.LoadExtension{Num: ext}, ok
	case bpf.LoadIndirect:
		x.Off -= cookedHeader
		return x, x.Off < lowestSpecial
	case bpf.LoadMemShift:
		x.Off -= cookedHeader
		return x, x.Off < lowestSpecial
	case bpf.Jump:
		n, ok := skip(x.Skip)
		return bpf.Jump{Skip: n}, ok
	case bpf.JumpIf:
		yes, ok1 := skip(uint32(x.SkipTrue))
		no, ok2 := skip(uint32(x.SkipFalse))
		x.SkipTrue, x.SkipFalse = uint8(yes), uint8(no)
		return x, ok1 && ok2 && yes <= farthest && no <= farthest
	case bpf.JumpIfX:
		yes, ok1 := skip(uint32(x.SkipTrue))
		no, ok2 := skip(uint32(x.SkipFalse))
		x.SkipTrue, x.SkipFalse = uint8(yes), uint8(no)
		return x, ok1 && ok2 && yes <= farthest && no <= farthest
	}
	return in, true
}

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
