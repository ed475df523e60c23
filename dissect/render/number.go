package render

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
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

// appendDec is strconv.AppendUint, quicker for the small numbers that fill most
// records.
func appendDec(dst []byte, v uint64) []byte {
	if v < 1000 {
		d := &trimmed[v]
		return append(dst, d[0], d[1], d[2], 0)[:len(dst)+int(d[3])]
	}
	if v >= 1e6 {
		return strconv.AppendUint(dst, v, 10)
	}
	return append3(appendDec(dst, v/1000), uint32(v%1000))
}

// append3 appends the three digits of a number below 1000.
func append3(dst []byte, v uint32) []byte {
	d := &padded[v]
	return append(dst, d[0], d[1], d[2])
}

// appendEndpoint is Endpoint.AppendTo, quicker for IPv4.
func appendEndpoint(dst []byte, e *dissect.Endpoint) []byte {
	ip := &e.IP
	if ip[10] != 0xff || ip[11] != 0xff || [10]byte(ip[:10]) != ([10]byte{}) {
		return e.AppendTo(dst)
	}
	for _, b := range ip[12:16] {
		d := &trimmed[b]
		n := len(dst) + int(d[3])
		dst = append(append(dst, d[0], d[1], d[2], 0)[:n], '.')
	}
	dst[len(dst)-1] = ':'
	return appendDec(dst, uint64(e.Port))
}
