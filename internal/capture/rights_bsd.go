//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package capture

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// MayCapture is nil when this user may capture. Otherwise it is a *NoRight that
// says what is missing, or the error of a build that can't capture at all.
func MayCapture() error {
	if err := noLive(); err != nil {
		return err
	}
	if denied("/dev/bpf") || denied("/dev/bpf0") {
		return noRight("")
	}
	return nil
}

// denied reports whether a device of the packet filter is there but not for this
// user. One that is busy may be opened: there are others.
func denied(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		f.Close()
	}
	return errors.Is(err, fs.ErrPermission)
}

// noRight is the error of who may not open the packet filter.
func noRight(name string) error {
	hint := "/dev/bpf can't be opened for reading and writing; run as root, or let your group do it ('chmod g+rw /dev/bpf*')"
	if runtime.GOOS == "darwin" {
		hint = "/dev/bpf* can't be opened for reading and writing; run as root, or let the group access_bpf do it, as Wireshark's ChmodBPF sets it up"
	}
	return &NoRight{Interface: name, Hint: hint}
}
