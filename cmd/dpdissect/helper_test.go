package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the golden files of the commands")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dpdissect": main})
}

// captures lists the captures kept with the project. It fails when there is none.
func captures(t *testing.T) []string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("..", "..", "testdata", "pcaps"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, pattern := range []string{"*.pcap", "*.pcapng"} {
		found, err := filepath.Glob(filepath.Join(folder, "*", pattern))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		t.Fatal("there are no captures in testdata/pcaps")
	}
	return all
}

// capturePath is the path of one of the captures.
func capturePath(t *testing.T, name string) string {
	t.Helper()
	p := filepath.Join("..", "..", "testdata", "pcaps", "dp8", name)
	if _, err := os.Stat(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// call runs a command line in this process.
func call(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	out, errs := tempFile(t), tempFile(t)
	code = run(args, out, errs)
	return content(t, out), content(t, errs), code
}

// output is the standard output of a command line that must end well.
func output(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code := call(t, args...)
	if code != exitOK || errs != "" {
		t.Fatalf("dpdissect %q: exit code %d, stderr %q", args, code, errs)
	}
	return out
}

func tempFile(t *testing.T) *os.File {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// content reads a file from its beginning and closes it.
func content(t *testing.T, f *os.File) string {
	t.Helper()
	defer f.Close()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
