package source

import (
	"os"
	"os/signal"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// StopOnSignal ends a source in order at Ctrl-C, SIGTERM or when the terminal goes, and
// those of the command that come after it as soon as they begin; a second signal ends the
// program. What it gives takes that back.
func (f *Flags) StopOnSignal(src *capture.Source) (release func()) {
	if f.Stopped.Load() {
		src.Stop()
	}
	c := make(chan os.Signal, 1)
	Notify(c)
	done := make(chan struct{})
	go func() {
		select {
		case <-c:
			signal.Stop(c)
			f.Stopped.Store(true)
			src.Stop()
		case <-done:
			signal.Stop(c)
		}
	}()
	return func() { close(done) }
}
