package source

import (
	"os"
	"os/signal"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// StopOnSignal ends a source in order at Ctrl-C, SIGTERM or when the terminal closes. Sources that
// the command opens later end as soon as they begin. A second signal ends the program. release
// stops listening for signals.
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
