package capture

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// MayCapture is nil when this user may capture. Otherwise it is a *NoRight that
// says what is missing, or another error when the system has no way to capture.
func MayCapture() error {
	// A socket of no protocol gets no packets: it only shows whether it can be had.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	switch {
	case err == nil:
		unix.Close(fd)
		return nil
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return noRight("")
	}
	return fmt.Errorf("packet sockets: %w: this system can't capture", err)
}

// noRight is the error of who may not open a packet socket.
func noRight(name string) error {
	r := readRights()
	return &NoRight{Interface: name, Hint: r.hint()}
}

// rights are what decides whether packet sockets can be had.
type rights struct {
	effective  bool   // the process has CAP_NET_RAW in effect,
	permitted  bool   // may take it,
	bounded    bool   // can't get it by any program it starts
	noNewPrivs bool   // programs give no further rights
	nosuid     bool   // nor do those in the file system of this one
	program    string // path of this one
}

func readRights() rights {
	r := rights{program: "dpdissect"}
	if path, err := os.Executable(); err == nil {
		r.program = strings.TrimSuffix(path, " (deleted)")
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if unix.Capget(&header, &sets[0]) == nil {
		r.effective = sets[0].Effective&(1<<unix.CAP_NET_RAW) != 0
		r.permitted = sets[0].Permitted&(1<<unix.CAP_NET_RAW) != 0
	}
	in, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, unix.CAP_NET_RAW, 0, 0, 0)
	r.bounded = err == nil && in == 0
	set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	r.noNewPrivs = err == nil && set == 1
	var fs unix.Statfs_t
	r.nosuid = unix.Statfs(r.program, &fs) == nil && fs.Flags&unix.ST_NOSUID != 0
	return r
}

// hint says what is missing, and how to grant it where the plain way would not do.
func (r *rights) hint() string {
	grant := "'sudo setcap cap_net_raw+ep " + shellWord(r.program) + "'"
	switch {
	case r.effective:
		return "CAP_NET_RAW is available, but not for this network, or a security policy refuses packet sockets: run outside of the user namespace or container, or give it its own network"
	case r.bounded:
		return "CAP_NET_RAW is missing, and no process here can get it, not even root: start the container with --cap-add=NET_RAW, or run outside of it"
	case r.permitted:
		return "CAP_NET_RAW is permitted but not in effect; grant it with " + grant
	case r.noNewPrivs:
		return "CAP_NET_RAW is missing, and neither setcap nor sudo counts here because no_new_privs is set; run outside of the sandbox or container, as root or after " + grant
	case r.nosuid:
		return "CAP_NET_RAW is missing, and setcap does not count on a file system mounted nosuid as that of " + r.program + "; copy it elsewhere and grant it there with 'sudo setcap cap_net_raw+ep COPY', or run as root"
	}
	return "CAP_NET_RAW is missing; grant it with " + grant + " or run as root"
}

// shellWord is a path as a shell wants it inside of the command that is shown.
func shellWord(path string) string {
	for _, c := range path {
		if !strings.ContainsRune("/._-+@:,=%", c) && !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(path) + `"`
		}
	}
	return path
}
