package sim

import "encoding/binary"

// encode builds the IP packets of d.
func (n *Network) encode(d *Datagram) [][]byte {
	proto := d.Proto
	if proto == 0 {
		proto = ProtoUDP
	}
	switch {
	case d.Injected:
		d.ID = n.forger.nextID()
	case d.From.Addr.Addr().Is4():
		d.ID = d.From.nextID()
	}
	var body []byte
	switch {
	case proto == ProtoUDP:
		body = appendUDP(nil, d)
	case d.From.Addr.Addr().Is6():
		proto = protoICMPv6
		body = sealICMP(d, pseudo(d, protoICMPv6, len(d.Payload)))
	default:
		body = sealICMP(d, 0)
	}
	if d.From.Addr.Addr().Is6() || len(body)+20 <= n.MTU {
		return [][]byte{append(n.ipHeader(d, proto, len(body), 0), body...)}
	}
	return n.fragments(d, proto, body)
}

// fragments cuts an IPv4 body into packets of the MTU.
func (n *Network) fragments(d *Datagram, proto uint8, body []byte) [][]byte {
	var out [][]byte
	room := (n.MTU - 20) &^ 7
	for off := 0; off < len(body); off += room {
		part := body[off:min(off+room, len(body))]
		field := uint16(off / 8)
		if off+len(part) < len(body) {
			field |= 0x2000 // more fragments
		}
		out = append(out, append(n.ipHeader(d, proto, len(part), field), part...))
	}
	return out
}

// damaged is an IP packet with the payload that arrives, and with the checksum of the one
// that was sent where nobody on the way made another.
func damaged(ip []byte, d *Datagram) []byte {
	head := 20
	if ip[0]>>4 == 6 {
		head = 40
	}
	c := *d
	c.Payload = d.Changed
	out := appendUDP(append([]byte(nil), ip[:head]...), &c)
	if d.Broken {
		copy(out[head+6:head+8], ip[head+6:head+8])
	}
	return out
}

// ipHeader is an IPv4 or IPv6 header for a body of the given size.
func (n *Network) ipHeader(d *Datagram, proto uint8, size int, frag uint16) []byte {
	src, dst := d.From.Addr.Addr(), d.To.Addr.Addr()
	if src.Is6() {
		h := make([]byte, 40, 40+size)
		h[0] = 0x60
		binary.BigEndian.PutUint16(h[4:], uint16(size))
		h[6], h[7] = proto, 64
		copy(h[8:], src.AsSlice())
		copy(h[24:], dst.AsSlice())
		return h
	}
	if d.From.ZeroID {
		frag |= 0x4000 // don't fragment
	}
	h := make([]byte, 20, 20+size)
	h[0] = 0x45
	binary.BigEndian.PutUint16(h[2:], uint16(20+size))
	binary.BigEndian.PutUint16(h[4:], d.ID)
	binary.BigEndian.PutUint16(h[6:], frag)
	h[8], h[9] = 128, proto
	copy(h[12:], src.AsSlice())
	copy(h[16:], dst.AsSlice())
	putSum(h, 10, checksum(0, h))
	return h
}

// appendUDP appends the UDP header and the payload.
func appendUDP(b []byte, d *Datagram) []byte {
	start, size := len(b), 8+len(d.Payload)
	b = binary.BigEndian.AppendUint16(b, d.From.Addr.Port())
	b = binary.BigEndian.AppendUint16(b, d.To.Addr.Port())
	b = binary.BigEndian.AppendUint16(b, uint16(size))
	b = append(b, 0, 0)
	b = append(b, d.Payload...)
	sum := checksum(pseudo(d, ProtoUDP, size), b[start:])
	if sum == 0 {
		sum = 0xffff // RFC 768: an all-zero checksum is sent as all ones
	}
	putSum(b[start:], 6, sum)
	return b
}

// sealICMP puts the checksum into an ICMP message.
func sealICMP(d *Datagram, pseudo uint32) []byte {
	b := append([]byte(nil), d.Payload...)
	putSum(b, 2, checksum(pseudo, b))
	return b
}

// pseudo is the sum of what checksums cover of the IP header.
func pseudo(d *Datagram, proto uint8, size int) uint32 {
	sum := uint32(proto) + uint32(size)
	sum = addWords(sum, d.From.Addr.Addr().AsSlice())
	return addWords(sum, d.To.Addr.Addr().AsSlice())
}

func addWords(sum uint32, b []byte) uint32 {
	for ; len(b) >= 2; b = b[2:] {
		sum += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	return sum
}

func checksum(sum uint32, b []byte) uint16 {
	sum = addWords(sum, b)
	for sum>>16 != 0 {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}

func putSum(b []byte, off int, sum uint16) { binary.BigEndian.PutUint16(b[off:], sum) }
