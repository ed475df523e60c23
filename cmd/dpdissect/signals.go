//go:build !js

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// endSignals end a run, or the program: Ctrl-C, and that the terminal goes.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// notifyEnds gives all of them, from now on, to a channel.
func notifyEnds(c chan<- os.Signal) { signal.Notify(c, endSignals...) }

// endingSignals gives those that end the program, from now on.
func endingSignals() chan os.Signal {
	c := make(chan os.Signal, 2)
	for _, s := range endSignals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}
