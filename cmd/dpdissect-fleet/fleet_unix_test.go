//go:build unix

package main

import (
	"math/rand/v2"
	"syscall"
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
