// Package programtest makes files that tests start as programs.
package programtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// Build makes dpdissect, linked as its users have it. The go command keeps what it links for
// `go run`, so that all packages whose tests start the program link it once. They leave out the
// profile, as `make test` does: nothing is compiled a second time.
func Build(file string) error {
	args := []string{"run", "-pgo=off", "-buildvcs=false", "-ldflags=-s -w", "-exec=cp", "github.com/dpdissect/dpdissect/cmd/dpdissect", file}
	if runtime.GOOS == "windows" { // has no cp
		args = []string{"build", "-pgo=off", "-buildvcs=false", "-ldflags=-s -w", "-o", file, args[5]}
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("making the program: %w\n%s", err, out)
	}
	return nil
}

// Copy copies a program to a file that all users may start.
func Copy(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return Write(to, text)
}

// Write writes a program, or a script, to a file that all users may start.
//
// While the file is open no process is started: the new one would hold a copy of the
// descriptor until it runs its own program, and the system starts no file that is open
// for writing ("text file busy").
func Write(file string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(file, text, 0o755)
}

// FreeAddr is an address of this machine where nobody listens.
func FreeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// ForAll puts the file of a program where all users can start it, under a name.
func ForAll(t *testing.T, file, name string) (program, dir string) {
	t.Helper()
	dir = t.TempDir()
	program = filepath.Join(dir, name)
	if os.Link(file, program) != nil { // it lies elsewhere
		if err := Copy(file, program); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return program, dir
}
