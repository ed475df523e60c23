package capture

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// packed compresses b, bzip2 with the program of that name, which may be missing.
func packed(t testing.TB, kind string, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch kind {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "zstd":
		z, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	case "lz4":
		z := lz4.NewWriter(&out)
		if err := z.Apply(lz4.BlockSizeOption(lz4.Block64Kb)); err != nil {
			t.Fatal(err)
		}
		w = z
	case "bzip2":
		bin, err := exec.LookPath("bzip2")
		if err != nil {
			t.Skip("bzip2 is not installed")
		}
		cmd := exec.Command(bin, "-c")
		cmd.Stdin, cmd.Stdout = bytes.NewReader(b), &out
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var compressions = []string{"gzip", "zstd", "lz4", "bzip2"}

func manyPackets(n int) (recs []Record) {
	for i := range n {
		b := fmt.Appendf(nil, "packet %d, %x", i, uint64(i)*0x9e3779b97f4a7c15)
		recs = append(recs, record(plainV4(b), int64(i)))
	}
	return recs
}

func TestCompressed(t *testing.T) {
	plain := file(t, WriterOptions{}, manyPackets(5000)...)
	want := mustRead(t, plain)
	for _, kind := range compressions {
		t.Run(kind, func(t *testing.T) {
			small := packed(t, kind, plain)
			half := len(plain) / 2
			// Also as two streams one after the other, as cat makes them.
			for name, b := range map[string][]byte{"one": small, "two": cat(packed(t, kind, plain[:half]), packed(t, kind, plain[half:]))} {
				recs, rd, err := readAll(b)
				if err != io.EOF || rd.Compression() != kind || rd.Format() != "pcap" || len(recs) != len(want) {
					t.Fatalf("%s: %d packets, %v", name, len(recs), err)
				}
				for i := range recs {
					if !bytes.Equal(recs[i].Data, want[i].Data) || recs[i].Time != want[i].Time {
						t.Fatalf("%s: packet %d differs", name, i)
					}
				}
			}
			s := open(t, Options{Stdin: bytes.NewReader(small)}, "-")
			for _, ok := s.Next(); ok; _, ok = s.Next() {
			}
			if in := s.Infos()[0]; in.Compression != kind || in.Packets != 5000 || in.Failed {
				t.Errorf("%+v", in)
			}
		})
	}
}

// A cut compressed stream gives packets up to the cut and says so once.
func TestCompressedCutAnywhere(t *testing.T) {
	plain := file(t, WriterOptions{}, manyPackets(25)...)
	want := mustRead(t, plain)
	for _, kind := range compressions {
		t.Run(kind, func(t *testing.T) {
			b := packed(t, kind, plain)
			for cut := 1; cut < len(b); cut++ {
				recs, _, err := readSmall(b[:cut])
				d, ok := err.(*Damage)
				if !ok {
					t.Fatalf("cut at %d of %d: %d packets and %v", cut, len(b), len(recs), err)
				}
				if !d.Cut && cut >= magicLen {
					t.Errorf("cut at %d of %d: %v", cut, len(b), d)
				}
				for i := range recs {
					if !bytes.Equal(recs[i].Data, want[i].Data) {
						t.Fatalf("cut at %d: packet %d differs", cut, i)
					}
				}
			}
		})
	}
	// Of a stream with several blocks, those before the cut are not lost.
	big := file(t, WriterOptions{}, manyPackets(30_000)...)
	for _, kind := range compressions {
		t.Run("half of "+kind, func(t *testing.T) {
			b := packed(t, kind, big)
			if recs, _, err := readAll(b[:len(b)/2]); len(recs) < 5_000 {
				t.Errorf("%d packets of half a stream, %v", len(recs), err)
			}
		})
	}
}

// What stands in a block of lz4 in front of a cut is given, however large the block
// is and to whatever it refers.
func TestLz4CutInBlock(t *testing.T) {
	plain := file(t, WriterOptions{}, manyPackets(20_000)...)
	want := mustRead(t, plain)
	for _, options := range []string{"-B7", "-B4", "-B4 -BD", "-B6 -BD -BX --content-size", "-l", "-9", "-12 -BD"} {
		t.Run(options, func(t *testing.T) {
			bin, err := exec.LookPath("lz4")
			if err != nil {
				t.Skip("lz4 is not installed")
			}
			cmd := exec.Command(bin, append(strings.Fields(options), "-c")...)
			cmd.Stdin = bytes.NewReader(plain)
			b, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			for tenths := 1; tenths < 10; tenths++ {
				recs, _, err := readAll(b[:len(b)*tenths/10])
				if d, ok := err.(*Damage); !ok || !d.Cut || len(recs) < 2_000*tenths-500 {
					t.Fatalf("%d tenths: %d packets, %v", tenths, len(recs), err)
				}
				for i := range recs {
					if !bytes.Equal(recs[i].Data, want[i].Data) {
						t.Fatalf("%d tenths: packet %d differs", tenths, i)
					}
				}
			}
		})
	}
	stored := cat([]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73}, le.AppendUint32(nil, uint32(len(plain))|lz4Stored), plain)
	if recs, _, _ := readAll(stored[:len(stored)/2]); len(recs) < 9_500 {
		t.Errorf("%d packets of half a stored block", len(recs))
	}
}

func TestCompressedDamage(t *testing.T) {
	plain := file(t, WriterOptions{}, manyPackets(25)...)
	for _, kind := range compressions {
		t.Run(kind, func(t *testing.T) {
			b := packed(t, kind, plain)
			for i := magicLen; i < len(b); i++ {
				broken := bytes.Clone(b)
				broken[i] ^= 0x55
				readSmall(broken) // must not panic, whatever it finds
			}
			if _, _, err := readAll(packed(t, kind, []byte("no capture"))); err.Error() != "is not a capture: neither pcap nor pcapng, it begins with 6e 6f 20 63 61 70 74 75" {
				t.Error(err)
			}
			if kind != "bzip2" {
				if _, _, err := readAll(packed(t, kind, nil)); err == nil || err == io.EOF {
					t.Error("an empty stream is no error")
				}
			}
		})
	}
}

// Memory follows the bytes that are there, not what lengths claim.
func TestMemoryStaysSmall(t *testing.T) {
	head := pcapHead(le, magicMicro, 2, 4, 65535, 1)
	sec, ifc := ngSection(le, 1), ngBlock(le, blockInterface, ngIface(le, 1, 0))
	claim := func(typ, n uint32) []byte {
		return append(le.AppendUint32(le.AppendUint32(nil, typ), n), make([]byte, 40)...)
	}
	for name, b := range map[string][]byte{
		"pcap caplen":      cat(head, pcapRec(le, 1, 1, 0x7ffffff0, 9, make([]byte, 40))),
		"pcap 262144":      cat(head, pcapRec(le, 1, 1, 262144, 9, make([]byte, 40))),
		"packet block":     cat(sec, ifc, claim(blockEnhanced, 120<<20)),
		"packet block 16M": cat(sec, ifc, claim(blockEnhanced, maxKept)),
		"interface block":  cat(sec, claim(blockInterface, maxKept)),
		"section":          le.AppendUint32(append(le.AppendUint32(le.AppendUint32(nil, blockSection), maxKept), le.AppendUint32(nil, sectionMagic)...), 1),
		"unknown block":    cat(sec, ifc, claim(0x12345, 127<<20)),
		"zstd window":      {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x01, 0, 0, 0},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := readAll(b)
		runtime.ReadMemStats(&after)
		if _, ok := err.(*Damage); !ok {
			t.Errorf("%s: %v", name, err)
		}
		limit := uint64(4 << 20)
		if name == "zstd window" {
			// The decoder asks for all of it, but pages that are not written
			// to cost nothing: what is resident follows the content.
			limit = maxZstdWindow + 8<<20
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > limit {
			t.Errorf("%s: %d KiB allocated for %d bytes", name, got>>10, len(b))
		}
	}
}
