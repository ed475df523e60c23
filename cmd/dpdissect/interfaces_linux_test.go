package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// TestInterfacesWithoutRight lists the interfaces as a user who may not capture.
func TestInterfacesWithoutRight(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	program, dir := programForAll(t, "dpdissect")
	for _, c := range []struct{ args, want, not string }{
		{"interfaces", "\nlo ", " yes "},
		{"interfaces --format json", `"may_capture": false`, `"may_capture": true`},
	} {
		cmd := exec.Command(program, strings.Fields(c.args)...)
		cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		var errs strings.Builder
		cmd.Stderr = &errs
		out, _ := cmd.Output()
		if cmd.ProcessState.ExitCode() != exit.Usage || !strings.Contains(string(out), c.want) || strings.Contains(string(out), c.not) {
			t.Errorf("%s: %v\n%s", c.args, cmd.ProcessState, out)
		}
		const hint = "dpdissect: this user may not capture: CAP_NET_RAW is missing; grant it with 'sudo setcap cap_net_raw+ep "
		if got, want := errs.String(), hint+program+"' or run as root\n"; got != want {
			t.Errorf("%s: it says %q, want %q", c.args, got, want)
		}
	}
}

// TestInterfacesAreEscaped gives an interface a name and a description that would
// drive a terminal.
func TestInterfacesAreEscaped(t *testing.T) {
	runtime.LockOSThread() // for good: the thread ends with the test
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skipf("no network namespace can be made (%v): it takes root", err)
	}
	const name, alias = "a\x1b[31m\u009b", "b\x1b]0;c\a\n\u202e"
	out, err := exec.Command("ip", "link", "add", name, "type", "veth", "peer", "name", "peer").CombinedOutput()
	if err == nil {
		out, err = exec.Command("ip", "link", "set", name, "alias", alias).CombinedOutput()
	}
	if err != nil {
		t.Skipf("no interface can be made: %v: %s", err, out)
	}
	list, err := capture.Devices()
	if err != nil {
		t.Fatal(err)
	}
	rows := interfaceRows(list, true)
	text, doc := string(interfacesText(rows, 0)), indented(rows)
	if !strings.Contains(text, `a\x1b[31m\u009b  `) || !strings.Contains(text, `b\x1b]0;c\x07\n\u202e`) {
		t.Errorf("the name or the description is not there:\n%s", text)
	}
	for _, s := range []string{text, string(doc)} {
		if i := strings.IndexAny(s, "\x1b\a\u009b\u202e"); i >= 0 {
			t.Errorf("%q reaches the terminal", s[i:i+4])
		}
	}
	var back []struct{ Name, Description string }
	if err := json.Unmarshal(doc, &back); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, r := range back {
		found = found || r.Name == name && r.Description == alias
	}
	if !found {
		t.Errorf("in JSON the name is another: %q", back)
	}
}

// programForAll puts the program where all users can start it, under a name.
func programForAll(t *testing.T, name string) (program, dir string) {
	t.Helper()
	return programtest.ForAll(t, built(t), name)
}

// TestNearDevice: a name that no interface has brings the one that is near to it.
func TestNearDevice(t *testing.T) {
	if _, err := net.InterfaceByName("lo"); err != nil {
		t.Skip("there is no lo")
	}
	if _, stderr, code := call(t, "analyze", "-i", "l0"); code != exit.Usage || !strings.Contains(stderr, `there is no network interface "l0"`) || !strings.Contains(stderr, "(did you mean lo?)") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
