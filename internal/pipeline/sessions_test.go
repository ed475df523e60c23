package pipeline

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

// generate makes the capture of a session; path is a file to write it to.
func generate(tb testing.TB, s *tracegen.Scenario, path string) ([]dissect.Datagram, *tracegen.Truth) {
	tb.Helper()
	file, truth, err := s.Generate()
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o666); err != nil {
		tb.Fatal(err)
	}
	return readAll(tb, path), truth
}

func wildFile(tb testing.TB) string { return filepath.Join(tb.TempDir(), "wild.pcap") }

// readAll reads what a tracker is shown of a capture: datagrams and ICMP notices.
func readAll(tb testing.TB, path string) (all []dissect.Datagram) {
	tb.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer src.Close()
	for {
		p, ok := src.Next()
		if !ok {
			return all
		}
		if p.Class == capture.UDP || p.Class == capture.Unreachable {
			d := p.Datagram
			d.Payload = append([]byte(nil), d.Payload...)
			all = append(all, d)
		}
	}
}
