package capture

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"
)

var (
	testV4a, testV4b = []byte{10, 0, 0, 1}, []byte{10, 0, 0, 2}
	testV6a          = []byte{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	testV6b          = []byte{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}
)

const testTime = 1700000000123456000

// be16 and friends write bytes the way headers hold them.
func be16(v int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(v)) }

func cat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// slowSum is the checksum written down as RFC 1071 says it, two bytes at a time.
func slowSum(b []byte) uint16 {
	var s uint32
	for i := 0; i < len(b); i += 2 {
		s += uint32(b[i]) << 8
		if i+1 < len(b) {
			s += uint32(b[i+1])
		}
	}
	for s>>16 != 0 {
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}

// udpBytes makes a datagram from port 40000 to 2302 with a good checksum.
func udpBytes(src, dst, payload []byte) []byte {
	n := len(payload) + udpHeader
	u := cat(be16(40000), be16(2302), be16(n), be16(0), payload)
	c := ^slowSum(cat(src, dst, []byte{0, protoUDP}, be16(n), u))
	if c == 0 {
		c = 0xffff
	}
	copy(u[6:], be16(int(c)))
	return u
}

// ipv4Bytes makes a packet. frag is the flags and offset field.
func ipv4Bytes(proto byte, id, frag int, payload []byte) []byte {
	h := cat([]byte{0x45, 0}, be16(20+len(payload)), be16(id), be16(frag), []byte{64, proto, 0, 0}, testV4a, testV4b)
	copy(h[10:], be16(int(^slowSum(h))))
	return append(h, payload...)
}

func ipv6Bytes(next byte, payload []byte) []byte {
	return cat([]byte{0x60, 0, 0, 0}, be16(len(payload)), []byte{next, 64}, testV6a, testV6b, payload)
}

func etherBytes(typ int, payload []byte) []byte {
	return cat([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}, be16(typ), payload)
}

// plainV4 is Ethernet, IPv4 and UDP.
func plainV4(payload []byte) []byte {
	return etherBytes(etherIPv4, ipv4Bytes(protoUDP, 0, 0, udpBytes(testV4a, testV4b, payload)))
}

func plainV6(payload []byte) []byte {
	return etherBytes(etherIPv6, ipv6Bytes(protoUDP, udpBytes(testV6a, testV6b, payload)))
}

// record is a packet as files hold it, at an offset in milliseconds.
func record(data []byte, ms int64) Record {
	return Record{Data: data, WireLen: len(data), Time: testTime + ms*1e6, HasTime: true, Link: LinkEthernet}
}

// file writes records.
func file(t testing.TB, opts WriterOptions, recs ...Record) []byte {
	t.Helper()
	var b bytes.Buffer
	if opts.Format == "" {
		opts.Format = "pcap"
	}
	if opts.Interfaces == nil {
		opts.Interfaces = []Interface{{Link: LinkEthernet}}
	}
	w, err := NewWriter(&b, opts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range recs {
		if err := w.Write(&recs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll gives every packet of a file, in memory of its own, and how it ended.
func readAll(b []byte) (recs []Record, rd *Reader, err error) { return readWindow(b, windowSize) }

// readSmall is readAll with a window that must grow.
func readSmall(b []byte) (recs []Record, rd *Reader, err error) { return readWindow(b, 64) }

func readWindow(b []byte, size int) (recs []Record, rd *Reader, err error) {
	rd, err = newReader(bytes.NewReader(b), size, Expansion{}, false)
	defer func() { rd.Close() }()
	for err == nil {
		var r Record
		if err = rd.Next(&r); err == nil {
			r.Data = bytes.Clone(r.Data)
			recs = append(recs, r)
		}
	}
	return recs, rd, err
}

// mustRead is readAll for files that are sound.
func mustRead(t testing.TB, b []byte) []Record {
	t.Helper()
	recs, _, err := readAll(b)
	if err != io.EOF {
		t.Fatal(err)
	}
	return recs
}

// decodeOne decodes a single packet.
func decodeOne(link LinkType, b []byte) Packet {
	var d Decoder
	var p Packet
	d.Decode(&Record{Data: b, WireLen: len(b), Link: link, HasTime: true, Time: testTime}, &p)
	return p
}

// onDisk puts files into a folder of the test.
func onDisk(t testing.TB, files ...[]byte) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, b := range files {
		p := filepath.Join(dir, string(rune('a'+i))+".pcap")
		if err := os.WriteFile(p, b, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}
