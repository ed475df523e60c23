package capture

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// ownNetwork moves the test, and what it starts, into a network namespace of its
// own that has a loopback interface alone, which is up. It ends with the test.
func ownNetwork(t *testing.T) {
	t.Helper()
	// A locked thread ends with its goroutine, the test: nobody else gets it.
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skipf("no network namespace can be made (%v): it takes root", err)
	}
	ipTool(t, "link", "set", "lo", "up")
}

// ipTool calls the tool of that name.
func ipTool(t *testing.T, args ...string) {
	t.Helper()
	path, err := exec.LookPath("ip")
	if err != nil {
		t.Skip("the tool ip is not installed")
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Skipf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}
