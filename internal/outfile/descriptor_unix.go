//go:build unix

package outfile

import (
	"os"
	"syscall"
)

// openDescriptor gives another handle of a file that is open. It has the same place in
// the file, so that what both write stands in the order in which it was written.
func openDescriptor(fd int, path string) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	again, err := syscall.Dup(fd)
	if err != nil {
		return nil, wrong(path, err)
	}
	syscall.CloseOnExec(again)
	return os.NewFile(uintptr(again), path), nil
}
