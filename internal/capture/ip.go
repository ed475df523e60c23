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

// ip tells the versions apart by the first four bits.
func (d *Decoder) ip(b []byte) {
	if len(b) == 0 {
		return
	}
	switch b[0] >> 4 {
	case 4:
		d.ipv4(b)
	case 6:
		d.ipv6(b)
	}
}

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
		n := 0
		switch proto {
		case protoHopByHop, protoDestOpts, protoRouting:
			if len(b) < 8 {
				return
			}
			n = 8 + int(b[1])*8
			if proto == protoRouting && b[3] != 0 {
				h.rerouted = true // segments left: the destination is not the final one
			}
		case protoAH:
			if len(b) < 8 {
				return
			}
			n = 8 + int(b[1])*4
		case protoFragment:
			if len(b) < 8 {
				return
			}
			f := binary.BigEndian.Uint16(b[2:])
			if f&^6 != 0 { // offset in units of 8, more
				d.fragment(h, piece{
					id: binary.BigEndian.Uint32(b[4:]), proto: b[0], data: b[8:], off: int(f &^ 7),
					more: f&1 != 0, cut: cut,
				})
				return
			}
			n = 8 // RFC 6946: an atomic fragment is a datagram of its own
		default:
			d.transport(h, proto, b)
			return
		}
		if len(b) < n {
			return
		}
		proto, b = b[0], b[n:]
	}
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
