package dissect

import (
	"encoding/binary"
	"math/bits"
)

// Odd numbers with as many bits set as not, and no pattern.
const (
	mix1 = 0xa0761d6478bd642f
	mix2 = 0xe7037ed1a0b428db
	mix3 = 0x8ebc6af09c88c6e3
)

// Digest is a hash of some bytes that tells what is sent again from what is not: the same for
// every run, since what is remembered of a capture may be read by another one.
func Digest(b []byte) uint64 {
	h := uint64(len(b))*mix3 ^ mix1
	if len(b) < 16 {
		return digestShort(h, b)
	}
	last := b[len(b)-16:]
	if len(b) > 64 {
		h, b = digestLong(h, b)
	}
	for ; len(b) > 16; b = b[16:] {
		h = mixed(binary.LittleEndian.Uint64(b)^mix2, binary.LittleEndian.Uint64(b[8:])^h)
	}
	return mixed(binary.LittleEndian.Uint64(last)^mix1, binary.LittleEndian.Uint64(last[8:])^h) // some of it was taken before
}

// digestShort takes fewer than 16 bytes: what stands in the middle may be taken twice.
func digestShort(h uint64, b []byte) uint64 {
	var first, last uint64
	switch n := len(b); {
	case n >= 8:
		first, last = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		first, last = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		first, last = uint64(b[0])<<8|uint64(b[n/2]), uint64(b[n-1])
	}
	return mixed(first^mix1, mixed(last^mix3, h^mix2))
}

// digestLong takes 32 bytes at a time, in two lanes that wait for none of each other.
func digestLong(h uint64, b []byte) (uint64, []byte) {
	g := h ^ mix3
	for ; len(b) >= 32; b = b[32:] {
		h = mixed(binary.LittleEndian.Uint64(b)^mix2, binary.LittleEndian.Uint64(b[8:])^h)
		g = mixed(binary.LittleEndian.Uint64(b[16:])^mix3, binary.LittleEndian.Uint64(b[24:])^g)
	}
	return h ^ bits.RotateLeft64(g, 32), b
}

// mixed multiplies two numbers and mixes both halves of the product.
func mixed(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
