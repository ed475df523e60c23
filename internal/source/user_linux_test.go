package source

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// userEnv makes TestDropPrivileges become that user and say who its threads are.
const userEnv = "DPDISSECT_TEST_USER"

// locked is what threads say that can get no rights any more. Programs linked with C
// can't say so for all threads.
const locked = ", NoNewPrivs 1"

// TestDropPrivileges becomes other users in programs of their own and looks at
// all threads.
func TestDropPrivileges(t *testing.T) {
	if name := os.Getenv(userEnv); name != "" {
		sayWhoThreadsAre(name)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	const nobody = "Uid 65534 65534 65534 65534, Gid 65534 65534 65534 65534, Groups 65534" + locked
	for _, c := range []struct{ user, want string }{
		{"nobody", nobody},
		{"65534", nobody},
		{"nobody:daemon", "Uid 65534 65534 65534 65534, Gid 1 1 1 1, Groups 1" + locked},
		{"nobody:1", "Uid 65534 65534 65534 65534, Gid 1 1 1 1, Groups 1" + locked},
		{"54321:54322", "Uid 54321 54321 54321 54321, Gid 54322 54322 54322 54322, Groups 54322" + locked},
		{"54321", "error: 54321: no user has this number, so the group must be given as well: 54321:GROUP"},
		{"root", "error: root: that is root, who would keep all privileges"},
		{"0:1", "error: 0:1: that is root, who would keep all privileges"},
		{"nobody-at-all", "error: nobody-at-all: there is no user with this name"},
		{"nobody:no-group", "error: nobody:no-group: there is no group with this name"},
		{":daemon", "error: :daemon: there is no user with this name"},
		{"nobody:", "error: nobody:: there is no group with this name"},
		{"4294967295:1", "error: 4294967295:1: there is no user with this name"},
		{"-1:1", "error: -1:1: there is no user with this name"},
	} {
		t.Run(c.user, func(t *testing.T) {
			got := asUser(t, c.user, nil)
			if !slices.Equal(got, []string{c.want}) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestDropPrivilegesKept: what a caller makes the kernel keep is given up, too.
func TestDropPrivilegesKept(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	runtime.LockOSThread()       // for good: the thread is spoilt
	const keepCaps = 1<<4 | 1<<2 // SECBIT_KEEP_CAPS, SECBIT_NO_SETUID_FIXUP
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, keepCaps, 0, 0, 0); err != nil {
		t.Skip(err)
	}
	const want = "Uid 65534 65534 65534 65534, Gid 65534 65534 65534 65534, Groups 65534" + locked
	got := asUser(t, "nobody", nil)
	if linkedWithC() {
		if !strings.HasPrefix(got[0], "error: nobody: capabilities can't be cleared: Cap") {
			t.Errorf("%q", got)
		}
	} else if !slices.Equal(got, []string{want}) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDropPrivilegesWantsRoot: someone else than root is told so.
func TestDropPrivilegesWantsRoot(t *testing.T) {
	if os.Geteuid() == 0 {
		got := asUser(t, "daemon", &syscall.Credential{Uid: 65534, Gid: 65534})
		if want := "error: only root can become another user"; !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %q", got, want)
		}
	} else if err := dropPrivileges("daemon:1"); err == nil || !strings.Contains(err.Error(), "only root") {
		t.Errorf("the error is %v", err)
	}
}

// asUser starts this program again, as someone if that is not nil, to become a
// user. It gives the different lines that the threads say.
func asUser(t *testing.T, name string, as *syscall.Credential) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, dir := programtest.ForAll(t, self, "user.test")
	cmd := exec.Command(program, "-test.run=^TestDropPrivileges$")
	cmd.Env = append(os.Environ(), userEnv+"="+name, "TMPDIR="+dir)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 5 && !strings.HasPrefix(lines[0], "error") {
		t.Errorf("only %d threads were looked at", len(lines))
	}
	if linkedWithC() {
		// Threads that were there before can't be told to forgo what they might get.
		for i := range lines {
			head, rest, ok := strings.Cut(lines[i], "Groups ")
			if group, _, _ := strings.Cut(rest, ","); ok {
				lines[i] = head + "Groups " + group + locked
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// linkedWithC reports whether calls can't be made on all threads.
func linkedWithC() bool {
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_GETPID, 0, 0, 0)
	return errno == syscall.ENOTSUP
}

// TestLockedForGood: what is given away by --user is given away for programs that are
// started, too, and nothing can be had that was never granted.
func TestLockedForGood(t *testing.T) {
	if linkedWithC() {
		t.Skip("linked with C: threads that are there before stay as they are")
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	for _, line := range asUser(t, "nobody", nil) {
		if strings.Contains(line, "CapBnd") || !strings.HasSuffix(line, "NoNewPrivs 1") {
			t.Errorf("a thread says %s", line)
		}
	}
}

// sayWhoThreadsAre becomes a user, says who each thread is and what capabilities
// it has, if any, and ends.
func sayWhoThreadsAre(name string) {
	var started sync.WaitGroup
	for range 6 { // threads that are there before
		started.Add(1)
		go func() {
			runtime.LockOSThread()
			started.Done()
			select {}
		}()
	}
	started.Wait()
	if err := dropPrivileges(name); err != nil {
		fmt.Println("error:", err)
		os.Exit(0)
	}
	threads, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(threads) == 0 {
		fmt.Println("no threads", err)
	}
	for _, path := range threads {
		status, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(whoIs(string(status)))
	}
	os.Exit(0)
}

func whoIs(status string) string {
	var said []string
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.Join(strings.Fields(value), " ")
		switch {
		case name == "Uid" || name == "Gid" || name == "Groups" || name == "NoNewPrivs":
			said = append(said, name+" "+value)
		case strings.HasPrefix(name, "Cap") && strings.Trim(value, "0") != "":
			said = append(said, name+" "+value)
		}
	}
	return strings.Join(said, ", ")
}
