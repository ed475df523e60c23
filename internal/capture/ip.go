package capture

import "encoding/binary"

// IP protocol numbers.
const (
	protoHopByHop = 0
	protoICMP     = 1
	protoIPv4     = 4 // a tunnel
	protoUDP      = 17
	protoIPv6     = 41
	protoRouting  = 43
	protoFragment = 44
	protoAH       = 51
	protoICMPv6   = 58
	protoDestOpts = 60
)

// Bits of the IPv4 fragment field.
const (
	ipv4More   = 0x2000
	ipv4Offset = 0x1fff
)

// ipv4 reads a header of RFC 791. What lies after the total length is padding
// of the link layer; a total length of 0 is what segmentation by the network
// card leaves, there it all counts. The header checksum is not looked at.
func (d *Decoder) ipv4(b []byte) {
	if len(b) < 20 || b[0]>>4 != 4 {
		return
	}
	n := int(b[0]&15) * 4
	total := int(binary.BigEndian.Uint16(b[2:]))
	if total == 0 {
		total = len(b)
	}
	if n < 20 || total < n || len(b) < n {
		return
	}
	b = b[:min(total, len(b))]
	// Field by field: the compiler would make a literal elsewhere and copy it.
	var h ipHeader
	h.addrs, h.ttl, h.id = b[12:20], b[8], binary.BigEndian.Uint16(b[4:])
	proto := b[9]
	if f := binary.BigEndian.Uint16(b[6:]); f&(ipv4More|ipv4Offset) != 0 {
		d.fragment(&h, piece{
			id: uint32(h.id), proto: proto, data: b[n:], off: int(f&ipv4Offset) * 8,
			more: f&ipv4More != 0, cut: len(b) < total,
		})
		return
	}
	if proto == protoUDP {
		d.udp(&h, b[n:])
		return
	}
	d.transport(&h, proto, b[n:])
}

// ipv6 reads a header of RFC 8200. A payload length of 0 belongs to a jumbogram
// or to segmentation by the network card: there it all counts.
func (d *Decoder) ipv6(b []byte) {
	if len(b) < 40 || b[0]>>4 != 6 {
		return
	}
	var h ipHeader
	h.addrs, h.ttl, h.v6 = b[8:40], b[7], true
	proto, n := b[6], int(binary.BigEndian.Uint16(b[4:]))
	b = b[40:]
	cut := n > len(b)
	if n != 0 && !cut {
		b = b[:n]
	}
	if proto == protoUDP {
		d.udp(&h, b)
		return
	}
	d.extensions(&h, proto, b, cut)
}

// extensions walks over extension headers to the transport.
func (d *Decoder) extensions(h *ipHeader, proto uint8, b []byte, cut bool) {
	for d.deeper() {
		n, is := Extension(proto, b)
		switch {
		case !is:
			d.transport(h, proto, b)
			return
		case n == 0:
			return
		case proto == protoRouting && b[3] != 0:
			h.rerouted = true // segments left: the destination is not the final one
		case proto == protoFragment:
			// Offset in units of 8, more. RFC 6946: an atomic fragment is a datagram of its own.
			if f := binary.BigEndian.Uint16(b[2:]); f&^6 != 0 {
				d.fragment(h, piece{
					id: binary.BigEndian.Uint32(b[4:]), proto: b[0], data: b[8:], off: int(f &^ 7),
					more: f&1 != 0, cut: cut,
				})
				return
			}
		}
		proto, b = b[0], b[n:]
	}
}

// Extension reports whether a header between IP and the transport has this number, and how long the one is that
// b begins with: 0 where not all of it is there.
func Extension(proto uint8, b []byte) (n int, is bool) {
	if proto != protoFragment && !isExtension(proto) {
		return 0, false
	}
	if len(b) < 8 {
		return 0, true
	}
	switch proto {
	case protoFragment:
		n = 8
	case protoAH:
		n = 8 + int(b[1])*4
	default:
		n = 8 + int(b[1])*8
	}
	if n > len(b) {
		return 0, true
	}
	return n, true
}

// isExtension reports whether UDP may stand after an IPv6 header of this number.
func isExtension(proto uint8) bool {
	switch proto {
	case protoHopByHop, protoRouting, protoDestOpts, protoAH:
		return true
	}
	return false
}

// transport goes on with what IP carries. On IPv4 only AH stands in between.
func (d *Decoder) transport(h *ipHeader, proto uint8, b []byte) {
	switch proto {
	case protoUDP:
		d.udp(h, b)
	case protoICMP:
		if !h.v6 {
			d.unreachable(b, icmpUnreachable)
		}
	case protoICMPv6:
		if h.v6 {
			d.unreachable(b, icmpv6Unreachable)
		}
	case protoAH:
		if !h.v6 {
			d.extensions(h, proto, b, false)
		}
	case protoIPv4:
		if d.deeper() {
			d.ipv4(b)
		}
	case protoIPv6:
		if d.deeper() {
			d.ipv6(b)
		}
	}
}
