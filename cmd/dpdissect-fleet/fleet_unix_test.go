//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

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
