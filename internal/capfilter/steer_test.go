package capfilter

import (
	"encoding/binary"
	"math/rand/v2"

	"golang.org/x/net/bpf"
)

// A packet is what was captured of one, and its length on the wire.
type packet struct {
	data []byte
	wire int
}

// steered makes a packet that takes a random way through a program: where a test
// looks at bytes of the packet, they are changed so that it has the outcome drawn
// for it. Then the packet may be cut around a place that the program loads.
func steered(r *rand.Rand, prog []bpf.Instruction, base []byte) packet {
	data := append([]byte(nil), base...)
	for len(data) < 160 {
		data = append(data, byte(r.Uint32()))
	}
	want := map[int]bool{}
	var ends []int
	for range 40 {
		s := steer{r: r, data: data, want: want, wire: len(data)}
		again := s.run(prog)
		ends = s.ends
		if !again {
			break
		}
	}
	p := packet{data, len(data)}
	switch r.IntN(4) {
	case 0:
	case 1:
		p.data = data[:r.IntN(len(data)+1)]
	default:
		if len(ends) > 0 {
			p.data = data[:max(0, min(len(data), ends[r.IntN(len(ends))]-r.IntN(3)+1))]
		}
	}
	if r.IntN(3) == 0 {
		p.wire = len(p.data)
	}
	return p
}

// A steer is one run of a program that stops when it changed the packet.
type steer struct {
	r    *rand.Rand
	data []byte
	wire int
	want map[int]bool // outcomes drawn, by position
	ends []int        // of loads
}

// A source is the bytes that a register was loaded from, and the bits of them that
// it has.
type source struct {
	at, size int
	mask     uint32
}

// run gives true if it changed the packet.
func (s *steer) run(prog []bpf.Instruction) bool {
	var a, x uint32
	var from source
	var mem [16]uint32
	for pc := 0; pc < len(prog); pc++ {
		known := false
		switch in := prog[pc].(type) {
		case bpf.LoadAbsolute:
			if !s.load(int64(in.Off), in.Size, &a) {
				return false
			}
			from, known = source{int(in.Off), in.Size, 0xffffffff}, true
		case bpf.LoadIndirect:
			at := int64(in.Off) + int64(x)
			if !s.load(at, in.Size, &a) {
				return false
			}
			from, known = source{int(at), in.Size, 0xffffffff}, true
		case bpf.LoadMemShift:
			var b uint32
			if !s.load(int64(in.Off), 1, &b) {
				return false
			}
			x, known = b&0xf*4, true
		case bpf.LoadConstant:
			if in.Dst == bpf.RegA {
				a = in.Val
			} else {
				x = in.Val
			}
		case bpf.LoadExtension:
			a = uint32(s.wire)
		case bpf.LoadScratch:
			if in.Dst == bpf.RegA {
				a = mem[in.N]
			} else {
				x = mem[in.N]
			}
		case bpf.StoreScratch:
			if in.Src == bpf.RegA {
				mem[in.N] = a
			} else {
				mem[in.N] = x
			}
			known = true
		case bpf.TAX:
			x, known = a, true
		case bpf.TXA:
			a = x
		case bpf.ALUOpConstant:
			if in.Op == bpf.ALUOpAnd {
				from.mask &= in.Val
				known = true
			}
			a = alu(in.Op, a, in.Val)
		case bpf.ALUOpX:
			if x == 0 && (in.Op == bpf.ALUOpDiv || in.Op == bpf.ALUOpMod) {
				return false
			}
			a = alu(in.Op, a, x)
		case bpf.Jump:
			pc += int(in.Skip)
			known = true
		case bpf.JumpIf:
			holds, changed := s.branch(pc, in.Cond, a, in.Val, from)
			if changed {
				return true
			}
			pc += int(in.SkipFalse)
			if holds {
				pc += int(in.SkipTrue) - int(in.SkipFalse)
			}
			known = true
		case bpf.JumpIfX:
			holds, changed := s.branch(pc, in.Cond, a, x, from)
			if changed {
				return true
			}
			pc += int(in.SkipFalse)
			if holds {
				pc += int(in.SkipTrue) - int(in.SkipFalse)
			}
			known = true
		default:
			return false
		}
		if !known {
			from = source{}
		}
	}
	return false
}

// load reads from the packet.
func (s *steer) load(at int64, size int, v *uint32) bool {
	if at+int64(size) > int64(len(s.data)) {
		return false
	}
	s.ends = append(s.ends, int(at)+size)
	*v = load(s.data[at:], uint8(size))
	return true
}

// branch decides a test, and changes the packet if another outcome was drawn.
func (s *steer) branch(pc int, cond bpf.JumpTest, a, k uint32, from source) (holds, changed bool) {
	negated := cond == bpf.JumpNotEqual || cond == bpf.JumpLessOrEqual || cond == bpf.JumpLessThan || cond == bpf.JumpBitsNotSet
	holds = negated
	var good uint32 // a value for which the positive test holds
	switch cond {
	case bpf.JumpEqual, bpf.JumpNotEqual:
		holds, good = (a == k) != negated, k
	case bpf.JumpGreaterThan, bpf.JumpLessOrEqual:
		holds, good = (a > k) != negated, k+1
	case bpf.JumpGreaterOrEqual, bpf.JumpLessThan:
		holds, good = (a >= k) != negated, k
	default:
		holds, good = (a&k != 0) != negated, k
	}
	want, drawn := s.want[pc]
	if !drawn {
		want = s.r.IntN(3) > 0 != negated
		s.want[pc] = want
	}
	if want == holds || from.size == 0 || s.r.IntN(20) == 0 {
		return holds, false
	}
	v := good
	if want == negated { // the positive test shall fail
		v = good ^ 1<<s.r.IntN(8*from.size)
		if cond == bpf.JumpBitsSet || cond == bpf.JumpBitsNotSet {
			v = 0
		} else if cond != bpf.JumpEqual && cond != bpf.JumpNotEqual {
			v = k - 1 - uint32(s.r.IntN(2))
		}
	}
	if from.size < 4 && v>>(8*from.size) != 0 {
		return holds, false
	}
	old := load(s.data[from.at:], uint8(from.size))
	v = v&from.mask | old&^from.mask
	switch from.size {
	case 1:
		s.data[from.at] = byte(v)
	case 2:
		binary.BigEndian.PutUint16(s.data[from.at:], uint16(v))
	default:
		binary.BigEndian.PutUint32(s.data[from.at:], v)
	}
	return holds, v != old
}
