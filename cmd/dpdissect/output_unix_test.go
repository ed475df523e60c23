//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestKilled: a signal that ends the program takes an unfinished file of -o with it,
// and what stood there stays.
func TestKilled(t *testing.T) {
	program := filepath.Join(t.TempDir(), "dpdissect")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sound, err := os.ReadFile(capturePath(t, "unsigned-clean.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	long := slices.Concat(sound[:24], bytes.Repeat(sound[24:], 100<<20/len(sound))) // it takes a while
	in := filepath.Join(t.TempDir(), "long.pcap")
	if err := os.WriteFile(in, long, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "out"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "analyze", "-o", "out", in)
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); len(list(t, dir)) < 2; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("it writes nothing")
			}
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if got := cmd.ProcessState.Sys().(syscall.WaitStatus); !got.Signaled() || got.Signal() != s {
			t.Errorf("%v: it ended with %v", s, cmd.ProcessState)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "out")); len(list(t, dir)) != 1 || string(b) != "old" || err != nil {
			t.Errorf("%v: %q, %v, there are %v", s, b, err, list(t, dir))
		}
	}
}

func list(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
