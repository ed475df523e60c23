//go:build !windows && !js

package main

import (
	"errors"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipes makes writing to a closed pipe an error instead of a signal.
func ignoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

// isBrokenPipe reports whether nobody reads the output any more.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
