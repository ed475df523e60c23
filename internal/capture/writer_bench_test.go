package capture

import (
	"bytes"
	"io"
	"testing"
)

// benchWrite writes packets of 100 bytes to nowhere: what remains is the Writer.
func benchWrite(b *testing.B, opts WriterOptions, change func(*Record)) {
	opts.Interfaces = []Interface{{Link: LinkEthernet}}
	w, err := NewWriter(io.Discard, opts)
	if err != nil {
		b.Fatal(err)
	}
	rec := record(bytes.Repeat([]byte{7}, 100), 0)
	change(&rec)
	b.ReportAllocs()
	b.SetBytes(100)
	for b.Loop() {
		rec.Time += 1000
		if err := w.Write(&rec); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWritePcap(b *testing.B) {
	benchWrite(b, WriterOptions{Format: "pcap", Nanoseconds: true}, func(*Record) {})
}

func BenchmarkWritePcapng(b *testing.B) {
	benchWrite(b, WriterOptions{Format: "pcapng", Nanoseconds: true}, func(*Record) {})
}

func BenchmarkWritePcapngMicro(b *testing.B) {
	benchWrite(b, WriterOptions{Format: "pcapng", BigEndian: true}, func(*Record) {})
}

func BenchmarkWriteOutboundDrops(b *testing.B) {
	benchWrite(b, WriterOptions{Format: "pcapng", Nanoseconds: true}, func(r *Record) { r.Outbound, r.HasDrops, r.Drops = true, true, 3 })
}

func BenchmarkWriteComment(b *testing.B) {
	benchWrite(b, WriterOptions{Format: "pcapng", Nanoseconds: true}, func(r *Record) { r.Comments = []string{"error DP8-1: a window that was left"} })
}

// Recording allocates nothing, whatever is written with the packet.
func TestWriteAllocatesNothing(t *testing.T) {
	for _, format := range []string{"pcap", "pcapng"} {
		w, err := NewWriter(io.Discard, WriterOptions{Format: format, Interfaces: []Interface{{Link: LinkEthernet}}})
		if err != nil {
			t.Fatal(err)
		}
		rec := record(plainV4(hello), 0)
		rec.Outbound, rec.HasDrops, rec.Comments = true, true, []string{"one", "another"}
		if n := testing.AllocsPerRun(5000, func() {
			if err := w.Write(&rec); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations a packet", format, n)
		}
	}
}
