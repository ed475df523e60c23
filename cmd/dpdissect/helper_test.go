package main

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dpdissect/dpdissect/internal/config"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/testbed/chromium"
)

var update = flag.Bool("update", false, "write the golden files of the commands")

// TestMain lets the heap grow to what a small machine has: thousands of short runs,
// each with buffers for a long one, would collect garbage half of the time.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "dpdissect" { // transcripts have an environment of their own
		must(os.Setenv("COLUMNS", "120")) // in which tables are compared
		must(os.Setenv(config.Variable, "off"))
		must(os.Setenv("GOGC", "800")) // commands leave it then: see boundGarbage
	}
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(1200 << 20)
	testscript.Main(tests{m}, map[string]func(){"dpdissect": main})
}

// tests are those of this package, which have one browser and one program.
type tests struct{ *testing.M }

func (m tests) Run() int {
	defer func() {
		chromium.Stop()
		_ = os.RemoveAll(programDir)
	}()
	return m.M.Run()
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
func capturePath(t testing.TB, name string) string {
	t.Helper()
	p := filepath.Join("..", "..", "testdata", "pcaps", "dp8", name)
	if _, err := os.Stat(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// call runs a command line in this process.
func call(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	out, errs := newPipe(t), newPipe(t)
	code = run(args, out.w, errs.w)
	return out.text(t), errs.text(t), code
}

// output is the standard output of a command line that must end well.
func output(t testing.TB, args ...string) string {
	t.Helper()
	out, errs, code := call(t, args...)
	if code != exit.OK || errs != "" {
		t.Fatalf("dpdissect %q: exit code %d, stderr %q", args, code, errs)
	}
	return out
}

// shared is what command lines print, by their words: several tests look at the same.
var shared sync.Map

// printed is output that is made once for all tests.
func printed(t testing.TB, args ...string) string {
	t.Helper()
	once, _ := shared.LoadOrStore(strings.Join(args, "\x00"), sync.OnceValue(func() string { return output(t, args...) }))
	return once.(func() string)()
}

// shortRun times a program that has little to do.
func shortRun(program string, args ...string) time.Duration {
	begun := time.Now()
	_ = exec.Command(program, args...).Run()
	return time.Since(begun)
}

// A pipe collects what is written to it.
type pipe struct {
	w    *os.File
	read chan []byte
}

func newPipe(t testing.TB) *pipe {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &pipe{w, make(chan []byte, 1)}
	go func() {
		defer r.Close()
		b, _ := io.ReadAll(r)
		p.read <- b
	}()
	return p
}

// text closes the pipe and gives what was written.
func (p *pipe) text(t testing.TB) string {
	t.Helper()
	if err := p.w.Close(); err != nil {
		t.Fatal(err)
	}
	return string(<-p.read)
}
