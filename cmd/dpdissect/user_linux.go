package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// clearCapabilities gives up what a change of user leaves: what may be inherited
// always, and all the rest where whoever started the process asked the kernel to
// keep it. Programs linked with C can't do it for all threads: there it is an
// error when a thread has any left.
func clearCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0)
	if errno == syscall.ENOTSUP {
		return noCapabilities()
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// noCapabilities makes sure that no thread has a capability, or may take one.
func noCapabilities() error {
	threads, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(threads) == 0 {
		return errors.New("there is no /proc that would tell whether there are any")
	}
	for _, path := range threads {
		status, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // the thread has ended
		}
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(status)) {
			name, set, _ := strings.Cut(line, ":")
			if (name == "CapEff" || name == "CapPrm") && strings.Trim(set, "0 \t\n") != "" {
				return fmt.Errorf("%s of a thread is%s", name, strings.TrimSpace(set))
			}
		}
	}
	return nil
}
