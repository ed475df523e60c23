package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// The most bytes that the program may have, stripped, as `make build` makes it and holds it to;
// and what the profile adds, without which tests build it.
const (
	maxProgram   = 16 << 20
	profileAdded = 256 << 10
)

// TestProgramIsSmall: what the program is linked of fits into 16 MiB. The usual reason for more
// is a function that calls methods by their names, as text/template does: then the linker keeps
// all methods.
func TestProgramIsSmall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dpdissect")
	if err := programtest.Build(file, "-ldflags=-s -w"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if size := info.Size(); size > maxProgram-profileAdded {
		t.Errorf("the program has %d bytes without the profile, at most %d: ask `go tool nm -size -sort size` what is large, "+
			"and the linker's -dumpdep for ReflectMethod", size, maxProgram-profileAdded)
	}
}
