//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dpdissect/dpdissect/internal/outfile"
)

// unfinished names the file that a process of TestKilled writes, and never completes.
const unfinished = "DPDISSECT_UNFINISHED"

// TestKilled: a signal that ends the program takes an unfinished file of -o with it,
// and what stood there stays.
func TestKilled(t *testing.T) {
	if path := os.Getenv(unfinished); path != "" {
		writeForever(t, path)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, s) // under nohup it is ignored, which the child would inherit
		defer signal.Stop(caught)
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), unfinished+"="+path)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "it is written\n" || len(list(t, dir)) != 2 {
			t.Errorf("%v: %q, %v, there are %v", s, line, err, list(t, dir))
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if got := cmd.ProcessState.Sys().(syscall.WaitStatus); !got.Signaled() || got.Signal() != s {
			t.Errorf("%v: it ended with %v", s, cmd.ProcessState)
		}
		if b, err := os.ReadFile(path); len(list(t, dir)) != 1 || string(b) != "old" || err != nil {
			t.Errorf("%v: %q, %v, there are %v", s, b, err, list(t, dir))
		}
	}
}

// writeForever is what a command does whose run does not end.
func writeForever(t *testing.T, path string) {
	in := &input{output: path, color: newChoice("never")}
	out, err := in.createOutput(newVersion(), &outfile.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("it is written\n")
	select {}
}

func list(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
