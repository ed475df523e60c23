package capture

import (
	"encoding/binary"
	"math/bits"
)

// sum adds b to a ones' complement sum, 8 bytes at a time, in the byte order of
// a little-endian machine: RFC 1071 shows that the order does not matter as long
// as everything uses the same one.
func sum(acc uint64, b []byte) uint64 {
	var c uint64
	whole := b
	for len(b) > 32 { // some are always left: an address after the last byte would cost a test
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b), 0)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[8:]), c)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[16:]), c)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[24:]), c)
		acc += c // can't carry again: a sum that carried is below its greatest value
		b = b[32:]
	}
	if len(b) > 16 {
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b), 0)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[8:]), c)
		acc += c
		b = b[16:]
	}
	if len(b) > 8 {
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b), 0)
		acc += c
		b = b[8:]
	}
	acc, c = bits.Add64(acc, lastBytes(whole, len(b)), 0)
	return acc + c
}

// lastBytes gives the last n bytes of b, 8 at most, as a number. Where b has 8
// it takes them at once: a loop over so few costs more than all the rest.
func lastBytes(b []byte, n int) (tail uint64) {
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b[len(b)-8:]) >> (8 * (8 - uint(n)))
	}
	for i, x := range b {
		tail |= uint64(x) << (8 * i)
	}
	return tail
}

// fold brings a sum to 16 bits.
func fold(acc uint64) uint16 {
	acc = acc>>32 + acc&0xffffffff
	acc = acc>>16&0xffff + acc>>32 + acc&0xffff
	acc = acc>>16 + acc&0xffff
	acc = acc>>16 + acc&0xffff
	return uint16(acc)
}

// isWhole reports whether a sum, which is not 0, folds to 0xffff: that of a datagram with a right
// checksum.
func isWhole(acc uint64) bool { return acc%0xffff == 0 }

// pseudoSum adds up the pseudo-header of UDP without its length: both addresses
// and the protocol (RFC 768, RFC 8200 8.1).
func pseudoSum(h *ipHeader) uint64 {
	if !h.v6 {
		return addCarry(binary.LittleEndian.Uint64(h.addrs), pseudoProto)
	}
	return sum(pseudoProto, h.addrs)
}

// pseudoProto is the protocol of the pseudo-header, as its two bytes read in little-endian order.
const pseudoProto = protoUDP << 8

// lengthSum is the length of the pseudo-header. Jumbograms have more than 16 bits.
func lengthSum(n int) uint64 {
	return uint64(bits.ReverseBytes32(uint32(n)))
}

// checksumFits verifies the checksum of a whole datagram, header included. A
// wrong one fits nevertheless when it was plausibly left to the network card:
//
//   - the field holds the sum of the pseudo-header, with or without its length,
//     which is what systems leave there for the card to complete;
//   - the capture says that the capturing host sent the packet (cooked captures,
//     pcapng flags, PPP with direction), or the link is a loopback (null, loop);
//   - an address is a loopback one, or source and destination are the same.
func (d *Decoder) checksumFits(h *ipHeader, b []byte) bool {
	pseudo := pseudoSum(h)
	total := sum(addCarry(pseudo, lengthSum(len(b))), b)
	d.p.Sum = fingerprint(total, b)
	if isWhole(total) {
		return true
	}
	return d.leftToHardware(h, b, pseudo)
}

// fingerprint is the sum of a datagram with its checksum taken out of balance:
// in the plain sum, a change of the payload and the change of the checksum that
// follows from it can cancel each other. It is never 0.
func fingerprint(total uint64, b []byte) uint64 {
	return total + uint64(binary.LittleEndian.Uint16(b[6:]))*0x9e3779b97f4a7c15 | 1
}

//go:noinline
func (d *Decoder) leftToHardware(h *ipHeader, b []byte, pseudo uint64) bool {
	field := binary.LittleEndian.Uint16(b[6:])
	switch {
	case d.local, isLoopback(h.src()), isLoopback(h.dst()), string(h.src()) == string(h.dst()):
		return true
	case field == fold(addCarry(pseudo, lengthSum(len(b)))):
		return true
	}
	return field == fold(pseudo)
}

func addCarry(a, b uint64) uint64 {
	s, c := bits.Add64(a, b, 0)
	return s + c
}

// isLoopback reports whether an address is in 127/8 or ::1.
func isLoopback(a []byte) bool {
	if len(a) == 4 {
		return a[0] == 127
	}
	return string(a) == "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"
}
