package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

func TestHint(t *testing.T) {
	const setcap = "'sudo setcap cap_net_raw+ep /opt/dpdissect'"
	for _, c := range []struct {
		name string
		r    rights
		want []string
	}{
		{"plain user", rights{}, []string{"CAP_NET_RAW is missing; grant it with " + setcap + " or run as root"}},
		{"odd path", rights{program: "/home/a b/$x"}, []string{`setcap cap_net_raw+ep "/home/a b/\$x"'`}},
		{"permitted", rights{permitted: true}, []string{"not in effect", setcap}},
		{"no_new_privs", rights{noNewPrivs: true}, []string{"CAP_NET_RAW is missing", "no_new_privs is set", setcap}},
		{"nosuid", rights{nosuid: true}, []string{"CAP_NET_RAW is missing", "nosuid", "copy it"}},
		{"container", rights{bounded: true, noNewPrivs: true}, []string{"CAP_NET_RAW is missing", "--cap-add=NET_RAW"}},
		{"user namespace", rights{effective: true, permitted: true}, []string{"user namespace"}},
	} {
		if c.r.program == "" {
			c.r.program = "/opt/dpdissect"
		}
		got := c.r.hint()
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q does not say %q", c.name, got, want)
			}
		}
		if strings.Contains(got, "\n") {
			t.Errorf("%s: %q is more than a line", c.name, got)
		}
	}
}

// mayEnv makes TestMayCapture say what MayCapture gives, and end.
const mayEnv = "DPDISSECT_TEST_MAY_CAPTURE"

// TestMayCapture asks for the right as users who have it, or lack it for one
// reason or another.
func TestMayCapture(t *testing.T) {
	if os.Getenv(mayEnv) != "" {
		sayMayCapture()
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	program := copyForAll(t)
	nobody := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	for _, c := range []struct {
		name string
		as   *syscall.SysProcAttr
		prep func(t *testing.T) // changes the thread that starts the program
		want string
	}{
		{"root", &syscall.SysProcAttr{}, nil, "may capture"},
		{"nobody", nobody, nil, "is missing; grant it with 'sudo setcap cap_net_raw+ep " + program + "' or run as root"},
		{"no_new_privs", nobody, noNewPrivs, "no_new_privs is set"},
		{"bounding set", &syscall.SysProcAttr{}, func(t *testing.T) {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_NET_RAW, 0, 0, 0); err != nil {
				t.Skip(err)
			}
		}, "--cap-add=NET_RAW"},
		{"user namespace", &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{Size: 1}}, GidMappings: []syscall.SysProcIDMap{{Size: 1}}},
			nil, "user namespace"},
		// The program keeps what it gets from here on.
		{"setcap +ep", nobody, func(t *testing.T) { setcap(t, program, true) }, "may capture"},
		{"setcap +ep, no_new_privs", nobody, noNewPrivs, "no_new_privs is set"},
		{"setcap +p", nobody, func(t *testing.T) { setcap(t, program, false) }, "permitted but not in effect"},
		{"nosuid", nobody, func(t *testing.T) { remountNosuid(t, program) }, "nosuid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runtime.LockOSThread() // for good: prep spoils the thread
			if c.prep != nil {
				c.prep(t)
			}
			cmd := exec.Command(program, "-test.run=^TestMayCapture$")
			cmd.Env = append(os.Environ(), mayEnv+"=1")
			cmd.Dir, cmd.SysProcAttr = filepath.Dir(program), c.as
			out, err := cmd.CombinedOutput()
			if err != nil && c.as.Cloneflags != 0 {
				t.Skipf("no user namespace can be made: %v", err)
			}
			if err != nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v: it says %q, not %q", err, out, c.want)
			}
		})
	}
}

func sayMayCapture() {
	err := MayCapture()
	if err == nil {
		fmt.Println("may capture")
		return
	}
	if no, ok := errors.AsType[*NoRight](err); !ok || !strings.HasPrefix(err.Error(), "this user may not capture: CAP_NET_RAW is ") {
		fmt.Printf("%T %+v\n", err, no)
		return
	}
	fmt.Println(err)
}

func noNewPrivs(t *testing.T) {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Skip(err)
	}
}

// copyForAll copies the test program to where all users can start it.
func copyForAll(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "capture.test")
	if err := programtest.Copy(self, path); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// setcap does what the tool of that name does: it lets the program have
// CAP_NET_RAW, from its start or when it asks.
func setcap(t *testing.T, path string, effective bool) {
	t.Helper()
	magic := uint32(2 << 24) // revision 2
	if effective {
		magic |= 1
	}
	value := make([]byte, 20) // magic, then permitted and inheritable of the lower and the upper 32
	binary.LittleEndian.PutUint32(value, magic)
	binary.LittleEndian.PutUint32(value[4:], 1<<unix.CAP_NET_RAW)
	if err := unix.Setxattr(path, "security.capability", value, 0); err != nil {
		t.Skipf("the file system has no capabilities: %v", err)
	}
}

// remountNosuid gives the thread a view of the file systems where that of the
// program is mounted nosuid.
func remountNosuid(t *testing.T, path string) {
	t.Helper()
	dir := filepath.Dir(path)
	for _, err := range []error{
		unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS),
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount(dir, dir, "", unix.MS_BIND, ""),
		unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOSUID, ""),
	} {
		if err != nil {
			t.Skipf("no file system can be mounted: %v", err)
		}
	}
}
