package capture

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// benchFile is 200 000 packets with 100 bytes of payload, about 32 MB.
func benchFile(b testing.TB, format string) []byte {
	payload := bytes.Repeat([]byte("0123456789"), 10)
	recs := make([]Record, 200_000)
	data := plainV4(payload)
	for i := range recs {
		recs[i] = record(data, int64(i))
	}
	return file(b, WriterOptions{Format: format}, recs...)
}

func benchRead(b *testing.B, format string) {
	raw := benchFile(b, format)
	b.ReportAllocs()
	n := 0
	var rec Record
	b.ResetTimer()
	for n < b.N {
		rd, err := NewReader(bytes.NewReader(raw))
		for err == nil {
			if err = rd.Next(&rec); err == nil {
				n++
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/packet")
}

func BenchmarkReadPcap(b *testing.B)   { benchRead(b, "pcap") }
func BenchmarkReadPcapng(b *testing.B) { benchRead(b, "pcapng") }

// benchSource is all of it: read(2) from a file, merge, link, IP, UDP, checksum.
func benchSource(b *testing.B, format string) {
	path := filepath.Join(b.TempDir(), "a.pcap")
	if err := os.WriteFile(path, benchFile(b, format), 0o600); err != nil {
		b.Fatal(err)
	}
	n := 0
	b.ResetTimer()
	for n < b.N {
		s, err := Open([]string{path}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		for p, ok := s.Next(); ok; p, ok = s.Next() {
			if p.Class != UDP || p.BadChecksum {
				b.Fatal("not decoded")
			}
			n++
		}
		s.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/packet")
}

func BenchmarkSourcePcap(b *testing.B)   { benchSource(b, "pcap") }
func BenchmarkSourcePcapng(b *testing.B) { benchSource(b, "pcapng") }

func BenchmarkDecode(b *testing.B) {
	rec := record(plainV4(make([]byte, 100)), 0)
	var d Decoder
	var p Packet
	b.ReportAllocs()
	for b.Loop() {
		d.Decode(&rec, &p)
	}
}

func BenchmarkChecksum100(b *testing.B) {
	u := udpBytes(testV4a, testV4b, make([]byte, 100))
	h := ipHeader{addrs: cat(testV4a, testV4b)}
	var d Decoder
	for b.Loop() {
		if !d.checksumFits(&h, u) {
			b.Fatal("bad")
		}
	}
}

// BenchmarkFloor is read(2) alone, of the same file with the same window: what
// the others can't go below on this machine.
func BenchmarkFloor(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.pcap")
	raw := benchFile(b, "pcap")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		b.Fatal(err)
	}
	packet := pcapHeader + len(plainV4(make([]byte, 100)))
	buf := make([]byte, windowSize)
	n := 0
	b.ResetTimer()
	for n < b.N {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		for k := 1; k > 0; {
			k, _ = f.Read(buf)
			n += k / packet
		}
		f.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/packet")
}
