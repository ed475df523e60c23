package sim

import "encoding/binary"

// A Link is the link layer of a capture.
type Link uint8

const (
	Ethernet Link = iota
	VLAN          // Ethernet with one 802.1Q tag
	Raw           // IP without link layer
	SLL2          // Linux cooked capture, version 2
)

// vlanID is the VLAN of everything on a tagged link.
const vlanID = 42

// wrap puts the link layer around an IP packet.
func (l Link) wrap(d *Datagram, ip []byte) []byte {
	etherType := uint16(0x0800)
	if ip[0]>>4 == 6 {
		etherType = 0x86dd
	}
	b := make([]byte, 0, 20+len(ip)+46)
	switch l {
	case Raw:
		return append(b, ip...)
	case SLL2:
		return append(appendSLL2(b, d, etherType), ip...)
	}
	b = append(b, d.To.MAC[:]...)
	b = append(b, d.From.MAC[:]...)
	least := 60
	if l == VLAN {
		b = append(b, 0x81, 0x00, 0, vlanID)
		least = 64
	}
	b = binary.BigEndian.AppendUint16(b, etherType)
	b = append(b, ip...)
	for len(b) < least {
		b = append(b, 0) // IEEE 802.3: short frames are padded
	}
	return b
}

// appendSLL2 appends the 20 bytes of a LINUX_SLL2 header.
func appendSLL2(b []byte, d *Datagram, etherType uint16) []byte {
	kind := byte(0) // to us
	if d.From.Side == 0 {
		kind = 4 // from us
	}
	b = binary.BigEndian.AppendUint16(b, etherType)
	b = append(b, 0, 0, 0, 0, 0, 2, 0, 1, kind, 6)
	b = append(b, d.From.MAC[:]...)
	return append(b, 0, 0)
}
