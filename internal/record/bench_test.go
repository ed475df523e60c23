package record

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// hundred is a packet of 100 bytes.
func hundred() *capture.Record {
	data := append(bytes.Repeat([]byte("0123456789"), 9), "abcdefghij"...)
	return &capture.Record{Data: data, WireLen: 100, Time: testTime.UnixNano(), HasTime: true, Link: capture.LinkEthernet}
}

// benchRecord writes packets of 100 bytes, 100,000 a second, with all that a
// capture does besides. Content changes from packet to packet.
func benchRecord(b *testing.B, o Options) {
	if !o.Ring.on() && o.Path != "/dev/null" {
		o.Ring = Ring{FileSize: 64 << 20, Keep: Retention{Files: 1}} // else it would fill the disk
	}
	r := create(b, o)
	rec := hundred()
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if n++; n%50 == 0 {
			if err := r.Flush(); err != nil {
				b.Fatal(err)
			}
		}
		rec.Time += 10_000
		for k, v := 0, n; v > 0; k, v = k+1, v/10 {
			rec.Data[40+k] = '0' + byte(v%10)
		}
		if err := r.Write(rec); err != nil {
			b.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkNull(b *testing.B) { benchRecord(b, Options{Path: "/dev/null"}) }

func BenchmarkPcapng(b *testing.B) {
	benchRecord(b, Options{Path: filepath.Join(b.TempDir(), "a.pcapng")})
}

func BenchmarkPcap(b *testing.B) { benchRecord(b, Options{Path: filepath.Join(b.TempDir(), "a.pcap")}) }

func BenchmarkGzip(b *testing.B) {
	benchRecord(b, Options{Path: filepath.Join(b.TempDir(), "a.pcapng.gz")})
}

func BenchmarkZstd(b *testing.B) {
	benchRecord(b, Options{Path: filepath.Join(b.TempDir(), "a.pcapng.zst")})
}

func BenchmarkLZ4(b *testing.B) {
	benchRecord(b, Options{Path: filepath.Join(b.TempDir(), "a.pcapng.lz4")})
}

func BenchmarkRing(b *testing.B) {
	benchRecord(b, Options{Path: filepath.Join(b.TempDir(), "a.pcapng"), Ring: Ring{FileSize: 10 << 20, Duration: time.Minute, Keep: Retention{Files: 3}}})
}

// Recording allocates nothing as long as no file begins.
func TestWriteAllocatesNothing(t *testing.T) {
	for _, name := range []string{"a.pcapng", "a.pcap", "a.pcapng.gz", "a.pcapng.zst", "a.pcapng.lz4"} {
		r := create(t, Options{Path: filepath.Join(t.TempDir(), name), Ring: Ring{Duration: time.Hour}})
		rec := hundred()
		write := func() {
			rec.Time++
			must(t, r.Write(rec))
		}
		for range 20_000 {
			write()
		}
		if n := testing.AllocsPerRun(20_000, write); n != 0 {
			t.Errorf("%s: %v allocations a packet", name, n)
		}
		must(t, r.Close())
	}
}
