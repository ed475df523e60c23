package whole

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
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
	return captured.Tracked(tb, path), truth
}

func wildFile(tb testing.TB) string { return filepath.Join(tb.TempDir(), "wild.pcap") }
