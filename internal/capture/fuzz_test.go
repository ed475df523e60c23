package capture

import (
	"bytes"
	"io"
	"testing"
)

// fuzzReader checks what holds for any bytes: no panic, bounded memory, an end
// that sticks, and that what comes before a cut does not depend on it.
func fuzzReader(t *testing.T, b []byte) {
	recs, rd, err := readSmall(b)
	if err == nil {
		t.Fatal("no end")
	}
	if err != io.EOF {
		if d, ok := err.(*Damage); !ok || d.Offset > int64(len(b)) && rd.Compression() == "" || d.Reason == "" {
			t.Fatalf("ended with %#v", err)
		}
	}
	var again Record
	if e := rd.Next(&again); e != err {
		t.Fatalf("the end does not stick: %v, then %v", err, e)
	}
	if rd.Compression() != "" {
		return
	}
	for _, r := range recs {
		if len(r.Data) > MaxPacket {
			t.Fatalf("a packet of %d bytes", len(r.Data))
		}
	}
	if len(b) < 2 {
		return
	}
	half, _, _ := readSmall(b[:len(b)/2])
	if len(half) > len(recs) {
		t.Fatalf("half the file has %d packets, all of it %d", len(half), len(recs))
	}
	for i := range half {
		if !bytes.Equal(half[i].Data, recs[i].Data) || half[i].Time != recs[i].Time {
			t.Fatalf("packet %d depends on what comes later", i)
		}
	}
	fuzzDecode(t, recs)
}

// fuzzDecode decodes packets and checks what holds for any.
func fuzzDecode(t *testing.T, recs []Record) {
	var d Decoder
	var p Packet
	for i := range recs {
		r := &recs[i]
		d.Decode(r, &p)
		switch p.Class {
		case UDP:
			if len(p.Payload) > p.Length || p.BadChecksum && p.Cut() || !p.IsFragment && p.Fragments != 0 {
				t.Fatalf("%+v", p.Datagram)
			}
		case Unreachable:
			if len(p.Payload) > p.Length {
				t.Fatalf("%+v", p.Datagram)
			}
		default:
			if p.Payload != nil || p.Length != 0 {
				t.Fatalf("class %d with a datagram: %+v", p.Class, p.Datagram)
			}
		}
		if p.CapLen != len(r.Data) {
			t.Fatalf("%d bytes, packet has %d", p.CapLen, len(r.Data))
		}
	}
	checkDefrag(t, &d.frags)
}

func FuzzPcap(f *testing.F) {
	recs := manyPackets(3)
	f.Add(file(f, WriterOptions{}, recs...))
	f.Add(file(f, WriterOptions{Nanoseconds: true, BigEndian: true}, recs...))
	f.Add(packed(f, "gzip", file(f, WriterOptions{}, recs...)))
	f.Add(packed(f, "zstd", file(f, WriterOptions{}, recs...)))
	f.Add(packed(f, "lz4", file(f, WriterOptions{}, recs...)))
	f.Fuzz(fuzzReader)
}

func FuzzPcapng(f *testing.F) {
	recs := manyPackets(3)
	recs[0].Comments, recs[1].Outbound, recs[2].HasDrops = []string{"a"}, true, true
	f.Add(file(f, WriterOptions{Format: "pcapng", Application: "x"}, recs...))
	f.Add(file(f, WriterOptions{Format: "pcapng", Nanoseconds: true, BigEndian: true}, recs...))
	f.Fuzz(fuzzReader)
}

func FuzzLink(f *testing.F) {
	links := []LinkType{LinkNull, LinkEthernet, LinkPPP, LinkPPPHDLC, LinkRaw, LinkIEEE80211, LinkLoop, LinkSLL, LinkRadiotap, LinkPPPDir, LinkSLL2}
	for i := range links {
		f.Add(uint8(i), plainV4(hello), plainV6(hello))
	}
	f.Add(uint8(4), whole[0].v4(1, testDatagram), frag{800, 2008, false}.v4(1, testDatagram))
	f.Add(uint8(4), whole[0].v6(1, testDatagram), frag{800, 2008, false}.v6(1, testDatagram))
	f.Fuzz(func(t *testing.T, link uint8, a, b []byte) {
		var recs []Record
		for _, data := range [][]byte{a, b, a} {
			recs = append(recs, Record{Data: data, WireLen: len(data), Link: links[int(link)%len(links)]})
		}
		fuzzDecode(t, recs)
	})
}
