//go:build unix

package main

import (
	"os"
	"syscall"
)

// resident is the most memory a process had, in KiB.
func resident(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int64(u.Maxrss)
	}
	return 0
}
