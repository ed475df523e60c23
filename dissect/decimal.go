package dissect

import (
	"slices"
	"strconv"
)

// Tables of the numbers below 1000: their three digits, and their digits without leading zeros
// with how many these are in the fourth byte. To copy a fixed size is several times cheaper than
// to append a few bytes.
var padded, trimmed = func() (p, t [1000][4]byte) {
	for i := range p {
		p[i] = [4]byte{byte('0' + i/100), byte('0' + i/10%10), byte('0' + i%10)}
		t[i][3] = byte(copy(t[i][:3], strconv.Itoa(i)))
	}
	return p, t
}()

// AppendUint appends a number in decimal: strconv.AppendUint, quicker for the small numbers that
// fill most lines and records.
func AppendUint(dst []byte, v uint64) []byte {
	if v >= 1000 {
		return AppendThousandth(AppendUint(dst, v/1000), uint32(v%1000))
	}
	n := len(dst)
	if cap(dst)-n < 4 {
		dst = slices.Grow(dst, 4)
	}
	d := trimmed[v]
	*(*[4]byte)(dst[n : n+4]) = d
	return dst[:n+int(d[3])]
}

// AppendThousandth appends the three digits of a number below 1000.
func AppendThousandth(dst []byte, v uint32) []byte {
	n := len(dst)
	if cap(dst)-n < 4 {
		dst = slices.Grow(dst, 4)
	}
	*(*[4]byte)(dst[n : n+4]) = padded[v]
	return dst[:n+3]
}

// AppendNumber appends a number in decimal after what it counts.
func AppendNumber[N ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64](dst []byte, label string, v N) []byte {
	return AppendUint(append(dst, label...), uint64(v))
}
