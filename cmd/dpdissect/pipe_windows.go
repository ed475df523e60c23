package main

import (
	"errors"
	"syscall"
)

const errNoData = syscall.Errno(232) // ERROR_NO_DATA: the pipe is being closed

func ignoreBrokenPipes() {}

// isBrokenPipe reports whether nobody reads the output any more.
func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errNoData) || errors.Is(err, syscall.EPIPE)
}
