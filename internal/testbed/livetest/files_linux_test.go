package livetest

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
)

// content is what our own reader finds in a file.
type content struct {
	numbers []uint64 // of a flood
	others  int      // packets that are not of it
	longest int      // bytes of a packet
	times   []int64  // of all packets
	info    capture.Info
}

func readFile(t *testing.T, path string) (c content) {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Error(err)
		return c
	}
	defer src.Close()
	for p, ok := src.Next(); ok; p, ok = src.Next() {
		c.times = append(c.times, p.Time)
		c.longest = max(c.longest, int(p.CapLen))
		if n, ok := wire.FloodNumber(p.Payload); ok && p.Class == capture.UDP {
			c.numbers = append(c.numbers, n)
		} else {
			c.others++
		}
	}
	if c.info = src.Infos()[0]; c.info.Failed {
		t.Errorf("%s: %s", path, c.info.Problem)
	}
	return c
}

// readFiles reads files one after the other.
func readFiles(t *testing.T, paths []string) (numbers []uint64) {
	t.Helper()
	for _, p := range paths {
		numbers = append(numbers, readFile(t, p).numbers...)
	}
	return numbers
}

// glob lists files by name.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// checkRun checks that numbers are those from first to last, each once, in order.
func checkRun(t *testing.T, what string, numbers []uint64, first, n int) {
	t.Helper()
	if len(numbers) != n {
		t.Errorf("%s: %d packets, want %d", what, len(numbers), n)
		return
	}
	for i, x := range numbers {
		if x != uint64(first+i) {
			t.Errorf("%s: packet %d has number %d, want %d", what, i, x, first+i)
			return
		}
	}
}

// accepted checks that tshark and capinfos read a file to its end and find as many
// packets as we do; tshark is the slower one.
func accepted(t *testing.T, withTshark bool, paths ...string) {
	t.Helper()
	if len(paths) == 0 {
		t.Error("no files")
		return
	}
	counts := capinfos(t, paths...)
	for i, p := range paths {
		c := readFile(t, p)
		want := len(c.numbers) + c.others
		if counts[i] != want {
			t.Errorf("%s: capinfos counts %d packets, we %d", p, counts[i], want)
		}
		if !withTshark {
			continue
		}
		if got := strings.Count(tool(t, "tshark", "-n", "-r", p, "-T", "fields", "-e", "frame.number"), "\n"); got != want {
			t.Errorf("%s: tshark shows %d packets, we %d", p, got, want)
		}
	}
}

// capinfos counts the packets of files.
func capinfos(t *testing.T, paths ...string) (counts []int) {
	t.Helper()
	out := tool(t, "capinfos", slices.Concat([]string{"-T", "-M", "-r", "-c"}, paths)...)
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		n, err := strconv.Atoi(f[len(f)-1])
		if err != nil {
			t.Fatalf("capinfos: %v in %q", err, out)
		}
		counts = append(counts, n)
	}
	if len(counts) != len(paths) {
		t.Fatalf("capinfos: %q for %d files", out, len(paths))
	}
	return counts
}

// ordered wants the packets of a file in the order of their times.
func ordered(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := capture.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var rec capture.Record
	last := int64(0)
	for r.Next(&rec) == nil {
		if rec.Time < last {
			t.Errorf("%s: times go back by %v", path, time.Duration(last-rec.Time))
			return
		}
		last = rec.Time
	}
}
