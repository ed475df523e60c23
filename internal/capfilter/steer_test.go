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
	r     *rand.Rand // nil to change nothing
	data  []byte
	wire  int
	want  map[int]bool // outcomes drawn, by position
	ends  []int        // of loads
	stuck bool         // it can't go on: a load was after the end of data, or a divisor 0

	a, x uint32
	mem  [scratchWords]uint32
	from source
}

// A source is the bytes that A was loaded from, and the bits of them that it has.
type source struct {
	at, size int
	mask     uint32
}

// stuck says whether a program looks beyond the end of a packet or divides by zero,
// and so rejects it.
func stuck(prog []bpf.Instruction, p packet) bool {
	s := steer{data: p.data, wire: p.wire}
	s.run(prog)
	return s.stuck
}

// run gives true if it changed the packet.
func (s *steer) run(prog []bpf.Instruction) bool {
	for pc := 0; pc < len(prog); pc++ {
		jump, rhs := bpf.JumpIf{}, s.x
		switch in := prog[pc].(type) {
		case bpf.Jump:
			pc += int(in.Skip)
			continue
		case bpf.JumpIf:
			jump, rhs = in, in.Val
		case bpf.JumpIfX:
			jump = bpf.JumpIf{Cond: in.Cond, SkipTrue: in.SkipTrue, SkipFalse: in.SkipFalse}
		default:
			if !s.load(in) && !s.compute(in) || s.stuck {
				return false
			}
			continue
		}
		holds, changed := s.branch(pc, jump.Cond, rhs)
		if changed {
			return true
		}
		if holds {
			pc += int(jump.SkipTrue)
		} else {
			pc += int(jump.SkipFalse)
		}
	}
	return false
}

// load does an instruction that reads the packet, and says whether it was one.
func (s *steer) load(in bpf.Instruction) bool {
	switch in := in.(type) {
	case bpf.LoadAbsolute:
		s.a = s.read(int64(in.Off), in.Size)
		s.from = source{int(in.Off), in.Size, 0xffffffff}
	case bpf.LoadIndirect:
		at := int64(in.Off) + int64(s.x)
		s.a = s.read(at, in.Size)
		s.from = source{int(at), in.Size, 0xffffffff}
	case bpf.LoadMemShift:
		s.x = s.read(int64(in.Off), 1) & 0xf * 4
	default:
		return false
	}
	return true
}

// compute does another instruction; false ends the program.
func (s *steer) compute(in bpf.Instruction) bool {
	from := s.from
	s.from = source{}
	switch in := in.(type) {
	case bpf.LoadConstant:
		if in.Dst == bpf.RegA {
			s.a = in.Val
		} else {
			s.x = in.Val
		}
	case bpf.LoadExtension:
		s.a = uint32(s.wire)
	case bpf.LoadScratch:
		if in.Dst == bpf.RegA {
			s.a = s.mem[in.N]
		} else {
			s.x = s.mem[in.N]
		}
	case bpf.StoreScratch:
		s.mem[in.N] = s.a
		if in.Src == bpf.RegX {
			s.mem[in.N] = s.x
		}
		s.from = from
	case bpf.TAX:
		s.x, s.from = s.a, from
	case bpf.TXA:
		s.a = s.x
	case bpf.NegateA:
		s.a = -s.a
	case bpf.ALUOpConstant:
		if in.Op == bpf.ALUOpAnd {
			from.mask &= in.Val
			s.from = from
		}
		s.a = alu(in.Op, s.a, in.Val)
	case bpf.ALUOpX:
		if s.x == 0 && (in.Op == bpf.ALUOpDiv || in.Op == bpf.ALUOpMod) {
			s.stuck = true
			return false
		}
		s.a = alu(in.Op, s.a, s.x)
	default:
		return false
	}
	return true
}

// read gives bytes of the packet.
func (s *steer) read(at int64, size int) uint32 {
	if at+int64(size) > int64(len(s.data)) {
		s.stuck = true
		return 0
	}
	s.ends = append(s.ends, int(at)+size)
	return load(s.data[at:], uint8(size))
}

// branch decides a test, and changes the packet if another outcome was drawn.
func (s *steer) branch(pc int, cond bpf.JumpTest, k uint32) (holds, changed bool) {
	a := s.a
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
	if s.r == nil {
		return holds, false
	}
	return holds, s.turn(pc, cond, k, holds, negated, good)
}

// turn draws the outcome of a test that holds or not, and changes the bytes that A
// came from if it is another one.
func (s *steer) turn(pc int, cond bpf.JumpTest, k uint32, holds, negated bool, good uint32) bool {
	from := s.from
	want, drawn := s.want[pc]
	if !drawn {
		want = s.r.IntN(3) > 0 != negated
		s.want[pc] = want
	}
	if want == holds || from.size == 0 || s.r.IntN(20) == 0 {
		return false
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
		return false
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
	return v != old
}

// load reads 1, 2 or 4 bytes.
func load(data []byte, size uint8) uint32 {
	switch size {
	case 1:
		return uint32(data[0])
	case 2:
		return uint32(binary.BigEndian.Uint16(data))
	}
	return binary.BigEndian.Uint32(data)
}
