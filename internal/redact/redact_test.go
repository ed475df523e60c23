package redact

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
)

func newKey() *Key { return NewKey([]byte("a key of tests")) }

// classes is a value of which only the classes are told apart.
func classes(v []byte, a *alphabet) string {
	c := make([]byte, len(v))
	for i, b := range v {
		if c[i] = a.class[b]; c[i] == 0 {
			c[i] = b
		}
	}
	return string(c)
}

// TestRedactValuesKeepTheirClasses: letters become letters, digits digits, other printable ASCII
// stays; the length stays, equal values become equal ones, and different ones different ones.
func TestRedactValuesKeepTheirClasses(t *testing.T) {
	k, none := newKey(), NewOriginals()
	r := rand.New(rand.NewPCG(1, 2))
	for _, text := range []bool{false, true} {
		seen := map[string]string{}
		for range 3000 {
			v := make([]byte, r.IntN(12))
			for i := range v {
				v[i] = "az09~ \x00\x01\xc3\xa9"[r.IntN(10)]
			}
			was := string(v)
			k.replace(v, text, none)
			if from, ok := seen[string(v)]; ok && from != was {
				t.Fatalf("%q and %q become %q", from, was, v)
			}
			seen[string(v)] = was
			a := contents
			switch {
			case text && utf8.ValidString(was) && !strings.Contains(was, "\x00"):
				if a = unicode8; !utf8.Valid(v) {
					t.Errorf("%q becomes %q", was, v)
				}
			case text:
				a = wide
			}
			if classes(v, a) != classes([]byte(was), a) {
				t.Errorf("%q becomes %q", was, v)
			}
			again := []byte(was)
			if k.replace(again, text, none); !bytes.Equal(again, v) {
				t.Errorf("%q becomes %q, and %q", was, v, again)
			}
		}
	}
	long := []byte("a text of letters and 1234567890 digits")
	if k.replace(long, true, none); string(long) == "a text of letters and 1234567890 digits" {
		t.Error("a text stays")
	}
	if zero := make([]byte, 9); true {
		if k.replace(zero, false, none); !isZero(zero) {
			t.Error("zero bytes do not stay")
		}
	}
}

// TestRedactReplacementsAreNoOriginals: what stands for a value holds nothing that must not be
// found, however likely that would be by chance.
func TestRedactReplacementsAreNoOriginals(t *testing.T) {
	k, o := newKey(), NewOriginals()
	for i := range 500000 { // half of all
		o.add(fmt.Appendf(nil, "%06d", i), true)
	}
	for i := range 2000 {
		v := fmt.Appendf(nil, "%06d", i)
		if k.replace(v, true, o); v[0] < '5' && differ(v) >= 4 {
			t.Fatalf("%06d becomes %s", i, v)
		}
	}
}

// TestRedactAddressesOneToOne: addresses become others, one to one, in 10.0.0.0/8 and
// 2001:db8::/32, MACs 02:…; none is one of the input. Those of groups, loopback and none stay.
func TestRedactAddressesOneToOne(t *testing.T) {
	for _, keep := range []bool{false, true} {
		a := NewAddresses(newKey(), keep, true)
		var ips []netip.Addr
		for i := range 600 {
			ips = append(ips, netip.AddrFrom4([4]byte{10, byte(i >> 8), 7, byte(i)}), netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1)))
			a.note(linkAddress, []byte{2, 0, 0, 0, byte(i >> 8), byte(i)})
			a.note(udpPort, []byte{byte(i >> 8), byte(i)})
		}
		for _, ip := range ips {
			a.note(ipAddress, ip.AsSlice())
		}
		if err := a.Assign(); err != nil {
			t.Fatal(err)
		}
		seen := map[netip.Addr]bool{}
		for _, ip := range ips {
			to := a.ips[ip]
			if p := netip.MustParsePrefix("10.0.0.0/8"); seen[to] || slices.Contains(ips, to) || ip.Is4() != p.Contains(to) || ip.Is6() != netip.MustParsePrefix("2001:db8::/32").Contains(to) {
				t.Fatalf("%v becomes %v", ip, to)
			}
			if seen[to] = true; ip.Is4() && (ip.As4()[3] == 255) != (to.As4()[3] == 255) {
				t.Errorf("%v becomes %v", ip, to)
			}
		}
		for m, to := range a.macs {
			if _, there := a.macs[to]; there || to[0] != 2 {
				t.Errorf("% x becomes % x", m, to)
			}
		}
		for p, to := range a.ports {
			if _, there := a.ports[to]; there || to < 1024 {
				t.Errorf("port %d becomes %d", p, to)
			}
		}
	}
	a := NewAddresses(newKey(), false, false)
	for _, s := range []string{"127.0.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.251", "::1", "::", "ff02::fb", "::ffff:127.0.0.1"} {
		a.note(ipAddress, netip.MustParseAddr(s).AsSlice())
	}
	a.note(linkAddress, []byte{1, 0, 0x5e, 0, 0, 1})
	a.note(linkAddress, make([]byte, 6))
	if len(a.ips)+len(a.macs) > 0 {
		t.Errorf("%v and %v are replaced", a.ips, a.macs)
	}
}

// TestRedactKeepPrefix: equal prefixes stay equal prefixes.
func TestRedactKeepPrefix(t *testing.T) {
	a := NewAddresses(newKey(), true, false)
	for _, s := range []string{"192.168.1.2", "192.168.1.3", "192.168.7.3", "172.16.1.2", "2a01:4f8:1:2::5", "2a01:4f8:1:2::6", "2a01:4f8:1:3::6"} {
		a.note(ipAddress, netip.MustParseAddr(s).AsSlice())
	}
	if err := a.Assign(); err != nil {
		t.Fatal(err)
	}
	shared := func(x, y string, bits int) bool {
		p, err := a.ips[netip.MustParseAddr(x)].Prefix(bits)
		return err == nil && p.Contains(a.ips[netip.MustParseAddr(y)])
	}
	for _, c := range []struct {
		x, y string
		bits int
		want bool
	}{
		{"192.168.1.2", "192.168.1.3", 24, true}, {"192.168.1.2", "192.168.7.3", 16, true}, {"192.168.1.2", "192.168.7.3", 24, false},
		{"192.168.1.2", "172.16.1.2", 16, false}, {"2a01:4f8:1:2::5", "2a01:4f8:1:2::6", 64, true}, {"2a01:4f8:1:2::5", "2a01:4f8:1:3::6", 48, true},
	} {
		if shared(c.x, c.y, c.bits) != c.want {
			t.Errorf("%s and %s, /%d: %v", c.x, c.y, c.bits, !c.want)
		}
	}
}

// ip4 is a packet over IPv4 with right checksums.
func ip4(proto byte, src, dst string, payload []byte) []byte {
	s, d := netip.MustParseAddr(src).As4(), netip.MustParseAddr(dst).As4()
	b := binary.BigEndian.AppendUint16([]byte{0x45, 0}, uint16(20+len(payload)))
	b = append(append(append(b, 0, 1, 0, 0, 64, proto, 0, 0), s[:]...), d[:]...)
	binary.BigEndian.PutUint16(b[10:], ^fold(sum16(0, b)))
	b = append(b, payload...)
	switch proto {
	case protoUDP:
		binary.BigEndian.PutUint16(b[26:], ^fold(sum16(protoUDP+uint64(len(payload)), b[12:])))
	case protoICMP:
		binary.BigEndian.PutUint16(b[22:], ^fold(sum16(0, b[20:])))
	}
	return b
}

func udp(payload string) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0x08, 0xfe, 0x08, 0xff}, uint16(8+len(payload)))
	return append(append(b, 0, 0), payload...)
}

// change redacts one packet of which nothing more is known.
func change(t *testing.T, link capture.LinkType, b []byte) []byte {
	t.Helper()
	s := NewSurvey(Options{Key: newKey()})
	rec := &capture.Record{Data: b, WireLen: len(b), Link: link}
	s.layout.read(rec)
	for _, at := range s.layout.places {
		s.Addresses.note(at.kind, at.of(b))
	}
	if err := s.Addresses.Assign(); err != nil {
		t.Fatal(err)
	}
	w := NewWriter(s, false, false)
	p := &packet{section: blocks{binary.LittleEndian}, record: capture.Record{Data: bytes.Clone(b), WireLen: len(b), Link: link, Block: make([]byte, 32+(len(b)+3)&^3)}}
	p.record.Block[0] = blockEnhanced
	w.change(p, nil)
	if w.err != nil {
		t.Fatal(w.err)
	}
	return p.record.Block[28 : 28+binary.LittleEndian.Uint32(p.record.Block[20:])]
}

// TestRedactQuotations: what an ICMP message quotes after the UDP header becomes zero bytes,
// addresses are replaced there, too, and all checksums are right.
func TestRedactQuotations(t *testing.T) {
	quoted := ip4(protoUDP, "192.168.1.2", "198.51.100.9", udp("a secret of nine"))
	b := ip4(protoICMP, "198.51.100.9", "192.168.1.2", append([]byte{3, 3, 0, 0, 0, 0, 0, 0}, quoted...))
	out := change(t, capture.LinkRaw, b)
	if len(out) != len(b) || !isZero(out[56:]) || bytes.Contains(out, []byte{192, 168, 1, 2}) || bytes.Contains(out, []byte{198, 51, 100, 9}) {
		t.Errorf("the packet becomes % x", out)
	}
	if !bytes.Equal(out[12:16], out[44:48]) || !bytes.Equal(out[16:20], out[40:44]) || !bytes.Equal(out[48:50], b[48:50]) {
		t.Errorf("the quotation is of others: % x", out)
	}
	for name, sum := range map[string]uint16{"IP": fold(sum16(0, out[:20])), "ICMP": fold(sum16(0, out[20:])), "quoted IP": fold(sum16(0, out[28:48])),
		"quoted UDP": fold(sum16(protoUDP+uint64(len(quoted)-20), out[40:]))} {
		if sum != 0xffff {
			t.Errorf("the checksum of %s is wrong by %04x", name, sum)
		}
	}
}

// TestRedactLinkAddresses: addresses in ARP and in neighbour discovery are replaced.
func TestRedactLinkAddresses(t *testing.T) {
	arp := append([]byte{0, 0x1b, 0x21, 1, 2, 3, 0, 0x1b, 0x21, 4, 5, 6, 8, 6, 0, 1, 8, 0, 6, 4, 0, 2}, "\x00\x1b\x21\x04\x05\x06\xc0\xa8\x01\x02\x00\x1b\x21\x01\x02\x03\xc0\xa8\x01\x03padding of a person"...)
	out := change(t, capture.LinkEthernet, arp)
	if len(out) != 42 || bytes.Contains(out, []byte{0, 0x1b, 0x21}) || bytes.Contains(out, []byte{192, 168, 1}) || out[0] != 2 || out[28] != 10 || !bytes.Equal(out[22:28], out[6:12]) {
		t.Errorf("ARP becomes % x", out)
	}
	ip := func(s string) []byte { return netip.MustParseAddr(s).AsSlice() }
	solicit := slices.Concat([]byte{135, 0, 0, 0, 0, 0, 0, 0}, ip("fe80::2"), []byte{1, 1, 0, 0x1b, 0x21, 4, 5, 6})
	b := slices.Concat([]byte{0x60, 0, 0, 0, 0, byte(len(solicit)), protoICMPv6, 255}, ip("fe80::1"), ip("ff02::1:ff00:2"), solicit)
	binary.BigEndian.PutUint16(b[42:], ^fold(sum16(protoICMPv6+uint64(len(solicit)), b[8:])))
	out = change(t, capture.LinkRaw, b)
	if len(out) != len(b) || bytes.Contains(out, []byte{0, 0x1b, 0x21}) || bytes.Contains(out, []byte{0xfe, 0x80}) || !bytes.Equal(out[24:40], b[24:40]) {
		t.Errorf("neighbour discovery becomes % x", out)
	}
	if sum := fold(sum16(protoICMPv6+uint64(len(solicit)), out[8:])); sum != 0xffff {
		t.Errorf("its checksum is wrong by %04x", sum)
	}
}

// TestRedactChecksumsStayWhatTheyAre: right stays right, wrong stays wrong by as much, zero stays
// zero, left to hardware stays so.
func TestRedactChecksumsStayWhatTheyAre(t *testing.T) {
	right := ip4(protoUDP, "192.168.1.2", "198.51.100.9", udp(""))
	sums := func(b []byte) (ip, udp uint16) { return fold(sum16(0, b[:20])), fold(sum16(protoUDP+8, b[12:])) }
	partial := func(b []byte) uint16 { return fold(sum16(protoUDP+8, b[12:20])) }
	out := change(t, capture.LinkRaw, right)
	if ip, udp := sums(out); ip != 0xffff || udp != 0xffff {
		t.Errorf("right becomes wrong by %04x, %04x", ip, udp)
	}
	wrong := bytes.Clone(right)
	wrong[26] ^= 0x40
	wrong[10] ^= 0x20
	_, before := sums(wrong)
	if ip, udp := sums(change(t, capture.LinkRaw, wrong)); ip == 0xffff || udp != before {
		t.Errorf("wrong by %04x becomes wrong by %04x, and %04x", before, udp, ip)
	}
	zero := bytes.Clone(right)
	zero[26], zero[27] = 0, 0
	if out := change(t, capture.LinkRaw, zero); out[26]|out[27] != 0 {
		t.Errorf("zero becomes % x", out[26:28])
	}
	left := bytes.Clone(right)
	binary.BigEndian.PutUint16(left[26:], partial(left))
	if out := change(t, capture.LinkRaw, left); binary.BigEndian.Uint16(out[26:]) != partial(out) {
		t.Errorf("left to hardware becomes % x", out[26:28])
	}
}

// TestRedactFragmentsAreBounded: packets that wait for the other fragments of a datagram wait no
// longer than room lets them, and none is lost.
func TestRedactFragmentsAreBounded(t *testing.T) {
	s := NewSurvey(Options{Key: newKey()})
	w := NewWriter(s, false, false)
	section := (&blocks{order: binary.LittleEndian}).block(nil, blockSection, []byte{0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil)
	b := ip4(protoUDP, "192.168.1.2", "198.51.100.9", make([]byte, 1480))
	b[6], b[7] = 0x20, 100 // more, and not the first
	const packets = 3 * room / 1500
	for i := range packets {
		p := &packet{part: uint64(i + 1), record: capture.Record{Data: bytes.Clone(b), WireLen: len(b), Link: capture.LinkRaw, Block: make([]byte, 32+len(b))}}
		if p.record.Block[0] = blockEnhanced; i == 0 {
			p.before = section
		}
		if w.flush(w.settle(nil, p)); w.err != nil {
			t.Fatal(w.err)
		}
		if w.parts.bytes > room+2*len(b) || len(w.parts.of) > room/1000 {
			t.Fatalf("%d bytes and %d datagrams wait", w.parts.bytes, len(w.parts.of))
		}
	}
	if waiting := uint64(len(w.parts.list)); w.Packets+waiting != packets || w.Packets < packets/2 {
		t.Errorf("%d packets were written, and %d wait, of %d", w.Packets, waiting, packets)
	}
}

// TestRedactEndedAreBounded: of datagrams that were put together only the latest are remembered,
// for copies of their fragments.
func TestRedactEndedAreBounded(t *testing.T) {
	var f fragments
	for i := range 20000 {
		f.whole(&packet{part: uint64(i + 1), body: make([]byte, 1000)})
	}
	if f.kept > mostKept+2000 || len(f.ended) > mostKept/1000 || f.done(20000) == nil || f.done(1) != nil {
		t.Errorf("%d bytes of %d datagrams", f.kept, len(f.ended))
	}
}

// TestRedactOriginalsAreBounded: so many contents are searched for, and further ones are counted.
func TestRedactOriginalsAreBounded(t *testing.T) {
	o := NewOriginals()
	v := []byte("payload 0000000 with an end")
	for i := range mostOriginals * 11 / 10 {
		binary.LittleEndian.PutUint64(v, uint64(i)*0x9e3779b97f4a7c15)
		o.addValue(APayload, v)
	}
	if n := o.values[APayload].long.n; n != mostOriginals || o.Left < mostOriginals/20 {
		t.Errorf("%d are searched for, %d are not", n, o.Left)
	}
}

// TestRedactAddressesAreBounded: a capture with more addresses is refused, before they take
// more memory.
func TestRedactAddressesAreBounded(t *testing.T) {
	a := NewAddresses(newKey(), false, false)
	for i := range mostAddresses + 100 {
		a.note(ipAddress, binary.BigEndian.AppendUint32(nil, uint32(i)+20<<24))
	}
	if len(a.ips) != mostAddresses || a.Assign() != errFull {
		t.Errorf("%d addresses are noted", len(a.ips))
	}
}

// TestRedactLateFramesAreBounded: so many frames are remembered of which the tracker tells late.
func TestRedactLateFramesAreBounded(t *testing.T) {
	s := NewSurvey(Options{Key: newKey()})
	tree := dissect.Tree{}
	fr := dissect.Frame{Datagram: &dissect.Datagram{}, Protocol: "hazel", Tree: &tree}
	for s.now = lateAfter; s.now < mostLate+2*lateAfter; s.now++ {
		fr.Frame = s.now - lateAfter
		s.frame(&fr)
	}
	if len(s.late) != mostLate {
		t.Errorf("%d are remembered", len(s.late))
	}
}

// TestRedactCountsAreBounded: so many values are told apart; further ones count each time.
func TestRedactCountsAreBounded(t *testing.T) {
	s := NewSurvey(Options{Key: newKey()})
	v := make([]byte, 4)
	value := func(i int) {
		binary.LittleEndian.PutUint32(v, uint32(i))
		s.value(dissect.Signature, v)
	}
	for i := range maxSeen {
		value(i + 1)
	}
	value(1)
	value(maxSeen + 1)
	value(maxSeen + 1)
	if s.seen.n != maxSeen || s.counts.signatures != maxSeen+2 {
		t.Errorf("%d values are told apart, %d counted", s.seen.n, s.counts.signatures)
	}
}

// TestRedactSignaturesAreBounded: so many signatures are remembered, the latest.
func TestRedactSignaturesAreBounded(t *testing.T) {
	var r recent
	var s [8]byte
	for i := range maxUnverified + 100 {
		binary.LittleEndian.PutUint64(s[:], uint64(i))
		r.put(s, s)
	}
	_, first := r.get([8]byte{})
	if _, last := r.get(s); first || !last || len(r.keys) != maxUnverified {
		t.Errorf("%d are remembered, the first %v, the last %v", len(r.keys), first, last)
	}
}

// TestRedactStructureStays: what is kept within a content is taken out of the piece.
func TestRedactStructureStays(t *testing.T) {
	got := without(nil, piece{extent: extent{10, 30}}, []extent{{0, 12}, {15, 20}, {29, 40}})
	want := []extent{{12, 15}, {20, 29}}
	if len(got) != 2 || got[0].extent != want[0] || got[1].extent != want[1] {
		t.Errorf("%v, want %v", got, want)
	}
}
