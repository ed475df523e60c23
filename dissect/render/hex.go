package render

import (
	"encoding/binary"
	"slices"
)

var hexPairs = func() (t [256][2]byte) {
	for i := range t {
		t[i] = [2]byte{hexDigits[i>>4], hexDigits[i&15]}
	}
	return t
}()

// appendHex appends bytes in lower-case hexadecimal.
func appendHex(dst, b []byte) []byte {
	n := len(dst)
	dst = slices.Grow(dst, 2*len(b))[:n+2*len(b)]
	out := dst[n:]
	for len(b) >= 4 && len(out) >= 8 {
		binary.LittleEndian.PutUint64(out, hex4(binary.LittleEndian.Uint32(b)))
		b, out = b[4:], out[8:]
	}
	for i, c := range b {
		*(*[2]byte)(out[2*i:]) = hexPairs[c]
	}
	return dst
}

// hex4 gives the eight digits of four bytes. Bytes and digits are in the order of memory, the
// first one lowest.
func hex4(b uint32) uint64 {
	const each = 0x0101010101010101
	x := uint64(b)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff // one byte in two
	x = (x>>4 | x<<8) & (0x0f * each)   // its halves, the higher one first
	letters := (x + 6*each) >> 4 & each // 1 for those above 9
	return x + '0'*each + letters*('a'-'0'-10)
}

// append0x appends a number in hexadecimal with at least the given digits.
func append0x(dst []byte, v uint64, digits int) []byte {
	dst = append(dst, '0', 'x')
	digits = max(digits, 1)
	for digits < 16 && v>>(4*digits) != 0 {
		digits++
	}
	i := min(digits, 16)
	if i&1 != 0 {
		i--
		dst = append(dst, hexDigits[v>>(4*i)&15])
	}
	for i -= 2; i >= 0; i -= 2 {
		p := &hexPairs[byte(v>>(4*i))]
		dst = append(dst, p[0], p[1])
	}
	return dst
}
