package capfilter

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
)

// A maker makes random packets in which the addresses, ports and types of the
// expressions of the tests occur.
type maker struct{ *rand.Rand }

// oneOf picks one of some values.
func oneOf[T any](r maker, values ...T) T { return values[r.IntN(len(values))] }

// packets makes n packets of a link type, the same ones every time. Some are cut
// short, some are noise.
func packets(link uint32, n int) []packet {
	m := maker{rand.New(rand.NewPCG(2302, uint64(link)))}
	all := make([]packet, n)
	for i := range all {
		all[i] = m.packet(link)
	}
	return all
}

// packet makes one packet, of which some bytes may be missing.
func (m maker) packet(link uint32) packet {
	data := m.linked(link)
	p := packet{data, len(data)}
	switch m.IntN(10) {
	case 0:
		p.data = data[:m.IntN(len(data)+1)]
	case 1: // where headers end
		p.data = data[:min(len(data), oneOf(m, 12, 14, 18, 20, 22, 24, 30, 34, 36, 38, 40, 54, 55, 56, 57, 58, 60, 62, 64)+m.IntN(3)-1)]
	case 2:
		p.data = data[:min(len(data), oneOf(m, 64, 96, 128))]
	case 3: // really short, not just captured so
		p.data = data[:m.IntN(len(data)+1)]
		p.wire = len(p.data)
	}
	return p
}

// linked makes a packet with its link header.
func (m maker) linked(link uint32) []byte {
	if m.IntN(40) == 0 {
		return m.noise(m.IntN(120))
	}
	typ, net := m.network()
	switch link {
	case 0, 108:
		family := map[uint16]uint32{0x800: 2, 0x86dd: oneOf(m, uint32(0x1e), 0x18, 0x1c, 10)}[typ]
		if (link == 0) != (m.IntN(20) == 0) {
			return append(binary.LittleEndian.AppendUint32(nil, family), net...)
		}
		return append(binary.BigEndian.AppendUint32(nil, family), net...)
	case 9, 50:
		if ppp := map[uint16]uint16{0x800: 0x21, 0x86dd: 0x57}[typ]; ppp != 0 {
			typ = ppp
		}
		return append([]byte{0xff, 3, byte(typ >> 8), byte(typ)}, net...)
	case 113:
		head := append([]byte{0, byte(m.IntN(5)), 0, 1, 0, 6}, m.mac()...)
		return append(append(head, 0, 0, byte(typ>>8), byte(typ)), net...)
	case 276:
		head := []byte{byte(typ >> 8), byte(typ), 0, 0, 0, 0, 0, byte(m.IntN(4)), 0, 1, byte(m.IntN(5)), 6}
		return append(append(append(head, m.mac()...), 0, 0), net...)
	case 12, 14, 101, 228, 229:
		return net
	}
	return m.ethernet(typ, net)
}

// mac makes a MAC address.
func (m maker) mac() []byte {
	return oneOf(m, []byte{2, 0, 0, 0, 0, 1}, []byte{2, 0, 0, 0, 0, 2}, []byte{255, 255, 255, 255, 255, 255},
		[]byte{1, 0, 0x5e, 0, 0, 251}, []byte{0x33, 0x33, 0, 0, 0, 1})
}

// ethernet puts an Ethernet header before a packet, with up to three tags.
func (m maker) ethernet(typ uint16, net []byte) []byte {
	data := append(append([]byte{}, m.mac()...), m.mac()...)
	for range max(0, m.IntN(8)-4) {
		data = binary.BigEndian.AppendUint16(data, oneOf[uint16](m, 0x8100, 0x8100, 0x88a8, 0x9100))
		data = binary.BigEndian.AppendUint16(data, uint16(m.IntN(16))<<12|oneOf[uint16](m, 5, 100, 200, 300, 0, 4095))
	}
	if typ == 0 { // LLC
		sap := oneOf[byte](m, 0x42, 0x06, 0xfe, 0xf0, 0xaa, 0x05)
		return append(append(data, 0, byte(m.IntN(250)), sap, sap, 3), m.noise(40)...)
	}
	return append(binary.BigEndian.AppendUint16(data, typ), net...)
}

// network makes a packet of a network protocol and its EtherType.
func (m maker) network() (uint16, []byte) {
	switch m.IntN(20) {
	case 0, 1:
		return oneOf[uint16](m, 0x806, 0x806, 0x8035), m.arp()
	case 2:
		return oneOf[uint16](m, 0x88cc, 4, 1, 0x8137, 1500, 1501), m.noise(60)
	case 3:
		return 0, m.noise(50)
	case 4, 5, 6, 7, 8, 9:
		return 0x86dd, m.ip6()
	}
	return 0x800, m.ip4()
}

func (m maker) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.Uint32())
	}
	return b
}

// addr4 and addr6 make addresses.
func (m maker) addr4() []byte {
	return netip.MustParseAddr(oneOf(m, "10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.1.2.3", "192.168.1.77",
		"172.16.5.5", "224.0.0.251", "255.255.255.255", "10.0.7.0", "0.0.0.7")).AsSlice()
}

func (m maker) addr6() []byte {
	return netip.MustParseAddr(oneOf(m, "fe80::1", "fe80::1", "fe80::2", "2001:db8::5:1", "2001:db8:8000::1", "ff02::1", "::1", "2001::")).AsSlice()
}

func (m maker) arp() []byte {
	b := []byte{0, 1, 8, 0, 6, 4, 0, byte(1 + m.IntN(2))}
	b = append(append(b, m.mac()...), m.addr4()...)
	return append(append(b, m.mac()...), m.addr4()...)
}

// proto picks the number of a transport.
func (m maker) proto(icmp byte) byte {
	return oneOf(m, 17, 17, 17, 17, 17, 6, 6, 6, 132, icmp, icmp, 2, 50, 51, 103, 47, byte(m.Uint32()))
}

func (m maker) ip4() []byte {
	options := 4 * max(0, m.IntN(9)-5)
	proto := m.proto(1)
	body := m.transport(proto)
	b := []byte{byte(0x45 + options/4), byte(m.IntN(256)), 0, 0, 0, byte(m.IntN(256)), 0, 0, 64, proto, 0, 0}
	binary.BigEndian.PutUint16(b[2:], uint16(20+options+len(body)))
	binary.BigEndian.PutUint16(b[6:], oneOf[uint16](m, 0, 0, 0, 0, 0x4000, 0x2000, 0x2001, 0x1fff, 1))
	if m.IntN(30) == 0 {
		b[0] = byte(m.Uint32())
	}
	b = append(append(b, m.addr4()...), m.addr4()...)
	return append(append(b, m.noise(options)...), body...)
}

func (m maker) ip6() []byte {
	proto := m.proto(58)
	body := m.transport(proto)
	next := proto
	for range max(0, m.IntN(6)-3) {
		kind := oneOf[byte](m, 0, 43, 44, 44, 44, 60)
		body = append(append([]byte{next, 0}, m.noise(6)...), body...)
		next = kind
	}
	b := []byte{0x60, 0, 0, 0, 0, 0, next, 64}
	binary.BigEndian.PutUint16(b[4:], uint16(len(body)))
	return append(append(append(b, m.addr6()...), m.addr6()...), body...)
}

func (m maker) port() uint16 {
	return oneOf(m, 53, 80, 443, 2302, 2302, 2303, 2350, 2400, 2401, 1024, 5, 6, 7, uint16(m.Uint32()))
}

// transport makes the rest of a packet.
func (m maker) transport(proto byte) []byte {
	var b []byte
	switch proto {
	case 6:
		b = m.noise(20)
		b[12], b[13] = byte(5+m.IntN(3))<<4, byte(m.IntN(256))
	case 17, 132:
		b = m.noise(8)
	case 1, 58:
		b = m.noise(8)
		b[0], b[1] = oneOf[byte](m, 0, 3, 8, 11, 128, 129, 135), byte(m.IntN(3))
		return append(b, m.noise(m.IntN(60))...)
	default:
		return m.noise(m.IntN(60))
	}
	binary.BigEndian.PutUint16(b, m.port())
	binary.BigEndian.PutUint16(b[2:], m.port())
	payload := m.noise(m.IntN(100))
	if len(payload) > 0 && m.IntN(2) == 0 {
		payload[0] = oneOf[byte](m, 0x3f, 0x80, 0x88, 0)
	}
	return append(b, payload...)
}
