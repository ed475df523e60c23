package main

import (
	"errors"
	"syscall"
)

// There are no pipes in the browser.
func ignoreBrokenPipes()          {}
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
