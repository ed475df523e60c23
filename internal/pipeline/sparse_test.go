package pipeline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
)

// sparse prints what a capture filter lets pass.
func sparse(t *testing.T, path, expr string, workers int, mode FrameMode) string {
	t.Helper()
	f, err := capture.NewFilter(expr)
	if err != nil {
		t.Fatal(err)
	}
	src, err := capture.Open([]string{path}, capture.Options{Filter: f})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := Run{Source: src, Workers: workers, Config: session.Config{Protocols: protocols.All(protocols.Options{})}}
	p := &Frames{Mode: mode, Clock: &render.Clock{}, Titles: protocols.Tables()}
	p.Configure(&r.Config)
	var out bytes.Buffer
	q := NewQueue(&out, p)
	q.Notes = mode != Lines
	q.Attach(&r)
	if err := r.Do(); err != nil {
		t.Fatal(err)
	}
	if err := q.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestSparse: packets that a capture filter leaves out are counted, have no place in
// the output, and change nothing with any number of workers.
func TestSparse(t *testing.T) {
	path := "../../testdata/pcaps/dp8/full-signed-lossy.pcap"
	for _, mode := range []FrameMode{Lines, NDJSON} {
		want := sparse(t, path, "udp[10] & 1 = 0 or greater 150", 1, mode)
		if n := strings.Count(want, "\n"); n < 20 || n >= 533 {
			t.Fatalf("%d lines", n)
		}
		for workers := 2; workers < 5; workers++ {
			if got := sparse(t, path, "udp[10] & 1 = 0 or greater 150", workers, mode); got != want {
				t.Errorf("%d workers print something else", workers)
			}
		}
	}
}

// TestVerySparse: between two packets that pass there may be more than the queue has
// places.
func TestVerySparse(t *testing.T) {
	const every, packets = 50_000, 250_000
	path := filepath.Join(t.TempDir(), "sparse.pcap")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := capture.NewWriter(f, capture.WriterOptions{Format: "pcap", Interfaces: []capture.Interface{{Link: capture.LinkRaw}}})
	if err != nil {
		t.Fatal(err)
	}
	small := []byte{0x45, 0, 0, 29, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 9, 0, 9, 0, 9, 0, 0, 'x'}
	for i := range packets {
		b := bytes.Clone(small)
		if i%every == 3 {
			b[21] = 7 // its port
		}
		if err := w.Write(&capture.Record{Data: b, WireLen: len(b), Time: int64(i) * 1e6, HasTime: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for workers := 1; workers < 3; workers++ {
		got := sparse(t, path, "port 7", workers, Lines)
		for i := 4; i < packets; i += every {
			if !strings.Contains(got, fmt.Sprintf("%5d ", i)) {
				t.Errorf("%d workers: frame %d is not printed:\n%s", workers, i, got)
			}
		}
		if n := strings.Count(got, "\n"); n != packets/every {
			t.Errorf("%d workers: %d lines", workers, n)
		}
	}
}
