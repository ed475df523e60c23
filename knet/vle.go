package knet

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// A VLE is a number of variable length. Its encodings are named after the
// groups of bits that stand in front of each "more follows" bit; here they go by
// the bits they hold:
//
//	VLE-1.7/8        15 bits   0aaaaaaa | 1aaaaaaa bbbbbbbb
//	VLE-1.7/1.7/16   30 bits   0aaaaaaa | 1aaaaaaa 0bbbbbbb | 1aaaaaaa 1bbbbbbb cccccccc cccccccc
//	VLE-1.15/16      31 bits   u16 with bit 15 clear | u16 with bit 15 set, u16
//
// All groups are little-endian (AMB-KN-02; VLEPacker.h). Size is the bytes it
// has on the wire, because nothing forbids a longer form than needed; 0 stands
// for the shortest.
type VLE struct {
	Value uint32
	Size  uint8
}

// Num is a VLE in its shortest form.
func Num(v uint32) VLE { return VLE{Value: v} }

// Largest values of the three encodings.
const (
	Max15 = 1<<15 - 1
	Max30 = 1<<30 - 1
	Max31 = 1<<31 - 1
)

// readVLE15 reads a VLE-1.7/8.
func readVLE15(r *dissect.Reader, f *dissect.Field) VLE {
	b := r.Peek(1)
	if b == nil || b[0] < 0x80 {
		return take(r, f, b, 1)
	}
	return take(r, f, r.Peek(2), 2)
}

// readVLE30 reads a VLE-1.7/1.7/16.
func readVLE30(r *dissect.Reader, f *dissect.Field) VLE {
	b := r.Peek(1)
	if b == nil || b[0] < 0x80 {
		return take(r, f, b, 1)
	}
	if b = r.Peek(2); b == nil || b[1] < 0x80 {
		return take(r, f, b, 2)
	}
	b = r.Peek(4)
	v := take(r, f, b, 4)
	if b != nil {
		v.Value = uint32(b[0]&0x7f) | uint32(b[1]&0x7f)<<7 | uint32(b[2])<<14 | uint32(b[3])<<22
		amend(r, v.Value)
	}
	return v
}

// readVLE31 reads a VLE-1.15/16.
func readVLE31(r *dissect.Reader, f *dissect.Field) VLE {
	b := r.Peek(2)
	n := 2
	if b != nil && b[1] >= 0x80 {
		n = 4
		b = r.Peek(4)
	}
	r.Skip(f, n)
	if b == nil {
		return VLE{}
	}
	v := uint32(binary.LittleEndian.Uint16(b) & 0x7fff)
	if n == 4 {
		v |= uint32(binary.LittleEndian.Uint16(b[2:])) << 15
	}
	r.Tree().Add(f, r.Pos()-n, n, uint64(v))
	return VLE{v, uint8(n)}
}

// take reads the n bytes of b, of which two are a low and a high group; without
// b it fails.
func take(r *dissect.Reader, f *dissect.Field, b []byte, n int) VLE {
	r.Skip(f, n)
	if b == nil {
		return VLE{}
	}
	v := uint32(b[0])
	if n > 1 {
		v = v&0x7f | uint32(b[1])<<7
	}
	r.Tree().Add(f, r.Pos()-n, n, uint64(v))
	return VLE{v, uint8(n)}
}

// amend corrects the value of the latest node.
func amend(r *dissect.Reader, v uint32) {
	if t := r.Tree(); t != nil {
		t.Nodes[len(t.Nodes)-1].Val = uint64(v)
	}
}

// Size30 counts the bytes that the VLE-1.7/1.7/16 has that starts with b, as far as
// b tells.
func Size30(b []byte) int {
	switch {
	case len(b) == 0 || b[0] < 0x80:
		return 1
	case len(b) == 1 || b[1] < 0x80:
		return 2
	}
	return 4
}

func (v VLE) append15(b []byte) []byte {
	if v.Size < 2 && v.Value < 1<<7 {
		return append(b, byte(v.Value))
	}
	return append(b, byte(v.Value)|0x80, byte(v.Value>>7))
}

func (v VLE) append30(b []byte) []byte {
	switch {
	case v.Size < 2 && v.Value < 1<<7:
		return append(b, byte(v.Value))
	case v.Size < 4 && v.Value < 1<<14:
		return append(b, byte(v.Value)|0x80, byte(v.Value>>7)&0x7f)
	}
	return append(b, byte(v.Value)|0x80, byte(v.Value>>7)|0x80, byte(v.Value>>14), byte(v.Value>>22))
}

func (v VLE) append31(b []byte) []byte {
	if v.Size < 4 && v.Value <= Max15 {
		return binary.LittleEndian.AppendUint16(b, uint16(v.Value))
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(v.Value)|0x8000)
	return binary.LittleEndian.AppendUint16(b, uint16(v.Value>>15))
}

// Shortest30 is the bytes the shortest form of a 30-bit number has.
func Shortest30(v uint32) int {
	switch {
	case v < 1<<7:
		return 1
	case v < 1<<14:
		return 2
	}
	return 4
}
