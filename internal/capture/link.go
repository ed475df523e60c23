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
	etherLLC    = 4      // as cooked headers have it
	unknown     = 0xffff // reserved: stands for what is not known
)

// ethernet reads destination and source (6 bytes each) and an EtherType.
func (d *Decoder) ethernet(b []byte) {
	if len(b) < 14 {
		return
	}
	switch typ := binary.BigEndian.Uint16(b[12:]); typ {
	case etherIPv4:
		d.ipv4(b[14:])
	case etherIPv6:
		d.ipv6(b[14:])
	default:
		d.carried(innermost(typ, b[14:]))
	}
}

// carried goes on with what a link carries.
func (d *Decoder) carried(typ uint16, b []byte) {
	switch typ {
	case etherIPv4:
		d.ipv4(b)
	case etherIPv6:
		d.ipv6(b)
	}
}

// Carried gives what the link of a packet carries: its EtherType, after any stack of tags and labels, and the
// rest of the packet from there. Where no EtherType is known it is 0xffff, and the rest begins after the last
// header that is.
func Carried(rec *Record) (typ uint16, b []byte) {
	b = rec.Data
	switch rec.Link {
	case LinkEthernet:
		if len(b) >= 14 {
			return innermost(binary.BigEndian.Uint16(b[12:]), b[14:])
		}
	case LinkRaw, LinkRaw12, LinkRaw14, LinkIPv4, LinkIPv6:
		return versionOf(b), b
	case LinkSLL:
		if len(b) >= sllHeader {
			return innermost(cooked(b[14:]), b[sllHeader:])
		}
	case LinkSLL2:
		if len(b) >= sll2Header {
			return innermost(cooked(b), b[sll2Header:])
		}
	case LinkNull, LinkLoop:
		if len(b) >= 4 {
			return family(b), b[4:]
		}
	case LinkPPP, LinkPPPHDLC:
		return innermost(ppp(b))
	case LinkPPPDir:
		if len(b) >= 1 {
			return innermost(ppp(b[1:]))
		}
	case LinkIEEE80211, LinkRadiotap:
		return innermost(wifi(WiFi(rec)))
	}
	return unknown, b
}

// hostOf says whether the capturing host sent a packet, and whether it never left that host, where the link
// tells.
func hostOf(rec *Record) (local, loop bool) {
	switch b := rec.Data; rec.Link {
	case LinkSLL:
		if len(b) >= sllHeader {
			loop = binary.BigEndian.Uint16(b[2:]) == arphrdLoopback
			local = loop || binary.BigEndian.Uint16(b) == sllOutgoing
		}
	case LinkSLL2:
		if len(b) >= sll2Header {
			loop = binary.BigEndian.Uint16(b[8:]) == arphrdLoopback
			local = loop || b[10] == sllOutgoing
		}
	case LinkNull, LinkLoop:
		return true, true
	case LinkPPPDir: // its first byte tells the direction: 0 received, else sent
		local = len(b) >= 1 && b[0] != 0
	}
	return local, loop
}

// innermost follows any stack of tags and labels to what it carries.
func innermost(typ uint16, b []byte) (uint16, []byte) {
	for range maxDepth {
		switch typ {
		case etherVLAN, etherQinQ, etherQinQ91, etherQinQ92:
			if len(b) < 4 {
				return unknown, b
			}
			typ, b = binary.BigEndian.Uint16(b[2:]), b[4:]
		case etherMPLS, etherMPLSUp:
			typ, b = mpls(b)
		case etherPPPoE:
			if len(b) < 6 {
				return unknown, b
			}
			typ, b = ppp(b[6:])
		default:
			if typ >= etherLength {
				return typ, b
			}
			typ, b = llc(b)
		}
	}
	return unknown, b
}

// versionOf tells the versions of IP apart by the first four bits.
func versionOf(b []byte) uint16 {
	switch {
	case len(b) > 0 && b[0]>>4 == 4:
		return etherIPv4
	case len(b) > 0 && b[0]>>4 == 6:
		return etherIPv6
	}
	return unknown
}

// mpls skips labels of 4 bytes up to the one with the bottom-of-stack bit. What
// follows is told by its first four bits.
func mpls(b []byte) (uint16, []byte) {
	for len(b) >= 4 {
		bottom := b[2]&1 != 0
		if b = b[4:]; bottom {
			return versionOf(b), b
		}
	}
	return unknown, b
}

// llc reads an LLC header with SNAP: aa aa 03, an organisation, an EtherType.
func llc(b []byte) (uint16, []byte) {
	if len(b) < 8 || b[0] != 0xaa || b[1] != 0xaa || b[2] != 3 || b[3] != 0 || b[4] != 0 {
		return unknown, b
	}
	// 00 00 00, or 00 00 f8 of bridged networks.
	if typ := binary.BigEndian.Uint16(b[6:]); typ >= etherLength && (b[5] == 0 || b[5] == 0xf8) {
		return typ, b[8:]
	}
	return unknown, b
}

// Linux cooked headers: packet type, hardware type, address length (2 bytes each), address (8), EtherType (2);
// in version 2 EtherType, reserved (2 each), interface (4), hardware type (2), packet type, address length (1
// each), address (8).
const (
	sllHeader      = 16
	sll2Header     = 20
	arphrdLoopback = 772 // hardware type
)

// cooked reads the protocol of a cooked header, of which 4 means LLC and the
// other small numbers are no EtherTypes.
func cooked(b []byte) uint16 {
	if typ := binary.BigEndian.Uint16(b); typ >= etherLength || typ == etherLLC {
		return typ
	}
	return unknown
}

// family reads the address family in front of packets of a BSD loopback, in the
// byte order of the host that captured (DLT_NULL) or of the network (DLT_LOOP).
func family(b []byte) uint16 {
	family := binary.LittleEndian.Uint32(b)
	if family > 0xffff {
		family = binary.BigEndian.Uint32(b)
	}
	switch family {
	case 2:
		return etherIPv4
	case 10, 24, 28, 30: // Linux; NetBSD, OpenBSD and Windows; FreeBSD; Darwin
		return etherIPv6
	}
	return unknown
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
func ppp(b []byte) (uint16, []byte) {
	if len(b) >= 4 && (b[0] == ciscoUni || b[0] == ciscoCast) && b[1] == 0 {
		return binary.BigEndian.Uint16(b[2:]), b[4:]
	}
	if len(b) >= 2 && b[0] == pppHDLC && b[1] == 3 {
		b = b[2:]
	}
	if len(b) < 2 {
		return unknown, b
	}
	proto, n := uint16(b[0]), 1 // compressed: the low bit ends it
	if b[0]&1 == 0 {
		proto, n = binary.BigEndian.Uint16(b), 2
	}
	switch b = b[n:]; proto {
	case pppIPv4:
		return etherIPv4, b
	case pppIPv6:
		return etherIPv6, b
	case pppMPLS:
		return etherMPLS, b
	}
	return unknown, b
}
