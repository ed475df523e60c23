package main

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// The most bytes that the program may have, stripped, as `make build` makes it and holds it to;
// and what the profile adds, without which tests build it.
const (
	maxProgram   = 16 << 20
	profileAdded = 256 << 10
)

// built is the program as its users have it, compiled once for all tests.
func built(t testing.TB) string {
	t.Helper()
	file, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

var program = sync.OnceValues(func() (file string, err error) {
	if programDir, err = os.MkdirTemp("", "dpdissect-test-"); err != nil {
		return "", err
	}
	file = filepath.Join(programDir, "dpdissect")
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	return file, programtest.Build(file)
})

// programDir is removed after all tests.
var programDir string

// TestProgramIsSmall: what the program is linked of fits into 16 MiB. The usual reason for more
// is a function that calls methods by their names, as text/template does: then the linker keeps
// all methods.
func TestProgramIsSmall(t *testing.T) {
	info, err := os.Stat(built(t))
	if err != nil {
		t.Fatal(err)
	}
	if size := info.Size(); size > maxProgram-profileAdded {
		t.Errorf("the program has %d bytes without the profile, at most %d: ask `go tool nm -size -sort size` what is large, "+
			"and the linker's -dumpdep for ReflectMethod", size, maxProgram-profileAdded)
	}
}
