//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/fleet"
)

// sleepIn is the file that says which step sleeps.
const sleepIn = "DPDISSECT_FLEET_SLEEP"

func init() {
	sleep = func() {
		if path := os.Getenv(sleepIn); path != "" && os.Getenv(fleet.ChildEnv) != "" {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err == nil { // the first step alone
				fmt.Fprint(f, os.Getpid())
				f.Close()
				syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			}
		}
	}
}

// TestFleetLateRows: a machine that sleeps through its step, and wakes when that was declared dead, writes none of its
// rows, and goes on with the next step.
func TestFleetLateRows(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.begin("c", 1)
	path := filepath.Join(b.dir, "sleeps")
	w := startIn(t, []string{sleepIn + "=" + path}, b.work())
	var step int
	b.until("the step sleeps", func() bool {
		text, _ := os.ReadFile(path)
		step, _ = strconv.Atoi(string(text))
		return step > 0
	})
	w.Process.Signal(syscall.SIGSTOP)
	b.drain("--tries", "1")
	if s := b.status(); s.Dead != 1 {
		t.Errorf("%+v", s)
	}
	syscall.Kill(step, syscall.SIGCONT)
	w.Process.Signal(syscall.SIGCONT)
	b.do("submit", append([]string{"--chain", "d", "--end"}, b.pieces("dp8/unsigned-lossy.pcap", 1, 1)...)...)
	b.until("the next chain is done", func() bool { return b.status().ChainsWaiting == 0 })
	for _, row := range rowsBelow(t, b.rows()) {
		if strings.Contains(row, `"chain":"c"`) {
			t.Fatalf("a row of the dead step: %s", row)
		}
	}
}

// worry starts workers one after the other, and kills each after a while, or pauses it and lets it go on when
// another one has long taken its step.
func (b *bed) worry(times int, most time.Duration) {
	b.t.Helper()
	for i := range times {
		w := start(b.t, b.work("--tries", "100", "--workers", "2")...)
		time.Sleep(100*time.Millisecond + rand.N(most))
		if i%2 == 0 {
			w.Process.Kill()
			w.Wait()
			continue
		}
		w.Process.Signal(syscall.SIGSTOP)
		time.AfterFunc(1500*time.Millisecond, func() { w.Process.Signal(syscall.SIGCONT) })
		b.t.Cleanup(func() { w.Process.Signal(syscall.SIGCONT) })
	}
}

// TestFleetWorkerDies: workers that are killed and paused anywhere change no row.
func TestFleetWorkerDies(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i, name := range []string{"dp8/unsigned-lossy.pcap", "knet/lossy-reference.pcap", "dp4/windows-lossy.pcap"} {
		files, chain := b.pieces(name, 8, 400), fmt.Sprint("c", i)
		b.do("submit", append([]string{"--chain", chain, "--end"}, files...)...)
		b.expect("local", chain, files)
	}
	b.worry(2, 150*time.Millisecond)
	b.drain("--tries", "100")
	b.compare()
	if s := b.status(); s.Done != 24 || s.Dead != 0 {
		t.Errorf("%+v", s)
	}
}
