package render

import "slices"

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
	for len(b) >= 8 && len(out) >= 16 { // known sizes need no further look
		x, d := (*[8]byte)(b), (*[16]byte)(out)
		*(*[2]byte)(d[0:]) = hexPairs[x[0]]
		*(*[2]byte)(d[2:]) = hexPairs[x[1]]
		*(*[2]byte)(d[4:]) = hexPairs[x[2]]
		*(*[2]byte)(d[6:]) = hexPairs[x[3]]
		*(*[2]byte)(d[8:]) = hexPairs[x[4]]
		*(*[2]byte)(d[10:]) = hexPairs[x[5]]
		*(*[2]byte)(d[12:]) = hexPairs[x[6]]
		*(*[2]byte)(d[14:]) = hexPairs[x[7]]
		b, out = b[8:], out[16:]
	}
	for i, c := range b {
		*(*[2]byte)(out[2*i:]) = hexPairs[c]
	}
	return dst
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
