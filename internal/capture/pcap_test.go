package capture

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
)

// pcapHead makes a file header of any magic, version and link field.
func pcapHead(o binary.AppendByteOrder, magic uint32, major, minor uint16, snaplen, link uint32) []byte {
	b := o.AppendUint32(nil, magic)
	b = o.AppendUint16(o.AppendUint16(b, major), minor)
	b = append(b, make([]byte, 8)...)
	return o.AppendUint32(o.AppendUint32(b, snaplen), link)
}

func pcapRec(o binary.AppendByteOrder, sec, frac, caplen, wire uint32, data []byte) []byte {
	b := o.AppendUint32(o.AppendUint32(nil, sec), frac)
	return append(o.AppendUint32(o.AppendUint32(b, caplen), wire), data...)
}

var le, be = binary.LittleEndian, binary.BigEndian

func TestPcapVariants(t *testing.T) {
	data := plainV4([]byte("hello"))
	n := uint32(len(data))
	kuz := func(o binary.AppendByteOrder, pktType byte) []byte {
		b := pcapRec(o, 1700000000, 5, n, n, nil)
		return cat(b, []byte{1, 0, 0, 0, 0, 8, pktType, 0}, data)
	}
	const us, ns = 1700000000_123456000, 1700000000_123456789
	for _, c := range []struct {
		name string
		file []byte
		want Record
	}{
		{"LE us", cat(pcapHead(le, magicMicro, 2, 4, 65535, 1), pcapRec(le, 1700000000, 123456, n, n, data)), Record{Time: us, WireLen: int(n), Link: 1}},
		{"BE us", cat(pcapHead(be, magicMicro, 2, 4, 65535, 1), pcapRec(be, 1700000000, 123456, n, n, data)), Record{Time: us, WireLen: int(n), Link: 1}},
		{"LE ns", cat(pcapHead(le, magicNano, 2, 4, 65535, 1), pcapRec(le, 1700000000, 123456789, n, n, data)), Record{Time: ns, WireLen: int(n), Link: 1}},
		{"BE ns", cat(pcapHead(be, magicNano, 2, 4, 65535, 1), pcapRec(be, 1700000000, 123456789, n, n, data)), Record{Time: ns, WireLen: int(n), Link: 1}},
		{"Kuznetzov LE", cat(pcapHead(le, magicKuznetzov, 2, 4, 65535, 1), kuz(le, 0)), Record{Time: 1700000000_000005000, WireLen: int(n), Link: 1}},
		{"Kuznetzov BE outgoing", cat(pcapHead(be, magicKuznetzov, 2, 4, 65535, 1), kuz(be, 4)), Record{Time: 1700000000_000005000, WireLen: int(n), Link: 1, Outbound: true}},
		{"version 2.3, lengths swapped", cat(pcapHead(le, magicMicro, 2, 3, 65535, 1), pcapRec(le, 1700000000, 123456, n+9, n, data)), Record{Time: us, WireLen: int(n) + 9, Link: 1}},
		{"version 2.2, lengths swapped", cat(pcapHead(le, magicMicro, 2, 2, 65535, 1), pcapRec(le, 1700000000, 123456, n+9, n, data)), Record{Time: us, WireLen: int(n) + 9, Link: 1}},
		{"FCS bits in the link field", cat(pcapHead(le, magicMicro, 2, 4, 65535, 0x24000001), pcapRec(le, 1700000000, 123456, n, n, data)), Record{Time: us, WireLen: int(n), Link: 1}},
		{"snaplen 0", cat(pcapHead(le, magicMicro, 2, 4, 0, 1), pcapRec(le, 1700000000, 123456, n, n, data)), Record{Time: us, WireLen: int(n), Link: 1}},
		{"snaplen 10", cat(pcapHead(le, magicMicro, 2, 4, 10, 1), pcapRec(le, 1700000000, 123456, n, n, data)), Record{Time: us, WireLen: int(n), Link: 1}},
		{"snaplen ffffffff", cat(pcapHead(le, magicMicro, 2, 4, 0xffffffff, 1), pcapRec(le, 1700000000, 123456, n, n, data)), Record{Time: us, WireLen: int(n), Link: 1}},
		{"caplen above len", cat(pcapHead(le, magicMicro, 2, 4, 65535, 1), pcapRec(le, 1700000000, 123456, n, 20, data)), Record{Time: us, WireLen: 20, Link: 1}},
		{"seconds beyond 2038", cat(pcapHead(le, magicMicro, 2, 4, 65535, 1), pcapRec(le, 0xfffffff0, 1, n, n, data)), Record{Time: 4294967280_000001000, WireLen: int(n), Link: 1}},
		{"link type 276", cat(pcapHead(le, magicMicro, 2, 4, 65535, 276), pcapRec(le, 1700000000, 123456, n, n, data)), Record{Time: us, WireLen: int(n), Link: 276}},
	} {
		t.Run(c.name, func(t *testing.T) {
			// A second record shows that the first did not lose the place.
			recs := mustRead(t, append(bytes.Clone(c.file), c.file[pcapFileHeader:]...))
			if len(recs) != 2 {
				t.Fatalf("%d packets, want 2", len(recs))
			}
			for _, r := range recs {
				if r.Time != c.want.Time || !r.HasTime || r.WireLen != c.want.WireLen || r.Link != c.want.Link || r.Outbound != c.want.Outbound || !bytes.Equal(r.Data, data) {
					t.Errorf("got %+v, want %+v", r, c.want)
				}
			}
		})
	}
}

func TestPcapWithoutPackets(t *testing.T) {
	recs, rd, err := readAll(pcapHead(le, magicMicro, 2, 4, 65535, 1))
	if len(recs) != 0 || err != io.EOF || rd.Format() != "pcap" {
		t.Errorf("%d packets, %v", len(recs), err)
	}
}

func TestPcapEmptyPacket(t *testing.T) {
	recs := mustRead(t, cat(pcapHead(le, magicMicro, 2, 4, 65535, 1), pcapRec(le, 1, 2, 0, 0, nil)))
	if len(recs) != 1 || len(recs[0].Data) != 0 {
		t.Errorf("%+v", recs)
	}
}

func TestDamageIsNamed(t *testing.T) {
	good := cat(pcapHead(le, magicMicro, 2, 4, 65535, 1), pcapRec(le, 1, 2, 4, 4, []byte("abcd")))
	sec, ifc := ngSection(le, 1), ngBlock(le, blockInterface, ngIface(le, 1, 0))
	ng := cat(sec, ifc, ngBlock(le, blockEnhanced, ngPacket(le, 0, 1, 4, 4, []byte("abcd"))))
	for _, c := range []struct {
		name    string
		file    []byte
		packets int
		cut     bool
		text    string
	}{
		{"empty", nil, 0, false, "is empty"},
		{"text", []byte("hello, this is not a capture"), 0, false, "is not a capture: neither pcap nor pcapng, it begins with 68 65 6c 6c 6f 2c 20 74"},
		{"half a magic", good[:3], 0, true, "cut short at offset 0: the file header needs 24 bytes, but only 3 are present"},
		{"half a header", good[:20], 0, true, "cut short at offset 0: the pcap header needs 24 bytes, but only 20 are present"},
		{"pcap version 1", pcapHead(le, magicMicro, 1, 0, 65535, 1), 0, false, "damaged at offset 0: pcap version 1.0 is unknown"},
		{"packet header", good[:len(good)-19], 0, true, "cut short at offset 24: the header of packet 1 needs 16 bytes, but only 1 is present"},
		{"packet", good[:len(good)-1], 0, true, "cut short at offset 24: packet 1 with its header needs 20 bytes, but only 19 are present"},
		{"huge caplen", cat(good, pcapRec(le, 1, 2, 0x7ffffff0, 90, make([]byte, 90))), 1, false, "damaged at offset 44: packet 2 claims 2147483632 captured bytes, more than 262144"},
		{"big-endian lie", cat(good, pcapRec(le, 1, 2, 262144, 90, make([]byte, 90))), 1, true, "cut short at offset 44: packet 2 with its header needs 262160 bytes, but only 106 are present"},

		{"ng version 2", ngSection(le, 2), 0, false, "damaged at offset 0: pcapng version 2.0 is unknown"},
		{"ng magic", cat(sec[:8], []byte("abcd"), sec[12:]), 0, false, "damaged at offset 0: a section header without byte-order magic: 61 62 63 64"},
		{"ng interface", cat(ng, ngBlock(le, blockEnhanced, ngPacket(le, 7, 1, 4, 4, []byte("abcd")))), 1, false, "damaged at offset 84: packet 2 names interface 7 of 1"},
		{"ng no interface", cat(sec, ng[len(sec)+len(ifc):]), 0, false, "damaged at offset 28: packet 1 names interface 0 of 0"},
		{"ng simple, no interface", cat(sec, ngBlock(le, blockSimple, le.AppendUint32(nil, 0))), 0, false, "damaged at offset 28: packet 1 names interface 0 of 0"},
		{"ng cut", ng[:len(ng)-3], 0, true, "cut short at offset 48: the block of packet 1 needs 36 bytes, but only 33 are present"},
		{"ng header cut", ng[:55], 0, true, "cut short at offset 48: a block header needs 12 bytes, but only 7 are present"},
		{"ng length 0", cat(ng, make([]byte, 64)), 1, false, "damaged at offset 84: length 0 of a block of type 0x0 is not between 12 and 134217728"},
		{"ng length 16", cat(ng, ngBlock(le, blockEnhanced, make([]byte, 4))), 1, false, "damaged at offset 84: length 16 of packet block 2 is less than 32"},
		{"ng huge length", cat(ng, le.AppendUint32(le.AppendUint32(nil, 6), 0x7ffffff0), make([]byte, 80)), 1, false, "damaged at offset 84: length 2147483632 of a block of type 0x6 is not between 12 and 134217728"},
		{"ng packet longer than is held", cat(ng, le.AppendUint32(le.AppendUint32(nil, 6), maxKept+4), make([]byte, 80)), 1, false, "damaged at offset 84: length 16777220 of a block of type 0x6 is greater than 16777216"},
		{"ng interface longer than is held", cat(sec, le.AppendUint32(le.AppendUint32(nil, 1), maxKept+4), make([]byte, 80)), 0, false, "damaged at offset 28: length 16777220 of a block of type 0x1 is greater than 16777216"},
		{"ng caplen above block", cat(ng, ngBlock(le, blockEnhanced, ngPacket(le, 0, 1, 5000, 5000, []byte("abcd")))), 1, false, "damaged at offset 84: packet 2 needs 5000 bytes, but its block has 4"},
		{"ng trailing length", cat(ng[:len(ng)-4], []byte{9, 9, 9, 9}), 0, false, "damaged at offset 48: length of the block of packet 1 is 36 in front but 151587081 at the end"},
		{"ng bad option", cat(ng, ngBlock(le, blockEnhanced, cat(ngPacket(le, 0, 1, 4, 4, []byte("abcd")), []byte{1, 0, 0x60, 0xea, 'a', 'b', 'c', 'd'}))), 1, false, "damaged at offset 84: option 1 needs 60000 bytes, but its block has 4"},
		{"ng if_tsresol without a byte", cat(sec, ngBlock(le, blockInterface, ngIface(le, 1, 0, ngOption(le, optTsresol, nil)))), 0, false, "damaged at offset 28: if_tsresol of an interface block needs 1 byte, but has 0"},
		{"ng unknown block cut", cat(ng, ngBlock(le, 0x12345, make([]byte, 400))[:200]), 1, true, "cut short at offset 84: a block of type 0x12345 needs 412 bytes, but only 200 are present"},
		{"ng unknown block with wrong length behind", cat(ng, ngBlock(le, 0x12345, make([]byte, 4))[:12], []byte{1, 1, 1, 1}), 1, false, "damaged at offset 84: length of a block of type 0x12345 is 16 in front but 16843009 at the end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			recs, _, err := readAll(c.file)
			if len(recs) != c.packets {
				t.Errorf("%d packets, want %d", len(recs), c.packets)
			}
			d, ok := err.(*Damage)
			if !ok {
				t.Fatalf("ended with %v", err)
			}
			if d.Error() != c.text || d.Cut != c.cut {
				t.Errorf("got  %q, cut %v\nwant %q, cut %v", d.Error(), d.Cut, c.text, c.cut)
			}
		})
	}
}

// A file cut anywhere gives every packet before the cut and one message, or none
// where a record ends.
func TestCutAtEveryByte(t *testing.T) {
	recs := []Record{record(plainV4([]byte("one")), 0), record(plainV6([]byte("second")), 1), record(plainV4(nil), 2)}
	recs[1].Comments = []string{"a comment"}
	for _, format := range []string{"pcap", "pcapng"} {
		whole := file(t, WriterOptions{Format: format, Application: "test"}, recs...)
		ends := recordEnds(t, whole)
		for cut := range whole {
			s, err := Open(onDisk(t, whole[:cut]), Options{})
			if err != nil {
				t.Fatal(err)
			}
			packets := 0
			for _, ok := s.Next(); ok; _, ok = s.Next() {
				packets++
			}
			in := s.Infos()[0]
			s.Close()
			want, border := 0, false
			for _, e := range ends {
				if cut >= e.at {
					want = e.packets
				}
				border = border || cut == e.at
			}
			if packets != want {
				t.Errorf("%s cut at %d: %d packets, want %d", format, cut, packets, want)
			}
			if in.CutShort == border && cut > 0 || in.Failed == border || (in.Problem == "") != border || strings.Contains(in.Problem, ";") {
				t.Errorf("%s cut at %d: cut short %v, failed %v, %q", format, cut, in.CutShort, in.Failed, in.Problem)
			}
		}
	}
}

type recordEnd struct{ at, packets int }

// recordEnds walks over a sound little-endian file without the reader's help.
func recordEnds(t *testing.T, b []byte) (ends []recordEnd) {
	t.Helper()
	if isPcap(b) {
		ends = append(ends, recordEnd{pcapFileHeader, 0})
		for at, n := pcapFileHeader, 0; at < len(b); {
			at, n = at+pcapHeader+int(le.Uint32(b[at+8:])), n+1
			ends = append(ends, recordEnd{at, n})
		}
		return ends
	}
	for at, n := 0, 0; at < len(b); {
		if le.Uint32(b[at:]) == blockEnhanced {
			n++
		}
		at += int(le.Uint32(b[at+4:]))
		ends = append(ends, recordEnd{at, n})
	}
	return ends
}
