//go:build unix

package main

import "golang.org/x/sys/unix"

// mostMemory bounds what each process that is started may write to, in bytes: a changed
// program may ask for memory without end.
const mostMemory = 8 << 30

func limitMemory() {
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: mostMemory, Max: mostMemory})
}
