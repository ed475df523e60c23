package redact

import (
	"encoding/binary"
	"math/bits"
)

type sumKind uint8

const (
	sumIP sumKind = iota
	sumICMP
	sumUDP
	sumICMPv6
)

// A checksum is a field of a packet with the sum of others, and what it is before they change.
// What was right stays right, and what was wrong stays wrong by as much: the field changes as
// the sum of what it covers changes (RFC 1624), also where the capture does not hold all of it.
type checksum struct {
	kind   sumKind
	at     int // of the field
	over   extent
	pseudo [2]extent // addresses, of UDP and ICMPv6
	length int       // in the pseudo-header
	whole  bool      // over is all of what it covers
	part   bool      // the datagram came in fragments

	before    uint16 // sum of the covered bytes without the field
	addresses uint16 // sum of the addresses
	how       upkeep
}

// An upkeep is how a checksum is kept as it is.
type upkeep uint8

const (
	asSum     upkeep = iota // with the sum
	asIs                    // there is none
	asAddress               // left to the hardware: the sum of the pseudo-header
)

// sum16 is the ones' complement sum of 16-bit words in network order.
func sum16(acc uint64, b []byte) uint64 {
	for ; len(b) >= 2; b = b[2:] {
		acc += uint64(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		acc += uint64(b[0]) << 8
	}
	return acc
}

func fold(acc uint64) uint16 {
	for acc > 0xffff {
		acc = acc>>16 + acc&0xffff
	}
	return uint16(acc)
}

// minus is a difference in ones' complement.
func minus(a, b uint16) uint16 {
	d, borrow := bits.Sub32(uint32(a), uint32(b), 0)
	return uint16(d - borrow)
}

func (c *checksum) sumNow(b []byte) (all, addresses uint16) {
	a := fold(sum16(sum16(0, c.pseudo[0].of(b)), c.pseudo[1].of(b)))
	field := binary.BigEndian.Uint16(b[c.at:])
	return minus(fold(sum16(uint64(a), c.over.of(b))), field), a
}

// look notes what a checksum is.
func (c *checksum) look(b []byte) {
	c.before, c.addresses = c.sumNow(b)
	field := binary.BigEndian.Uint16(b[c.at:])
	pseudo := uint64(0)
	switch c.kind {
	case sumUDP:
		pseudo = protoUDP + uint64(c.length)
	case sumICMPv6:
		pseudo = protoICMPv6 + uint64(c.length)
	}
	right := c.whole && fold(uint64(c.before)+uint64(field)+pseudo) == 0xffff
	left := field == fold(uint64(c.addresses)+protoUDP) || field == fold(uint64(c.addresses)+pseudo)
	switch c.how = asSum; {
	case field == 0 && (c.kind == sumUDP || !right):
		c.how = asIs
	case c.kind == sumUDP && left && !right && !c.part:
		c.how = asAddress
	}
}

// update writes the field for the bytes that are there now. more is what the sum of bytes that it
// covers, but that lie in other packets, changed by.
func (c *checksum) update(b []byte, more uint16) {
	after, addresses := c.sumNow(b)
	field := binary.BigEndian.Uint16(b[c.at:])
	switch c.how {
	case asIs:
		return
	case asAddress:
		field = fold(uint64(field) + uint64(minus(addresses, c.addresses)))
	default:
		field = minus(field, fold(uint64(minus(after, c.before))+uint64(more)))
	}
	switch {
	case c.kind == sumUDP && field == 0:
		field = 0xffff
	case c.kind != sumUDP && field == 0xffff:
		field = 0
	}
	binary.BigEndian.PutUint16(b[c.at:], field)
}
