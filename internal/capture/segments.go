package capture

import "encoding/binary"

// segments takes a packet of UDP segmentation offload apart into the packets that are
// on the wire: each has the headers, with lengths, identification and checksums of its
// own, and a part of the payload. The zero value has nothing to give.
type segments struct {
	whole Record
	v6    bool
	ip    int // where the IP header begins
	udp   int // and the UDP header
	size  int // of the payloads, but the last, which may be shorter
	total int // bytes of all payloads on the wire
	given int // of these
	index int // of the next packet
	buf   []byte
}

// begin prepares to take a packet apart, into payloads of a size. It reports false
// where that can't be: there is no UDP header, or another one than at start, if that
// is not 0, was meant; or there would be one packet.
func (s *segments) begin(rec *Record, size, start int) bool {
	ip, udp, v6, ok := locateUDP(rec.Link, rec.Data)
	if !ok || size <= 0 || start != 0 && start != udp {
		return false
	}
	total := rec.WireLen - udp - udpHeader
	if n := int(binary.BigEndian.Uint16(rec.Data[udp+4:])); n >= udpHeader {
		total = min(total, n-udpHeader)
	}
	if total <= size {
		return false
	}
	s.whole, s.v6, s.ip, s.udp, s.size, s.total, s.given, s.index = *rec, v6, ip, udp, size, total, 0, 0
	return true
}

// count counts the packets that are to be given.
func (s *segments) count() int {
	if s.size == 0 {
		return 0
	}
	return (s.total - s.given + s.size - 1) / s.size
}

// next gives the next packet, which is valid until the call after it, false when there
// is none.
func (s *segments) next(rec *Record) bool {
	if s.count() == 0 {
		return false
	}
	head := s.udp + udpHeader
	n := min(s.size, s.total-s.given)
	have := s.whole.Data[min(head+s.given, len(s.whole.Data)):min(head+s.given+n, len(s.whole.Data))]
	s.buf = append(append(s.buf[:0], s.whole.Data[:head]...), have...)
	s.address(n, len(have) == n)
	*rec = s.whole
	rec.Data, rec.WireLen = s.buf, head+n
	s.given += n
	s.index++
	return true
}

// address sets what in the headers is of one packet with n bytes of payload.
func (s *segments) address(n int, complete bool) {
	var h ipHeader
	b := s.buf[s.ip:]
	inner := s.udp - s.ip // of IP, without the UDP header
	if h.v6 = s.v6; s.v6 {
		binary.BigEndian.PutUint16(b[4:], uint16(inner-40+udpHeader+n))
		h.addrs = b[8:40]
	} else {
		binary.BigEndian.PutUint16(b[2:], uint16(inner+udpHeader+n))
		binary.BigEndian.PutUint16(b[4:], binary.BigEndian.Uint16(b[4:])+uint16(s.index))
		b[10], b[11] = 0, 0
		binary.LittleEndian.PutUint16(b[10:], ^fold(sum(0, b[:int(b[0]&15)*4])))
		h.addrs = b[12:20]
	}
	u := b[inner:]
	binary.BigEndian.PutUint16(u[4:], uint16(udpHeader+n))
	if u[6]|u[7] == 0 && !s.v6 {
		return // its sender makes none
	}
	u[6], u[7] = 0, 0
	acc := addCarry(pseudoSum(&h), lengthSum(udpHeader+n))
	if !complete { // what systems leave to the card
		binary.LittleEndian.PutUint16(u[6:], fold(acc))
		return
	}
	check := ^fold(sum(acc, u))
	if check == 0 {
		check = 0xffff
	}
	binary.LittleEndian.PutUint16(u[6:], check)
}

// locateUDP finds the headers of a packet that is UDP over IP and nothing else: no
// tunnel, and no fragment.
func locateUDP(link LinkType, b []byte) (ip, udp int, v6, ok bool) {
	at, typ := 0, uint16(0)
	switch {
	case link == LinkEthernet && len(b) >= 14:
		at, typ = 14, binary.BigEndian.Uint16(b[12:])
	case link == LinkSLL2 && len(b) >= 20:
		at, typ = 20, binary.BigEndian.Uint16(b)
	case link == LinkRaw && len(b) > 0:
		if typ = etherIPv4; b[0]>>4 == 6 {
			typ = etherIPv6
		}
	default:
		return 0, 0, false, false
	}
	for ; typ == etherVLAN || typ == etherQinQ; at += 4 {
		if len(b) < at+4 {
			return 0, 0, false, false
		}
		typ = binary.BigEndian.Uint16(b[at+2:])
	}
	n, proto := ipHeaders(typ, b[at:])
	return at, at + n, typ == etherIPv6, n > 0 && proto == protoUDP && len(b) >= at+n+udpHeader
}

// ipHeaders gives the length of the headers of IP, 0 for a fragment and what is none,
// and what they carry.
func ipHeaders(typ uint16, b []byte) (n int, proto byte) {
	switch {
	case typ == etherIPv4 && len(b) >= 20 && b[0]>>4 == 4:
		n = int(b[0]&15) * 4
		if n < 20 || n > len(b) || binary.BigEndian.Uint16(b[6:])&(ipv4More|ipv4Offset) != 0 {
			return 0, 0
		}
		return n, b[9]
	case typ == etherIPv6 && len(b) >= 40 && b[0]>>4 == 6:
		n, proto = 40, b[6]
		for proto == protoHopByHop || proto == protoDestOpts || proto == protoRouting {
			if len(b) < n+8 {
				return 0, 0
			}
			proto, n = b[n], n+8+int(b[n+1])*8
		}
		return min(n, len(b)), proto
	}
	return 0, 0
}
