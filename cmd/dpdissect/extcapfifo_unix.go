//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/dpdissect/dpdissect/internal/exit"
)

// watchFifo ends the program once nobody reads from a pipe any more: a quiet interface would
// not have it written to, which is what else tells.
func watchFifo(f *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	go conn.Control(func(fd uintptr) {
		for {
			fds := []unix.PollFd{{Fd: int32(fd)}}
			if _, err := unix.Poll(fds, fifoLook); err != nil && err != unix.EINTR {
				return
			}
			if fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
				os.Exit(exit.OK)
			}
		}
	})
}

// fifoLook is after how many milliseconds is looked again, on systems that do not tell.
const fifoLook = 500
