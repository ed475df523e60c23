package capture

import (
	"bytes"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"pgregory.net/rapid"
)

var hello = []byte("hello dp8 data!")

// snap is LLC with SNAP.
func snap(typ int, b []byte) []byte { return cat([]byte{0xaa, 0xaa, 3, 0, 0, 0}, be16(typ), b) }

// wifiBytes is a data frame: control bytes, header of n bytes, LLC.
func wifiBytes(c0, c1 byte, n int, b []byte) []byte {
	h := make([]byte, n)
	h[0], h[1] = c0, c1
	return append(h, b...)
}

func TestLinkLayers(t *testing.T) {
	ip4 := ipv4Bytes(protoUDP, 7, 0, udpBytes(testV4a, testV4b, hello))
	ip6 := ipv6Bytes(protoUDP, udpBytes(testV6a, testV6b, hello))
	sll := func(pktType, typ int, b []byte) []byte {
		return cat(be16(pktType), be16(1), be16(6), make([]byte, 8), be16(typ), b)
	}
	sll2 := func(pktType byte, typ int, b []byte) []byte {
		return cat(be16(typ), make([]byte, 6), be16(1), []byte{pktType, 6}, make([]byte, 8), b)
	}
	tag := func(typ int, b []byte) []byte { return cat(be16(5), be16(typ), b) }
	wifi := wifiBytes(8, 1, 24, snap(etherIPv4, ip4))
	for _, c := range []struct {
		name string
		link LinkType
		data []byte
	}{
		{"ethernet", 1, etherBytes(etherIPv4, ip4)},
		{"ethernet v6", 1, etherBytes(etherIPv6, ip6)},
		{"ethernet padded", 1, etherBytes(etherIPv4, append(bytes.Clone(ip4), 1, 2, 3))},
		{"ethernet v6 padded", 1, etherBytes(etherIPv6, append(bytes.Clone(ip6), 1, 2, 3))},
		{"VLAN", 1, etherBytes(etherVLAN, tag(etherIPv4, ip4))},
		{"QinQ", 1, etherBytes(etherQinQ, tag(etherVLAN, tag(etherIPv4, ip4)))},
		{"9100 9200 8100", 1, etherBytes(etherQinQ91, tag(etherQinQ92, tag(etherVLAN, tag(etherIPv6, ip6))))},
		{"LLC", 1, etherBytes(len(ip4)+8, snap(etherIPv4, ip4))},
		{"PPPoE", 1, etherBytes(etherPPPoE, cat([]byte{0x11, 0, 0, 1}, be16(len(ip4)+2), be16(0x21), ip4))},
		{"MPLS", 1, etherBytes(etherMPLS, cat([]byte{0, 1, 0, 64, 0, 1, 1, 64}, ip4))},
		{"raw", 101, ip4}, {"raw v6", 101, ip6}, {"raw 12", 12, ip4}, {"raw 14", 14, ip6}, {"228", 228, ip4}, {"229", 229, ip6},
		{"null LE", 0, cat([]byte{2, 0, 0, 0}, ip4)}, {"null BE", 0, cat([]byte{0, 0, 0, 2}, ip4)},
		{"null 10", 0, cat([]byte{10, 0, 0, 0}, ip6)}, {"null 24", 0, cat([]byte{0, 0, 0, 24}, ip6)},
		{"null 28", 0, cat([]byte{28, 0, 0, 0}, ip6)}, {"null 30", 0, cat([]byte{30, 0, 0, 0}, ip6)},
		{"loop", 108, cat([]byte{0, 0, 0, 2}, ip4)}, {"loop v6", 108, cat([]byte{0, 0, 0, 24}, ip6)},
		{"SLL", 113, sll(0, etherIPv4, ip4)}, {"SLL VLAN", 113, sll(0, etherVLAN, tag(etherIPv6, ip6))}, {"SLL LLC", 113, sll(0, 4, snap(etherIPv4, ip4))},
		{"SLL2", 276, sll2(0, etherIPv4, ip4)}, {"SLL2 v6", 276, sll2(4, etherIPv6, ip6)},
		{"PPP", 9, cat([]byte{0xff, 3, 0, 0x21}, ip4)}, {"PPP bare", 9, cat([]byte{0, 0x57}, ip6)}, {"PPP compressed", 9, cat([]byte{0x21}, ip4)},
		{"PPP HDLC", 50, cat([]byte{0xff, 3, 0, 0x57}, ip6)}, {"Cisco HDLC", 50, cat([]byte{0x0f, 0, 8, 0}, ip4)}, {"PPP with direction", 204, cat([]byte{1, 0xff, 3, 0, 0x21}, ip4)},
		{"802.11", 105, wifi},
		{"802.11 QoS", 105, wifiBytes(0x88, 1, 26, snap(etherIPv6, ip6))},
		{"802.11 four addresses", 105, wifiBytes(8, 3, 30, snap(etherIPv4, ip4))},
		{"802.11 QoS HTC", 105, wifiBytes(0x88, 0x81, 30, snap(etherIPv4, ip4))},
		{"radiotap", 127, cat([]byte{0, 0, 8, 0, 0, 0, 0, 0}, wifi)},
		{"radiotap FCS", 127, cat([]byte{0, 0, 9, 0, 2, 0, 0, 0, 0x10}, wifi, []byte{1, 2, 3, 4})},
		{"radiotap TSFT, two bitmaps, padded", 127, cat([]byte{0, 0, 25, 0, 3, 0, 0, 0x80, 0, 0, 0, 0}, make([]byte, 12), []byte{0x20}, wifiBytes(0x88, 1, 28, snap(etherIPv4, ip4)))},
		{"IPv4 in IPv4", 101, ipv4Bytes(protoIPv4, 0, 0, ip4)}, {"IPv6 in IPv4", 101, ipv4Bytes(protoIPv6, 0, 0, ip6)},
	} {
		p := decodeOne(c.link, c.data)
		if p.Class != UDP || !bytes.Equal(p.Payload, hello) || p.Length != len(hello) || p.Src.Port != 40000 || p.Dst.Port != 2302 || p.BadChecksum || p.TTL != 64 {
			t.Errorf("%s: class %d, %+v", c.name, p.Class, p.Datagram)
		}
		if want := "10.0.0.1:40000"; !p.IPv6 && p.Src.String() != want || p.IPv6 && p.Src.String() != "[fe80::1]:40000" {
			t.Errorf("%s: from %v", c.name, p.Src)
		}
		// No prefix of it may be taken for a datagram that is not cut.
		for n := range c.data {
			if q := decodeOne(c.link, c.data[:n]); q.Class == UDP && !q.Cut() && n < len(c.data)-4 {
				t.Errorf("%s: whole when cut at %d", c.name, n)
			}
		}
	}
	for name, b := range map[string][]byte{
		"encrypted": wifiBytes(8, 0x41, 24, snap(etherIPv4, ip4)), "management": wifiBytes(0x80, 0, 24, snap(etherIPv4, ip4)),
		"no data": wifiBytes(0x48, 1, 24, snap(etherIPv4, ip4)), "fragment": wifiBytes(8, 5, 24, snap(etherIPv4, ip4)),
	} {
		if p := decodeOne(LinkIEEE80211, b); p.Class != NotUDP {
			t.Errorf("802.11 %s: class %d", name, p.Class)
		}
	}
}

func TestExtensionHeaders(t *testing.T) {
	u := udpBytes(testV6a, testV6b, hello)
	for _, c := range []struct {
		name  string
		next  byte
		data  []byte
		class Class
	}{
		{"hop-by-hop", 0, cat([]byte{17, 0, 1, 4, 0, 0, 0, 0}, u), UDP},
		{"destination, routing", 60, cat([]byte{43, 0, 1, 4, 0, 0, 0, 0, 17, 1, 0, 0}, make([]byte, 12), u), UDP},
		{"AH", 51, cat([]byte{17, 4, 0, 0}, make([]byte, 20), u), UDP},
		{"atomic fragment", 44, cat([]byte{17, 0, 0, 0, 1, 2, 3, 4}, u), UDP},
		{"atomic fragment, destination", 44, cat([]byte{60, 0, 0, 0, 1, 2, 3, 4, 17, 0, 1, 4, 0, 0, 0, 0}, u), UDP},
		{"no next header", 59, u, NotUDP},
		{"ESP", 50, u, NotUDP},
		{"TCP", 6, u, NotUDP},
		{"extension beyond the end", 0, []byte{17, 200, 1, 4, 0, 0, 0, 0}, NotUDP},
	} {
		p := decodeOne(LinkRaw, ipv6Bytes(c.next, c.data))
		if p.Class != c.class || c.class == UDP && (!bytes.Equal(p.Payload, hello) || p.BadChecksum) {
			t.Errorf("%s: class %d %+v", c.name, p.Class, p.Datagram)
		}
	}
}

func TestUDPLengths(t *testing.T) {
	with := func(n int) []byte {
		u := udpBytes(testV4a, testV4b, hello)
		copy(u[4:], be16(n))
		u[6], u[7] = 0, 0
		return ipv4Bytes(protoUDP, 0, 0, u)
	}
	ipLen := func(n int) []byte {
		b := with(23)
		copy(b[2:], be16(n))
		return b
	}
	for _, c := range []struct {
		name            string
		data            []byte
		class           Class
		payload, length int
	}{
		{"exact", with(23), UDP, 15, 15},
		{"0 is the rest", with(0), UDP, 15, 15},
		{"7 is none", with(7), NotUDP, 0, 0},
		{"8 is empty", with(8), UDP, 0, 0},
		{"shorter than IP says", with(10), UDP, 2, 2},
		{"longer than IP says", with(500), UDP, 15, 492},
		{"IP length 0", ipLen(0), UDP, 15, 15},
		{"IP length below the header", ipLen(10), NotUDP, 0, 0},
		{"IP length beyond the packet", ipLen(1000), UDP, 15, 15},
		{"IP length ends in the UDP header", ipLen(27), NotUDP, 0, 0},
		{"cut by snaplen", with(23)[:30], UDP, 2, 15},
		{"cut in the UDP header", with(23)[:24], NotUDP, 0, 0},
		{"IP version 5", append([]byte{0x55}, with(23)[1:]...), NotUDP, 0, 0},
	} {
		p := decodeOne(LinkEthernet, etherBytes(etherIPv4, c.data))
		if p.Class != c.class || len(p.Payload) != c.payload || p.Length != c.length {
			t.Errorf("%s: class %d, payload %d of %d", c.name, p.Class, len(p.Payload), p.Length)
		}
	}
}

func TestChecksum(t *testing.T) {
	bad := func(b []byte) []byte { b = bytes.Clone(b); b[len(b)-1] ^= 1; return b }
	partial := func(ip []byte, withLength bool) []byte {
		ip = bytes.Clone(ip)
		n := 20
		addrs := ip[12:20]
		if ip[0]>>4 == 6 {
			n, addrs = 40, ip[8:40]
		}
		ps := cat(addrs, []byte{0, protoUDP})
		if withLength {
			ps = append(ps, ip[n+4:n+6]...)
		}
		copy(ip[n+6:], be16(int(slowSum(ps))))
		return ip
	}
	ip4 := ipv4Bytes(protoUDP, 7, 0, udpBytes(testV4a, testV4b, hello))
	ip6 := ipv6Bytes(protoUDP, udpBytes(testV6a, testV6b, hello))
	loop := bytes.Clone(ip4)
	copy(loop[12:], []byte{127, 0, 0, 1})
	self := bytes.Clone(ip4)
	copy(self[12:16], self[16:20])
	zero4, zero6 := bytes.Clone(ip4), bytes.Clone(ip6)
	zero4[26], zero4[27], zero6[46], zero6[47] = 0, 0, 0, 0
	sll := func(pktType int, b []byte) []byte {
		return cat(be16(pktType), be16(1), be16(6), make([]byte, 8), be16(etherIPv4), b)
	}
	for _, c := range []struct {
		name string
		link LinkType
		data []byte
		bad  bool
	}{
		{"good", 101, ip4, false}, {"good v6", 101, ip6, false},
		{"bad", 101, bad(ip4), true}, {"bad v6", 101, bad(ip6), true},
		{"none", 101, bad(zero4), false}, {"none v6", 101, bad(zero6), false},
		{"partial", 101, partial(ip4, true), false}, {"partial v6", 101, partial(ip6, true), false}, {"partial without length", 101, partial(ip4, false), false},
		{"null link", 0, cat([]byte{2, 0, 0, 0}, bad(ip4)), false},
		{"sent, SLL", 113, sll(4, bad(ip4)), false}, {"received, SLL", 113, sll(0, bad(ip4)), true},
		{"from loopback", 101, bad(loop), false}, {"to itself", 101, bad(self), false},
		{"cut", 101, bad(ip4)[:len(ip4)-1], false},
	} {
		if p := decodeOne(c.link, c.data); p.Class != UDP || p.BadChecksum != c.bad {
			t.Errorf("%s: class %d, bad %v", c.name, p.Class, p.BadChecksum)
		}
	}
}

func TestChecksumAgainstTheBook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "bytes")
		got := fold(sum(0, b))
		if want := slowSum(b); got>>8|got<<8 != want {
			t.Fatalf("got %#x, want %#x", got, want)
		}
	})
	if fold(^uint64(0)) != 0xffff || fold(sum(^uint64(0), bytes.Repeat([]byte{0xff}, 99))) == 0 {
		t.Error("carries get lost")
	}
}

func TestUnreachable(t *testing.T) {
	ip4 := ipv4Bytes(protoUDP, 0x77, 0, udpBytes(testV4a, testV4b, hello))
	ip6 := ipv6Bytes(protoUDP, udpBytes(testV6a, testV6b, hello))
	icmp := func(typ, code byte, q []byte) []byte { return cat([]byte{typ, code, 0, 0, 0, 0, 0, 0}, q) }
	for _, c := range []struct {
		name            string
		data            []byte
		class           Class
		payload, length int
	}{
		{"port", ipv4Bytes(protoICMP, 0, 0, icmp(3, 3, ip4)), Unreachable, 15, 15},
		{"host, eight bytes quoted", ipv4Bytes(protoICMP, 0, 0, icmp(3, 1, ip4[:28])), Unreachable, 0, 15},
		{"ports alone", ipv4Bytes(protoICMP, 0, 0, icmp(3, 3, ip4[:24])), Unreachable, 0, 0},
		{"v6 port", ipv6Bytes(protoICMPv6, icmp(1, 4, ip6)), Unreachable, 15, 15},
		{"v6 with destination options", ipv6Bytes(protoICMPv6, icmp(1, 4, ipv6Bytes(60, cat([]byte{17, 0, 1, 4, 0, 0, 0, 0}, udpBytes(testV6a, testV6b, hello))))), Unreachable, 15, 15},
		{"too big", ipv4Bytes(protoICMP, 0, 0, icmp(3, 4, ip4)), NotUDP, 0, 0},
		{"echo", ipv4Bytes(protoICMP, 0, 0, icmp(8, 0, ip4)), NotUDP, 0, 0},
		{"TCP quoted", ipv4Bytes(protoICMP, 0, 0, icmp(3, 3, ipv4Bytes(6, 0, 0, hello))), NotUDP, 0, 0},
		{"later fragment quoted", ipv4Bytes(protoICMP, 0, 0, icmp(3, 3, ipv4Bytes(17, 0, 5, hello))), NotUDP, 0, 0},
		{"cut", ipv4Bytes(protoICMP, 0, 0, icmp(3, 3, ip4[:23])), NotUDP, 0, 0},
		{"cut behind the quoted header", ipv4Bytes(protoICMP, 0, 0, icmp(3, 3, ip4[:20])), NotUDP, 0, 0},
		{"cut in the options of the quoted header", ipv4Bytes(protoICMP, 0, 0, icmp(3, 3, cat([]byte{0x4f}, ip4[1:40]))), NotUDP, 0, 0},
	} {
		p := decodeOne(LinkRaw, c.data)
		if p.Class != c.class || len(p.Payload) != c.payload || p.Length != c.length {
			t.Errorf("%s: class %d, payload %d of %d", c.name, p.Class, len(p.Payload), p.Length)
		}
		if c.class == Unreachable && (p.Src.Port != 40000 || p.Dst.Port != 2302) {
			t.Errorf("%s: %v > %v", c.name, p.Src, p.Dst)
		}
	}
}

// gopacket is asked about packets it decodes well: Ethernet, VLAN tags, IPv4
// with options, IPv6 and UDP.
func TestAgainstGopacket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "payload")
		src, dst := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "src"), rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "dst")
		src[0], dst[0] = 10, 11
		eth := &layers.Ethernet{SrcMAC: make([]byte, 6), DstMAC: make([]byte, 6), EthernetType: layers.EthernetTypeIPv4}
		stack := []gopacket.SerializableLayer{eth}
		udp := &layers.UDP{SrcPort: layers.UDPPort(rapid.Uint16().Draw(t, "sport")), DstPort: layers.UDPPort(rapid.Uint16().Draw(t, "dport"))}
		var network gopacket.SerializableLayer
		if rapid.Bool().Draw(t, "v6") {
			ip := &layers.IPv6{Version: 6, HopLimit: 9, NextHeader: layers.IPProtocolUDP, SrcIP: src, DstIP: dst}
			eth.EthernetType = layers.EthernetTypeIPv6
			udp.SetNetworkLayerForChecksum(ip)
			network = ip
		} else {
			ip := &layers.IPv4{Version: 4, TTL: 9, Id: 77, Protocol: layers.IPProtocolUDP, SrcIP: src[:4], DstIP: dst[:4]}
			for range rapid.IntRange(0, 9).Draw(t, "options") {
				ip.Options = append(ip.Options, layers.IPv4Option{OptionType: 1})
			}
			udp.SetNetworkLayerForChecksum(ip)
			network = ip
		}
		for range rapid.IntRange(0, 3).Draw(t, "tags") {
			stack = append(stack, &layers.Dot1Q{Type: eth.EthernetType})
			eth.EthernetType = layers.EthernetTypeDot1Q
		}
		for i := 1; i+1 < len(stack); i++ {
			stack[i].(*layers.Dot1Q).Type = layers.EthernetTypeDot1Q
		}
		stack = append(stack, network, udp, gopacket.Payload(payload))
		buf := gopacket.NewSerializeBuffer()
		if err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, stack...); err != nil {
			t.Fatal(err)
		}
		b := append(buf.Bytes(), make([]byte, rapid.IntRange(0, 8).Draw(t, "padding"))...)
		if rapid.Bool().Draw(t, "damage") && len(b) > 0 {
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		}
		compareWithGopacket(t, b)
	})
}

// compareWithGopacket checks what both call a whole UDP datagram.
func compareWithGopacket(t *rapid.T, b []byte) {
	pkt := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.DecodeOptions{NoCopy: true})
	u, ok := pkt.TransportLayer().(*layers.UDP)
	if !ok || pkt.Metadata().Truncated || u.Length < 8 {
		return
	}
	for _, l := range pkt.Layers() {
		switch l.LayerType() {
		case layers.LayerTypeEthernet, layers.LayerTypeDot1Q, layers.LayerTypeIPv4, layers.LayerTypeIPv6, layers.LayerTypeUDP:
		default:
			if l.LayerType() == layers.LayerTypeIPv6HopByHop || l.LayerType() == layers.LayerTypeIPv6Fragment {
				return
			}
		}
	}
	if n, ok := pkt.NetworkLayer().(*layers.IPv4); ok && n.Version != 4 {
		return // gopacket does not look
	}
	if n, ok := pkt.NetworkLayer().(*layers.IPv6); ok && n.Version != 6 {
		return
	}
	p := decodeOne(LinkEthernet, b)
	if p.Class != UDP || p.Src.Port != uint16(u.SrcPort) || p.Dst.Port != uint16(u.DstPort) || p.Length != int(u.Length)-8 || !bytes.Equal(p.Payload, u.Payload) {
		t.Fatalf("class %d %+v\ngopacket %+v\n% x", p.Class, p.Datagram, u, b)
	}
	if n, ok := pkt.NetworkLayer().(*layers.IPv4); ok && (p.IPID != n.Id || p.TTL != n.TTL || p.Src.Addr().String() != n.SrcIP.String()) {
		t.Fatalf("%+v\ngopacket %+v", p.Datagram, n)
	}
}

// Datagrams of one pair that differ in one place have different fingerprints,
// wherever the place is: the change of the checksum must not hide it.
func TestFingerprint(t *testing.T) {
	payload := make([]byte, 40)
	plain := decodeOne(LinkEthernet, plainV4(payload)).Sum
	if again := decodeOne(LinkEthernet, plainV4(payload)).Sum; again != plain || plain == 0 {
		t.Errorf("fingerprints %x and %x of the same datagram", plain, again)
	}
	for i := range payload {
		changed := bytes.Clone(payload)
		changed[i] = 1
		if decodeOne(LinkEthernet, plainV4(changed)).Sum == plain {
			t.Errorf("byte %d of the payload makes no difference", i)
		}
	}
}
