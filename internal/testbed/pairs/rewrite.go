package pairs

import (
	"encoding/binary"
	"net/netip"
)

// A packet is an IP packet whose headers are changed as routers do.
type packet []byte

func (p packet) v4() bool { return p[0]>>4 == 4 }

// body is where what the IP header is in front of begins.
func (p packet) body() int {
	if p.v4() {
		return 20
	}
	return 40
}

// begins reports whether the packet is no later fragment.
func (p packet) begins() bool { return !p.v4() || binary.BigEndian.Uint16(p[6:])&0x1fff == 0 }

// patch puts bytes at an even place and keeps the checksums at other places true, or as
// untrue as they were (RFC 1624).
func (p packet) patch(at int, with []byte, sums ...int) {
	for i := 0; i < len(with); i += 2 {
		old, next := binary.BigEndian.Uint16(p[at+i:]), binary.BigEndian.Uint16(with[i:])
		for _, s := range sums {
			x := uint32(^binary.BigEndian.Uint16(p[s:])) + uint32(^old) + uint32(next)
			x = x>>16 + x&0xffff
			x = x>>16 + x&0xffff
			binary.BigEndian.PutUint16(p[s:], ^uint16(x))
		}
		binary.BigEndian.PutUint16(p[at+i:], next)
	}
}

// identify changes the identification, which IPv6 has none of.
func (p packet) identify(id uint16) {
	if p.v4() {
		p.patch(4, binary.BigEndian.AppendUint16(nil, id), 10)
	}
}

func (p packet) id() uint16 {
	if p.v4() {
		return binary.BigEndian.Uint16(p[4:])
	}
	return 0
}

// age lowers the TTL.
func (p packet) age(hops uint8) {
	if p.v4() {
		p.patch(8, []byte{p[8] - hops, p[9]}, 10)
		return
	}
	p[7] -= hops
}

// address gives the packet of a datagram other addresses.
func (p packet) address(from, to netip.AddrPort, udp bool) {
	switch {
	case !udp:
		p.hosts(from, to)
		quote := p[p.body()+8:]
		quote.ports(to, from, quote.hosts(to, from)...)
		p.sealICMP()
	case p.begins():
		p.ports(from, to, p.hosts(from, to, p.body()+6)...)
	default:
		p.hosts(from, to)
	}
}

// hosts changes the addresses of the IP header and gives the checksums that cover ports.
func (p packet) hosts(from, to netip.AddrPort, sums ...int) []int {
	src, size := 8, 16
	all := sums
	if p.v4() {
		src, size = 12, 4
		all = append([]int{10}, sums...)
	}
	p.patch(src, from.Addr().AsSlice(), all...)
	p.patch(src+size, to.Addr().AsSlice(), all...)
	return sums
}

func (p packet) ports(from, to netip.AddrPort, sums ...int) {
	p.patch(p.body(), binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, from.Port()), to.Port()), sums...)
}

// sealICMP makes the checksum of an ICMP message.
func (p packet) sealICMP() {
	at, sum := p.body(), uint32(0)
	add := func(b []byte) {
		for ; len(b) > 1; b = b[2:] {
			sum += uint32(binary.BigEndian.Uint16(b))
		}
		if len(b) == 1 {
			sum += uint32(b[0]) << 8
		}
	}
	if !p.v4() {
		add(p[8:40])
		sum += 58 + uint32(len(p)-40)
	}
	p[at+2], p[at+3] = 0, 0
	add(p[at:])
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	binary.BigEndian.PutUint16(p[at+2:], ^uint16(sum))
}
