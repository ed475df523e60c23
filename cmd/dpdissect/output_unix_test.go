//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/source"
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
		lines := bufio.NewReader(out)
		if line, err := lines.ReadString('\n'); line != "it is written\n" || len(list(t, dir)) != 2 {
			t.Errorf("%v: %q, %v, there are %v", s, line, err, list(t, dir))
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil {
			t.Errorf("%v: it went on: %q, %v", s, rest, err)
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

// writeForever is what a command does whose run does not end. When it is killed it can
// neither complain nor complete the file.
func writeForever(t *testing.T, path string) {
	in := &input{output: path, color: flags.NewChoice("never")}
	out, err := in.createOutput(newVersion(), &outfile.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("it is written\n")
	for err == nil {
		_, err = out.Write([]byte("more"))
	}
	os.Stdout.WriteString(out.end(err).Error())
}

// waiting names the pipe whose reader a process of TestKilledWaiting waits for.
const waiting = "DPDISSECT_WAITING"

// TestKilledWaiting: a signal ends a command that waits for somebody to read from the pipe
// that it is to write to.
func TestKilledWaiting(t *testing.T) {
	if path := os.Getenv(waiting); path != "" {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM) // what ends the process is the command
		os.Stdout.WriteString("it waits\n")
		in := &input{output: path, color: flags.NewChoice("never")}
		in.createOutput(newVersion(), &outfile.Guard{})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKilledWaiting$")
	cmd.Env = append(os.Environ(), waiting+"="+fifo(t))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "it waits\n" {
		t.Errorf("%q, %v", line, err)
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(10 * time.Millisecond) // it may not have begun to wait at the first
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			cmd.Process.Signal(syscall.SIGTERM)
			continue
		case <-ended:
		}
		break
	}
	if got := cmd.ProcessState.Sys().(syscall.WaitStatus); !got.Signaled() || got.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}

// TestDying: once a signal ends the program, the command neither completes its file nor
// complains of it.
func TestDying(t *testing.T) {
	dir := t.TempDir()
	o := &destination{flag: "-o"}
	if err := o.open(filepath.Join(dir, "out"), &outfile.Guard{}); err != nil {
		t.Fatal(err)
	}
	o.discard()
	if o.ends.TryLock() {
		t.Error("the command may go on")
	}
	if len(list(t, dir)) != 0 {
		t.Errorf("there are %v", list(t, dir))
	}
}

// TestIgnored: nohup has a live run go on when the terminal goes.
func TestIgnored(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	c := make(chan os.Signal, 2)
	source.Notify(c)
	defer signal.Stop(c)
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	if s := <-c; s != syscall.SIGTERM {
		t.Errorf("%v", s)
	}
}

// TestStoppedBefore: the inputs after the one during which a signal came end as well, also
// pipes to which nobody writes.
func TestStoppedBefore(t *testing.T) {
	var l source.Flags
	l.Stopped.Store(true)
	src, err := capture.Open([]string{fifo(t)}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	defer l.StopOnSignal(src)()
	for ok := true; ok; {
		_, ok = src.Next()
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
