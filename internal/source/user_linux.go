package source

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

// clearCapabilities gives up the capabilities that a change of user leaves: those that may be
// inherited, and all others where the process was started with the wish to keep them. Programs
// linked with C cannot do that for all threads: there it is an error if a thread has any left.
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

// lockOut keeps this process and its children from new privileges: programs with a set-user-ID
// bit or file capabilities grant none. Programs linked with C can do that for the calling thread
// and those that it starts alone.
func lockOut() error {
	_, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if errno == syscall.ENOTSUP {
		return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// emptyBounds empties the bounding set, so that no capability can ever be gained. Root may have
// been denied the right to do so; what lockOut does is enough then.
func emptyBounds() error {
	for c := uintptr(0); ; c++ {
		if _, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0); err != nil {
			return nil // there are no more
		}
		_, _, errno := syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0)
		if errno == syscall.ENOTSUP {
			errno = 0
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
				errno = err.(syscall.Errno)
			}
		}
		if errno == syscall.EPERM {
			return nil
		}
		if errno != 0 {
			return errno
		}
	}
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
