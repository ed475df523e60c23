package main

import (
	"errors"
	"syscall"
)

// What Windows says of a pipe that nobody reads.
const (
	errNoData       = syscall.Errno(232) // ERROR_NO_DATA: it is being closed
	errNotConnected = syscall.Errno(233) // ERROR_PIPE_NOT_CONNECTED: it was closed at the other end
)

func ignoreBrokenPipes() {}

// isBrokenPipe reports whether nobody reads the output any more.
func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errNoData) || errors.Is(err, errNotConnected) || errors.Is(err, syscall.EPIPE)
}
