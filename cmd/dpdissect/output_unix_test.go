//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
	header := sound[:24]
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "out"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "analyze", "-o", "out", "-")
		cmd.Dir = dir
		stdin, err := cmd.StdinPipe() // it waits for packets
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := stdin.Write(header); err != nil {
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
		stdin.Close()
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
