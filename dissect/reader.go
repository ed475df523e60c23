package dissect

import (
	"encoding/binary"
	"fmt"
)

// A Reader walks over a datagram. Each method reads one field, checks that its
// bytes are there and, when the reader has a tree, records it: one call for
// value, bound, name and tree. The first failure sticks: from then on every
// method returns zero and moves nothing, so decoders check once, at the end.
type Reader struct {
	data  []byte
	pos   int
	tree  *Tree
	err   *Error
	quiet bool // nothing to record and nothing failed: the short way
}

// NewReader reads data and records into tree, which may be nil.
func NewReader(data []byte, tree *Tree) Reader {
	return Reader{data: data, tree: tree, quiet: tree == nil}
}

// Start makes a Reader begin again; it is NewReader without the copy.
func (r *Reader) Start(data []byte, tree *Tree) {
	r.data, r.pos, r.tree, r.err, r.quiet = data, 0, tree, nil, tree == nil
}

// Pos is the offset of the next byte.
func (r *Reader) Pos() int { return r.pos }

// Len is the number of bytes left, 0 after a failure.
func (r *Reader) Len() int {
	if r.err != nil {
		return 0
	}
	return len(r.data) - r.pos
}

// OK reports whether nothing has failed yet.
func (r *Reader) OK() bool { return r.err == nil }

// Tree is the tree recorded into, nil when none is wanted.
func (r *Reader) Tree() *Tree { return r.tree }

// Err ends a decoder: it gives the sticky failure, if any, and records the
// bytes that no field owns as one Undecoded row.
func (r *Reader) Err() *Error {
	if r.tree != nil && r.pos < len(r.data) {
		r.tree.depth = 0
		r.tree.Add(&Undecoded, r.pos, len(r.data)-r.pos, 0)
	}
	return r.err
}

// Fail makes the reader stick at the current byte with a reason.
func (r *Reader) Fail(f *Field, reason string) { r.FailAt(f, r.pos, reason) }

// FailAt is Fail for a byte that was read already.
func (r *Reader) FailAt(f *Field, off int, reason string) {
	if r.err == nil {
		r.err, r.quiet = &Error{f, off, reason}, false
	}
}

//go:noinline
func (r *Reader) short(f *Field, want int) {
	if r.err == nil {
		unit := "bytes"
		if want == 1 {
			unit = "byte"
		}
		r.quiet = false
		r.err = &Error{f, r.pos, fmt.Sprintf("truncated: want %d %s, have %d", want, unit, len(r.data)-r.pos)}
	}
}

// take bounds a fixed-size read and gives its offset.
func (r *Reader) take(n int) (int, bool) {
	off := r.pos
	if r.err != nil || len(r.data)-off < n {
		return 0, false
	}
	r.pos = off + n
	return off, true
}

// U8 reads one byte.
func (r *Reader) U8(f *Field) uint8 {
	if off := r.pos; r.quiet && off < len(r.data) {
		r.pos = off + 1
		return r.data[off]
	}
	return r.u8(f)
}

func (r *Reader) u8(f *Field) uint8 {
	off, ok := r.take(1)
	if !ok {
		r.short(f, 1)
		return 0
	}
	v := r.data[off]
	r.tree.Add(f, off, 1, uint64(v))
	return v
}

// U16 reads two bytes, little-endian.
func (r *Reader) U16(f *Field) uint16 {
	off, ok := r.take(2)
	if !ok {
		r.short(f, 2)
		return 0
	}
	v := binary.LittleEndian.Uint16(r.data[off:])
	r.tree.Add(f, off, 2, uint64(v))
	return v
}

// U32 reads four bytes, little-endian.
func (r *Reader) U32(f *Field) uint32 {
	if off := r.pos; r.quiet && off+4 <= len(r.data) {
		r.pos = off + 4
		return binary.LittleEndian.Uint32(r.data[off:])
	}
	return r.u32(f)
}

func (r *Reader) u32(f *Field) uint32 {
	off, ok := r.take(4)
	if !ok {
		r.short(f, 4)
		return 0
	}
	v := binary.LittleEndian.Uint32(r.data[off:])
	r.tree.Add(f, off, 4, uint64(v))
	return v
}

// B16 reads two bytes, big-endian.
func (r *Reader) B16(f *Field) uint16 {
	off, ok := r.take(2)
	if !ok {
		r.short(f, 2)
		return 0
	}
	v := binary.BigEndian.Uint16(r.data[off:])
	r.tree.Add(f, off, 2, uint64(v))
	return v
}

// Mask64 reads the present halves of a 64-bit mask, low half first, each
// little-endian. It records one node over the bytes that are there.
func (r *Reader) Mask64(f *Field, lo, hi bool) uint64 {
	if !lo && !hi {
		return 0 // inlined: most frames have no mask
	}
	return r.mask64(f, lo, hi)
}

func (r *Reader) mask64(f *Field, lo, hi bool) uint64 {
	n := 0
	if lo {
		n += 4
	}
	if hi {
		n += 4
	}
	off, ok := r.take(n)
	if !ok {
		r.short(f, n)
		return 0
	}
	var v uint64
	p := off
	if lo {
		v = uint64(binary.LittleEndian.Uint32(r.data[p:]))
		p += 4
	}
	if hi {
		v |= uint64(binary.LittleEndian.Uint32(r.data[p:])) << 32
	}
	r.tree.Add(f, off, n, v)
	return v
}

// Bytes reads n bytes. The result is a part of the datagram, not a copy.
func (r *Reader) Bytes(f *Field, n int) []byte {
	if n < 0 {
		r.Fail(f, "negative size")
		return nil
	}
	off, ok := r.take(n)
	if !ok {
		r.short(f, n)
		return nil
	}
	r.tree.Add(f, off, n, 0)
	return r.data[off : off+n : off+n]
}

// Rest reads what is left, recording it when it is not empty.
func (r *Reader) Rest(f *Field) []byte {
	n := r.Len()
	if n == 0 {
		return nil
	}
	return r.Bytes(f, n)
}

// Peek gives the next n bytes without reading them, or nil when they are not there.
func (r *Reader) Peek(n int) []byte {
	if n < 0 || r.Len() < n {
		return nil
	}
	return r.data[r.pos : r.pos+n]
}

// Skip moves over n bytes that the caller records itself.
func (r *Reader) Skip(f *Field, n int) {
	if n < 0 {
		r.Fail(f, "negative size")
		return
	}
	if _, ok := r.take(n); !ok {
		r.short(f, n)
	}
}
