//go:build !js

package source

import (
	"os"
	"os/signal"
	"syscall"
)

// endSignals end a run, or the program: Ctrl-C, and that the terminal goes.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// Notify gives those that end a run, from now on, to a channel. nohup has SIGHUP
// ignored, and means it; shells have SIGINT ignored of what they run in the background, but
// who sends it all the same means that.
func Notify(c chan<- os.Signal) {
	for _, s := range endSignals {
		if s != syscall.SIGHUP || !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// Ending gives those that end the program, from now on.
func Ending() chan os.Signal {
	c := make(chan os.Signal, 2)
	for _, s := range endSignals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}
