//go:build !js

package source

import (
	"os"
	"os/signal"
	"syscall"
)

// endSignals end a run, or the program: Ctrl-C, kill, and a terminal that closes.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// Notify sends the signals that end a run to a channel from now on. SIGHUP stays ignored where it
// was: nohup wants that. SIGINT does not: shells ignore it for all that runs in the background,
// but somebody who sends it to this process wants it to end.
func Notify(c chan<- os.Signal) {
	for _, s := range endSignals {
		if s != syscall.SIGHUP || !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// Ending gives a channel for the signals that end the program, from now on.
func Ending() chan os.Signal {
	c := make(chan os.Signal, 2)
	for _, s := range endSignals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}
