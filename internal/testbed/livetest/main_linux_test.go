package livetest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// program is the file of the program under test, "" when it was not built.
var program string

// TestMain builds the program once and lets all tests run at once: they wait more
// than they work.
func TestMain(m *testing.M) {
	flag.Parse()
	hearSignals()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(run(m))
}

// hearSignals makes the programs under test hear the signals that end them where this
// process was started to ignore them, as by nohup or in the background of a shell:
// what is ignored is inherited, what is caught is not.
func hearSignals() {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

func run(m *testing.M) int {
	if testing.Short() || os.Geteuid() != 0 {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "livetest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // other users run it, too
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	program = filepath.Join(dir, "dpdissect")
	if err := programtest.Build(program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// place makes two namespaces with a cable between them, for a test that runs beside
// others; it is skipped where that can't be.
func place(t *testing.T) [2]*netns.Namespace {
	t.Helper()
	return placeWith(t, 0)
}

// placeWith is place with a cable that takes packets of so many bytes, 0 for what is
// usual.
func placeWith(t *testing.T, mtu int) [2]*netns.Namespace {
	t.Helper()
	t.Parallel()
	quick(t)
	return netns.Pair(t, mtu)
}

// alone is place for a test that needs the machine for itself.
func alone(t *testing.T) [2]*netns.Namespace {
	t.Helper()
	quick(t)
	return netns.Pair(t, 0)
}

// quick skips the test where all must be.
func quick(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("live capture takes seconds: not with -short")
	}
}

// need skips the test without a program.
func need(t *testing.T, names ...string) {
	t.Helper()
	for _, n := range names {
		if _, err := exec.LookPath(n); err != nil {
			t.Skipf("%s is not installed", n)
		}
	}
}
