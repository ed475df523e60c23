package capture

import "encoding/binary"

// EtherTypes that lead to IP.
const (
	etherIPv4   = 0x0800
	etherIPv6   = 0x86dd
	etherVLAN   = 0x8100 // IEEE 802.1Q
	etherQinQ   = 0x88a8 // IEEE 802.1ad
	etherQinQ91 = 0x9100 // before the standard
	etherQinQ92 = 0x9200
	etherMPLS   = 0x8847
	etherMPLSUp = 0x8848 // upstream-assigned label
	etherPPPoE  = 0x8864 // session stage
	etherLength = 0x0600 // below it: a length, and LLC follows
)

// ethernet reads destination and source (6 bytes each) and an EtherType.
func (d *Decoder) ethernet(b []byte) {
	if len(b) < 14 {
		return
	}
	typ := binary.BigEndian.Uint16(b[12:])
	if typ == etherIPv4 {
		d.ipv4(b[14:])
		return
	}
	d.etherType(typ, b[14:])
}

// etherType follows any stack of tags and labels to IP.
func (d *Decoder) etherType(typ uint16, b []byte) {
	for d.deeper() {
		switch typ {
		case etherIPv4:
			d.ipv4(b)
			return
		case etherIPv6:
			d.ipv6(b)
			return
		case etherVLAN, etherQinQ, etherQinQ91, etherQinQ92:
			if len(b) < 4 {
				return
			}
			typ, b = binary.BigEndian.Uint16(b[2:]), b[4:]
		case etherMPLS, etherMPLSUp:
			d.mpls(b)
			return
		case etherPPPoE:
			if len(b) >= 6 {
				d.ppp(b[6:])
			}
			return
		default:
			if typ < etherLength {
				d.llc(b)
			}
			return
		}
	}
}

// mpls skips labels of 4 bytes up to the one with the bottom-of-stack bit. What
// follows is told by its first four bits.
func (d *Decoder) mpls(b []byte) {
	for len(b) >= 4 {
		bottom := b[2]&1 != 0
		if b = b[4:]; bottom {
			d.ip(b)
			return
		}
	}
}

// llc reads an LLC header with SNAP: aa aa 03, an organisation, an EtherType.
func (d *Decoder) llc(b []byte) {
	if len(b) < 8 || b[0] != 0xaa || b[1] != 0xaa || b[2] != 3 || b[3] != 0 || b[4] != 0 {
		return
	}
	// 00 00 00, or 00 00 f8 of bridged networks.
	if typ := binary.BigEndian.Uint16(b[6:]); typ >= etherLength && (b[5] == 0 || b[5] == 0xf8) {
		d.etherType(typ, b[8:])
	}
}

// Hardware types of Linux cooked captures.
const arphrdLoopback = 772

// sll reads a Linux cooked header: packet type, hardware type, address length (2
// bytes each), address (8), EtherType (2).
func (d *Decoder) sll(b []byte) {
	if len(b) < 16 {
		return
	}
	d.loop = binary.BigEndian.Uint16(b[2:]) == arphrdLoopback
	d.local = d.local || d.loop || binary.BigEndian.Uint16(b) == sllOutgoing
	d.cooked(binary.BigEndian.Uint16(b[14:]), b[16:])
}

// sll2 reads a version 2 header: EtherType, reserved (2 bytes each), interface
// (4), hardware type (2), packet type, address length (1 each), address (8).
func (d *Decoder) sll2(b []byte) {
	if len(b) < 20 {
		return
	}
	d.loop = binary.BigEndian.Uint16(b[8:]) == arphrdLoopback
	d.local = d.local || d.loop || b[10] == sllOutgoing
	d.cooked(binary.BigEndian.Uint16(b), b[20:])
}

// cooked follows the protocol of a cooked header, of which 4 means LLC and the
// other small numbers are no EtherTypes.
func (d *Decoder) cooked(typ uint16, b []byte) {
	if typ >= etherLength || typ == 4 {
		d.etherType(typ, b)
	}
}

// null reads the address family in front of packets of a BSD loopback, in the
// byte order of the host that captured (DLT_NULL) or of the network (DLT_LOOP).
func (d *Decoder) null(b []byte) {
	if len(b) < 4 {
		return
	}
	d.local, d.loop = true, true
	family := binary.LittleEndian.Uint32(b)
	if family > 0xffff {
		family = binary.BigEndian.Uint32(b)
	}
	switch family {
	case 2:
		d.ipv4(b[4:])
	case 10, 24, 28, 30: // Linux; NetBSD, OpenBSD and Windows; FreeBSD; Darwin
		d.ipv6(b[4:])
	}
}

// Protocols of PPP.
const (
	pppIPv4   = 0x0021
	pppIPv6   = 0x0057
	pppMPLS   = 0x0281
	pppHDLC   = 0xff // all-stations address of RFC 1662, then 03
	ciscoUni  = 0x0f // Cisco HDLC: unicast, 00, EtherType
	ciscoCast = 0x8f // multicast
)

// ppp reads an optional address and control field and a protocol of one or two
// bytes; on serial lines Cisco's HDLC may stand in its place.
func (d *Decoder) ppp(b []byte) {
	if len(b) >= 4 && (b[0] == ciscoUni || b[0] == ciscoCast) && b[1] == 0 {
		d.etherType(binary.BigEndian.Uint16(b[2:]), b[4:])
		return
	}
	if len(b) >= 2 && b[0] == pppHDLC && b[1] == 3 {
		b = b[2:]
	}
	if len(b) < 2 {
		return
	}
	proto, n := uint16(b[0]), 1 // compressed: the low bit ends it
	if b[0]&1 == 0 {
		proto, n = binary.BigEndian.Uint16(b), 2
	}
	switch b = b[n:]; proto {
	case pppIPv4:
		d.ipv4(b)
	case pppIPv6:
		d.ipv6(b)
	case pppMPLS:
		d.mpls(b)
	}
}

// pppDir is PPP after one byte that tells the direction: 0 received, else sent.
func (d *Decoder) pppDir(b []byte) {
	if len(b) < 1 {
		return
	}
	d.local = d.local || b[0] != 0
	d.ppp(b[1:])
}
