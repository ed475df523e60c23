// Package pcaps finds, for tests, the captures that were not made by this project's own
// generator: those of testdata/captured, and those of the folder that DPDISSECT_PCAPS names.
package pcaps

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable with a folder of further captures.
const Variable = "DPDISSECT_PCAPS"

// Files lists the captures whose paths match a pattern like "hazel/*", the committed ones
// first. The test fails where none is committed: a test that reads nothing proves nothing.
// A capture of DPDISSECT_PCAPS that is committed under its name is left out.
func Files(t testing.TB, patterns ...string) (files []string) {
	t.Helper()
	for _, pattern := range patterns {
		own := matching(t, Root(t), pattern)
		if len(own) == 0 {
			t.Fatalf("no capture matches %s in testdata/captured", pattern)
		}
		files = append(files, own...)
		further := 0
		if folder := os.Getenv(Variable); folder != "" {
			for _, file := range matching(t, folder, pattern) {
				if !slices.ContainsFunc(own, func(o string) bool { return Name(o) == Name(file) }) {
					files, further = append(files, file), further+1
				}
			}
		}
		t.Logf("captures that match %s: %d of testdata/captured, %d of %s", pattern, len(own), further, Variable)
	}
	return files
}

// All lists all captures.
func All(t testing.TB) []string {
	t.Helper()
	return Files(t, "*/*")
}

// Name is the name of a capture without what says how it is stored.
func Name(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".gz")
	return strings.TrimSuffix(strings.TrimSuffix(name, ".pcapng"), ".pcap")
}

// HasTruth reports whether a truth file stands beside a capture.
func HasTruth(file string) bool { return truthOf(file) != "" }

// Truth reads the truth file of a capture.
func Truth(t testing.TB, file string, truth any) {
	t.Helper()
	path := truthOf(file)
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("%s has no truth file: %v", file, err)
	}
	defer f.Close()
	from := io.Reader(f)
	if strings.HasSuffix(path, ".gz") {
		if from, err = gzip.NewReader(f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if err := json.NewDecoder(from).Decode(truth); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// truthOf is the truth file of a capture, "" where there is none. What was captured at two
// points, as NAME.client.pcap and NAME.server.pcap, has one truth.
func truthOf(file string) string {
	name := Name(file)
	for _, stem := range []string{name, strings.TrimSuffix(strings.TrimSuffix(name, ".client"), ".server")} {
		for _, ending := range []string{".truth.json", ".truth.json.gz"} {
			path := filepath.Join(filepath.Dir(file), stem+ending)
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return ""
}

// Root is the folder of the committed captures.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "testdata", "captured")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
	}
}

// matching lists the captures below a folder that match a pattern.
func matching(t testing.TB, root, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(file string) bool { return !strings.Contains(filepath.Base(file), ".pcap") })
}
