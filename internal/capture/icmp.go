package capture

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// Types and codes of ICMP.
const (
	icmpUnreachable   = 3 // RFC 792
	icmpTooBig        = 4 // code of RFC 792 alone: fragmentation needed, the host is reachable
	icmpv6Unreachable = 1 // RFC 4443
)

// unreachable reads a notice: type, code (1 byte each), checksum (2), unused
// (4), then as much of the packet it is about as the sender cared to quote.
func (d *Decoder) unreachable(b []byte, typ uint8) {
	if len(b) < 8 || b[0] != typ || typ == icmpUnreachable && b[1] == icmpTooBig {
		return
	}
	b = b[8:]
	switch versionOf(b) {
	case etherIPv4:
		d.quotedIPv4(b)
	case etherIPv6:
		d.quotedIPv6(b)
	}
}

func (d *Decoder) quotedIPv4(b []byte) {
	if len(b) < 20 {
		return
	}
	n := int(b[0]&15) * 4
	if n < 20 || b[9] != protoUDP || binary.BigEndian.Uint16(b[6:])&ipv4Offset != 0 {
		return
	}
	h := ipHeader{addrs: b[12:20], ttl: b[8], id: binary.BigEndian.Uint16(b[4:])}
	d.quotedUDP(&h, b[min(n, len(b)):])
}

func (d *Decoder) quotedIPv6(b []byte) {
	if len(b) < 40 {
		return
	}
	h := ipHeader{addrs: b[8:40], v6: true, ttl: b[7]}
	proto := b[6]
	for b = b[40:]; d.deeper(); {
		if proto == protoUDP {
			d.quotedUDP(&h, b)
			return
		}
		n, _ := Extension(proto, b)
		if n == 0 || proto == protoFragment && binary.BigEndian.Uint16(b[2:])&^7 != 0 {
			return // none, or not the first fragment: no UDP header in it
		}
		proto, b = b[0], b[n:]
	}
}

// quotedUDP sets the addresses and what is there of the payload. Four bytes, the
// ports, are enough.
func (d *Decoder) quotedUDP(h *ipHeader, b []byte) {
	if len(b) < 4 {
		return
	}
	d.addresses(h, b)
	p := d.p
	p.Class, p.Kind = Unreachable, dissect.Unreachable
	p.Length, p.Payload, p.BadChecksum, p.Sum, p.MTU = 0, nil, false, 0, 0
	if len(b) < udpHeader {
		return
	}
	if n := int(binary.BigEndian.Uint16(b[4:])); n > udpHeader {
		p.Length = n - udpHeader
		p.Payload = b[udpHeader:min(n, len(b))]
	}
}
