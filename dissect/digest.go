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
	if len(b) > 64 {
		h, b = digestLong(h, b)
	}
	for ; len(b) >= 16; b = b[16:] {
		h = mixed(binary.LittleEndian.Uint64(b)^mix2, binary.LittleEndian.Uint64(b[8:])^h)
	}
	if len(b) >= 8 {
		h, b = mixed(binary.LittleEndian.Uint64(b)^mix2, h^mix1), b[8:]
	}
	var last uint64
	if len(b) >= 4 {
		last, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
	}
	for _, x := range b {
		last = last<<8 | uint64(x)
	}
	return mixed(last^mix1, h^mix2)
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
