package main

import (
	"errors"
	"os"
	"syscall"
)

// No signal ever comes in the browser: a page that wants a run to end ends the worker.
func notifyEnds(chan<- os.Signal)   {}
func endingSignals() chan os.Signal { return nil }

// There are no pipes in the browser.
func ignoreBrokenPipes()          {}
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
