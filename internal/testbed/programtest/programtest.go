// Package programtest makes files that tests start as programs.
package programtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Build compiles dpdissect to a file, with further flags of go build. It leaves out the
// profile: nothing that tests have compiled is compiled a second time.
func Build(file string, flags ...string) error {
	args := append([]string{"build", "-pgo=off", "-o", file}, flags...)
	cmd := exec.Command("go", append(args, "github.com/dpdissect/dpdissect/cmd/dpdissect")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the program: %w\n%s", err, out)
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
