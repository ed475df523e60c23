package whole

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// benchFrames is the size of the capture the benchmarks read.
const benchFrames = 200_000

// benchCapture writes a large capture once a run.
func benchCapture(b *testing.B, signing string) string {
	b.Helper()
	path := filepath.Join(os.TempDir(), "dpdissect-bench-"+signing+".pcap")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	f, err := os.CreateTemp("", "dpdissect-bench-*.tmp")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := tracegen.Big(f, benchFrames, 1, signing); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		b.Fatal(err)
	}
	return path
}

func benchRun(b *testing.B, path string, attach func(r *pipeline.Run) (finish func() error)) {
	b.Helper()
	for b.Loop() {
		src, err := capture.Open([]string{path}, capture.Options{})
		if err != nil {
			b.Fatal(err)
		}
		r := pipeline.Run{Source: src, Workers: 1, Config: session.Config{Protocols: protocols.All(protocols.Options{})}}
		finish := attach(&r)
		if err := r.Do(); err != nil {
			b.Fatal(err)
		}
		if err := finish(); err != nil {
			b.Fatal(err)
		}
		if n := len(r.Conns()); n != 1 {
			b.Fatalf("%d connections, want 1", n)
		}
		src.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchFrames, "ns/frame")
}

func BenchmarkAnalyze(b *testing.B) {
	for _, kind := range []string{"none", "fast", "full", "dp4", "knet", "hazel"} {
		b.Run(kind, func(b *testing.B) {
			path := benchCapture(b, kind)
			benchRun(b, path, func(r *pipeline.Run) func() error {
				var f pipeline.Findings
				f.Attach(r)
				return func() error { return nil }
			})
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, mode := range map[string]pipeline.FrameMode{"text": pipeline.Lines, "ndjson": pipeline.NDJSON, "tree": pipeline.Tree} {
		b.Run(name, func(b *testing.B) {
			path := benchCapture(b, "none")
			benchRun(b, path, func(r *pipeline.Run) func() error {
				p := &pipeline.Frames{Mode: mode, Clock: &render.Clock{}, Titles: protocols.Tables()}
				p.Configure(&r.Config)
				q := pipeline.NewQueue(io.Discard, p)
				q.Attach(r)
				return q.Finish
			})
		})
	}
}
