package dp8

import "crypto/sha1"

// A Secret is a 64-bit signing secret, its bytes in wire order.
type Secret [8]byte

// Digest is the signature of a frame of a fully signed connection: the first
// 8 bytes of SHA-1 over the whole UDP payload with the 8 bytes at sigOff set to
// zero, followed by the secret (MC-DPL8R 3.1.4.4, AMB-DP8-15). buf is scratch
// space, given back grown.
func Digest(buf, payload []byte, sigOff int, secret Secret) (sum [8]byte, scratch []byte) {
	buf = append(buf[:0], payload...)
	clear(buf[sigOff : sigOff+8])
	buf = append(buf, secret[:]...)
	full := sha1.Sum(buf)
	copy(sum[:], full[:])
	return sum, buf
}

// Next is the secret of the following epoch: the first 8 bytes of SHA-1 over
// this one and the modifier (MC-DPL8R 3.1.4.4).
func (s Secret) Next(modifier Secret) Secret {
	var in [16]byte
	copy(in[:], s[:])
	copy(in[8:], modifier[:])
	full := sha1.Sum(in[:])
	return Secret(full[:8])
}
