package capture

import (
	"bytes"
	"testing"
)

// superPacket is an Ethernet packet with VLAN tags and n bytes of payload after the
// headers.
func superPacket(v6 bool, tags, n int) []byte {
	payload := make([]byte, n)
	for i := range payload {
		payload[i] = byte(i / 100)
	}
	b := make([]byte, 12, 64+n)
	for range tags {
		b = append(b, 0x81, 0, 0, 5)
	}
	size := udpHeader + n
	if v6 {
		b = append(b, 0x86, 0xdd, 0x60, 0, 0, 0, byte(size>>8), byte(size), protoUDP, 64)
		b = append(b, bytes.Repeat([]byte{0xfd}, 32)...)
		b[len(b)-1] = 1
	} else {
		total := 20 + size
		b = append(b, 8, 0, 0x45, 0, byte(total>>8), byte(total), 0xff, 0xfe, 0x40, 0, 64, protoUDP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2)
	}
	b = append(b, 0x13, 0x88, 0x13, 0x89, byte(size>>8), byte(size), 0xab, 0xcd)
	return append(b, payload...)
}

// TestSegmentsOf: the packets hold the payload in parts, and the decoder finds nothing
// wrong with them.
func TestSegmentsOf(t *testing.T) {
	for _, v6 := range []bool{false, true} {
		for tags := range 3 {
			data := superPacket(v6, tags, 950)
			want := data[len(data)-950:]
			var s segments
			if !s.begin(&Record{Data: data, WireLen: len(data), Link: LinkEthernet, Time: 5, HasTime: true}, 400, len(data)-950-udpHeader) || s.count() != 3 {
				t.Fatalf("IPv6 %t, %d tags: %d packets", v6, tags, s.count())
			}
			var rec Record
			var dec Decoder
			var p Packet
			var got []byte
			for i := 0; s.next(&rec); i++ {
				dec.Decode(&rec, &p)
				if p.Class != UDP || p.BadChecksum || p.Sum == 0 || p.Cut() || p.Time != 5 || rec.WireLen != len(rec.Data) || !v6 && p.IPID != uint16(0xfffe+i) {
					t.Errorf("IPv6 %t, %d tags, packet %d: %+v", v6, tags, i, p)
				}
				got = append(got, p.Payload...)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("IPv6 %t, %d tags: %d bytes of payload", v6, tags, len(got))
			}
		}
	}
}

// TestNoSegments: what is no packet of several is left as it is.
func TestNoSegments(t *testing.T) {
	whole := superPacket(false, 0, 950)
	fragment := bytes.Clone(whole)
	fragment[20] |= 0x20
	tcp := bytes.Clone(whole)
	tcp[23] = 6
	for _, c := range []struct {
		name  string
		data  []byte
		link  LinkType
		size  int
		start int
	}{
		{"no size", whole, LinkEthernet, 0, 0},
		{"one part", whole, LinkEthernet, 950, 0},
		{"another header is meant", whole, LinkEthernet, 100, 84},
		{"a fragment", fragment, LinkEthernet, 100, 0},
		{"TCP", tcp, LinkEthernet, 100, 0},
		{"the headers are cut", whole[:40], LinkEthernet, 100, 0},
		{"another link", whole, LinkIEEE80211, 100, 0},
		{"nothing", nil, LinkRaw, 100, 0},
	} {
		var s segments
		if s.begin(&Record{Data: c.data, WireLen: len(whole), Link: c.link}, c.size, c.start) || s.count() != 0 || s.next(new(Record)) {
			t.Errorf("%s is taken apart", c.name)
		}
	}
}

// FuzzSegments: whatever a packet holds, its parts are its payload, each in a packet
// that the decoder reads as it was meant.
func FuzzSegments(f *testing.F) {
	f.Add(superPacket(false, 0, 950), uint16(400), false)
	f.Add(superPacket(true, 1, 950), uint16(100), false)
	f.Add(superPacket(false, 0, 300)[14:], uint16(7), true)
	f.Fuzz(func(t *testing.T, data []byte, size uint16, raw bool) {
		rec := Record{Data: data, WireLen: len(data), Link: LinkEthernet}
		if raw {
			rec.Link = LinkRaw
		}
		var s segments
		before := bytes.Clone(data)
		if !s.begin(&rec, int(size), 0) {
			return
		}
		total, n, want := 0, 0, s.count()
		var part Record
		for s.next(&part) {
			_, udp, _, ok := locateUDP(part.Link, part.Data)
			if !ok || part.WireLen != len(part.Data) {
				t.Fatalf("packet %d is no datagram", n)
			}
			total += len(part.Data) - udp - udpHeader
			n++
		}
		if n != want || n < 2 || total != s.total {
			t.Fatalf("%d packets of %d, %d bytes of %d", n, want, total, s.total)
		}
		if !bytes.Equal(before, data) {
			t.Fatal("the packet was changed")
		}
	})
}
