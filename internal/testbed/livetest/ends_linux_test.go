package livetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// hum sends datagrams on loopback until the test is over.
func hum(t *testing.T, n *netns.Namespace, perSecond, size int) {
	t.Helper()
	sink, err := n.Listen(netip.AddrPortFrom(local, 0))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan bool)
	go func() {
		defer close(done)
		_, _ = wire.Flood(ctx, wire.FloodConfig{From: netip.AddrPortFrom(local, floodPort), To: netip.MustParseAddrPort(sink.LocalAddr().String()),
			Packets: 1 << 30, PerSecond: perSecond, Size: size, Dial: n.Dial})
	}()
	t.Cleanup(func() { cancel(); <-done; sink.Close() })
}

// ip runs a command of iproute2 in a namespace.
func ip(t *testing.T, n *netns.Namespace, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", append([]string{"-n", n.Name}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("ip %v: %v: %s", args, err, out)
	}
}

// TestInterfaceLost takes the interface away: what came before is in the file, and
// the exit code tells.
func TestInterfaceLost(t *testing.T) {
	for _, c := range []struct {
		name string
		how  []string
		says string
	}{
		{"down", []string{"link", "set", "veth0", "down"}, "veth0: the interface went down"},
		{"gone", []string{"link", "delete", "veth0"}, "veth0: the interface vanished"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pair := place(t)
			path := filepath.Join(t.TempDir(), "run.pcapng")
			const only = "udp port 45454"
			jobs := startAll(t, pair[0],
				[]string{"capture", "-i", "veth0", "-f", only, "-w", path},
				[]string{"analyze", "-i", "veth0", "-f", only, "--format", "json"},
				[]string{"decode", "-i", "veth0", "-f", only})
			trickle(t, pair[0], pair[1], pair[0].Addr, pair[1].Addr, 500, 5000, 60)
			ip(t, pair[0], c.how...)
			for _, j := range jobs {
				j.ends(3)
				j.says("dpdissect: "+c.says, "veth0: 500 packets captured, 0 dropped by the kernel\n")
			}
			checkRun(t, path, readFile(t, path).numbers, 0, 500)
			if d := readDocument(t, jobs[1].stdout.String()); d.Totals.Datagrams != 500 {
				t.Errorf("analyze: %d datagrams, want 500", d.Totals.Datagrams)
			}
			if n := strings.Count(jobs[2].stdout.String(), "\n"); n != 500 {
				t.Errorf("decode: %d lines, want 500", n)
			}
		})
	}
}

// TestFullDisk writes to a disk that is too small.
func TestFullDisk(t *testing.T) {
	for _, name := range []string{"run.pcapng", "run.pcap", "run.pcapng.zst"} {
		t.Run(name, func(t *testing.T) {
			pair := place(t)
			dir := t.TempDir()
			if err := syscall.Mount("none", dir, "tmpfs", 0, "size=256k"); err != nil {
				t.Skipf("no small disk here: %v", err)
			}
			t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
			path := filepath.Join(dir, name)
			j := start(t, pair[0], "capture", "-i", "lo", "-w", path)
			hum(t, pair[0], 10000, 500)
			j.ends(2)
			c := readFile(t, path)
			j.says("dpdissect: -w: ", path, "no space left on device", packetsWritten(len(c.numbers)))
			if len(c.numbers) < 400 {
				t.Errorf("%d packets in 256 KiB", len(c.numbers))
			}
			checkRun(t, path, c.numbers, int(c.numbers[0]), len(c.numbers))
		})
	}
}

// TestSignals ends captures by signals.
func TestSignals(t *testing.T) {
	pair := place(t)
	hum(t, pair[0], 300, 60)
	dir := t.TempDir()
	jobs := startAll(t, pair[0],
		[]string{"capture", "-i", "lo", "-w", filepath.Join(dir, "term.pcapng")},
		[]string{"capture", "-i", "lo", "-w", filepath.Join(dir, "int.pcapng")},
		[]string{"analyze", "-i", "lo", "--format", "ndjson", "--interval", "0.3"},
		[]string{"check", "-i", "lo", "-q"},
		[]string{"messages", "-i", "lo"})
	time.Sleep(700 * time.Millisecond)
	for i, j := range jobs {
		s := syscall.SIGTERM
		if i == 1 {
			s = syscall.SIGINT
		}
		j.signal(s)
	}
	for i, j := range jobs {
		j.ends(0)
		j.says("lo: ", " packets captured, 0 dropped by the kernel\n")
		if i < 2 {
			c := readFile(t, filepath.Join(dir, []string{"term.pcapng", "int.pcapng"}[i]))
			j.says(packetsWritten(len(c.numbers) + c.others))
			if len(c.numbers) < 50 {
				t.Errorf("%d packets in 700 ms", len(c.numbers))
			}
		}
	}
	if n := strings.Count(jobs[2].stdout.String(), "\n"); n < 2 {
		t.Errorf("analyze: %d records in 700 ms at intervals of 300 ms, and one at the end", n)
	}
}

// TestAutostop lets commands end by themselves.
func TestAutostop(t *testing.T) {
	pair := place(t)
	hum(t, pair[0], 200, 60)
	jobs := startAll(t, pair[0],
		[]string{"decode", "-i", "lo", "-a", "packets:7"},
		[]string{"decode", "-i", "lo", "-c", "9"},
		[]string{"check", "-i", "lo", "-a", "duration:0.5"},
		[]string{"analyze", "-i", "lo", "-a", "filesize:4", "--format", "json"})
	for i, j := range jobs {
		out := j.ends(0)
		switch i {
		case 0, 1:
			want := 7 + 2*i
			j.says(fmt.Sprintf("lo: %d packets captured, 0 dropped", want))
			if n := strings.Count(out, "\n"); n != want {
				t.Errorf("%s: %d lines, want %d", j.name, n, want)
			}
		case 2:
			if !strings.Contains(out, "pass") {
				t.Errorf("%s: no verdict in %q", j.name, out)
			}
		case 3: // 4 KiB of packets of 102 bytes
			if d := readDocument(t, out); d.Totals.Packets != 41 {
				t.Errorf("%s: %d packets, want 41", j.name, d.Totals.Packets)
			}
		}
	}
}

// TestTwice presses Ctrl-C a second time where the first one has to wait: somebody
// does not read the pipe that is written to.
func TestTwice(t *testing.T) {
	pair := place(t)
	hum(t, pair[0], 5000, 400)
	j := prepare(t, "capture", "-i", "lo", "-w", "-")
	j.pipe()
	j.in(pair[0]).capturing()
	time.Sleep(500 * time.Millisecond) // the pipe is full
	j.signal(syscall.SIGINT)
	time.Sleep(100 * time.Millisecond)
	select {
	case <-j.ended:
		t.Fatal("it ended though nobody took what it wrote")
	default:
	}
	j.signal(syscall.SIGINT)
	select {
	case <-j.ended:
	case <-time.After(timeout):
		t.Fatal("the second Ctrl-C does not end it")
	}
	if s := j.cmd.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGINT {
		t.Errorf("ended by %v, want the signal", s)
	}
}

// TestClosedOutput reads one line and closes the pipe.
func TestClosedOutput(t *testing.T) {
	pair := place(t)
	hum(t, pair[0], 500, 60)
	for _, args := range [][]string{{"decode", "-i", "lo"}, {"analyze", "-i", "lo", "--format", "ndjson", "--interval", "0.1"}, {"capture", "-i", "lo", "-w", "-"}} {
		j := prepare(t, args...)
		out := j.pipe()
		j.in(pair[0]).capturing()
		j.cmd.Stdout.(*os.File).Close()
		bufio.NewReaderSize(out, 16).ReadByte()
		out.Close()
		j.ends(0)
		_, s, _ := strings.Cut(j.stderr.String(), "capturing on lo\n")
		if strings.Contains(s, "dpdissect:") || strings.Contains(s, "pipe") {
			t.Errorf("%s: %q", j.name, s)
		}
	}
}

// TestRefused gives command lines that can't work.
func TestRefused(t *testing.T) {
	pair := place(t)
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.ddd")
	if err := os.WriteFile(bad, []byte("1\n6 0 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"capture", "-i", "lo", "-w", filepath.Join(dir, "no/such/x.pcapng")}, []string{"-w: ", "no/such"}},
		{[]string{"capture", "-i", "lo", "-w", dir}, []string{"-w: ", dir}},
		{[]string{"capture", "-i", "lo"}, []string{"no file: give -w FILE"}},
		{[]string{"capture", "-w", "x"}, []string{"no interface: give -i IFACE"}},
		{[]string{"capture", "-i", "nope0", "-w", filepath.Join(dir, "x")}, []string{`there is no network interface "nope0"`, "dpdissect interfaces"}},
		{[]string{"analyze", "-i", "nope0"}, []string{`there is no network interface "nope0"`}},
		{[]string{"decode", "-i", "lo", "-i", "lo"}, []string{"lo is given twice"}},
		{[]string{"decode", "-i", "lo", "-f", "udp and prot 12"}, []string{"-f: ", "udp and prot 12\n", "\n" + strings.Repeat(" ", 2+8) + "^"}},
		{[]string{"decode", "-i", "lo", "-f", "udp", "--bpf", bad}, []string{"give one"}},
		{[]string{"decode", "-i", "lo", "--bpf", bad}, []string{"--bpf: ", "bad.ddd"}},
		{[]string{"decode", "-i", "lo", "-a", "duration:soon"}, []string{"-a duration:soon: want seconds"}},
		{[]string{"decode", "-i", "lo", "-a", "packets:0"}, []string{"-a packets:0: want a number from 1"}},
		{[]string{"decode", "-i", "lo", "-a", "moon:1"}, []string{"-a moon:1: want duration:SECONDS, packets:N or filesize:KIB"}},
		{[]string{"decode", "-i", "lo", "file.pcap"}, []string{`-i captures live, but "file.pcap" is a file`}},
		{[]string{"decode", "-a", "packets:1", "file.pcap"}, []string{"--autostop works only with inputs that arrive over time"}},
		{[]string{"capture", "-i", "lo", "-w", filepath.Join(dir, "x"), "-b", "files:0"}, []string{"-b files:0"}},
		{[]string{"capture", "-i", "lo", "-w", filepath.Join(dir, "x"), "--on", "loss >"}, []string{"--on: "}},
		{[]string{"capture", "-i", "lo", "-w", filepath.Join(dir, "x"), "-Y", "dp8.nothing"}, []string{"-Y: "}},
		{[]string{"decode", "-i", "lo", "--user", "nobodyatall"}, []string{"--user: ", "nobodyatall"}},
	} {
		j := prepare(t, c.args...).in(pair[0])
		j.ends(2)
		j.says(c.says...)
		if s := j.stdout.String(); s != "" {
			t.Errorf("%s: stdout has %q", j.name, s)
		}
	}
	ip(t, pair[0], "link", "set", "veth0", "down")
	j := prepare(t, "decode", "-i", "veth0").in(pair[0])
	j.ends(2)
	j.says("veth0 is down", "ip link set veth0 up")
	if left := glob(t, filepath.Join(dir, "x*")); len(left) > 0 {
		t.Errorf("what was refused left %v", left)
	}
}

// nobody is who has no rights.
func nobody(t *testing.T) (uid, gid uint32) {
	t.Helper()
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("there is no user nobody")
	}
	fmt.Sscan(u.Uid, &uid)
	fmt.Sscan(u.Gid, &gid)
	return uid, gid
}

// TestNoRight captures as a user who may not.
func TestNoRight(t *testing.T) {
	pair := place(t)
	uid, gid := nobody(t)
	for _, args := range [][]string{{"decode", "-i", "lo"}, {"analyze", "-i", "any"}, {"capture", "-i", "lo", "-w", "/dev/null"}, {"check", "-i", "lo"}} {
		j := prepare(t, args...)
		j.cmd.Dir = "/"
		j.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
		j.in(pair[0]).ends(2)
		j.says("setcap cap_net_raw+ep")
	}
}

// TestRight gives the program itself the right that the message names.
func TestRight(t *testing.T) {
	need(t, "setcap")
	pair := place(t)
	uid, gid := nobody(t)
	dir, err := os.MkdirTemp("", "livetest")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	able := filepath.Join(dir, "dpdissect")
	if err := errors.Join(os.Chmod(dir, 0o755), programtest.Copy(program, able)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("setcap", "cap_net_raw+ep", able).CombinedOutput(); err != nil {
		t.Skipf("setcap: %v: %s", err, out)
	}
	hum(t, pair[0], 200, 60)
	for _, device := range []string{"lo", "any", "veth0"} {
		j := prepare(t, "decode", "-i", device, "-a", "duration:0.3")
		j.cmd.Path, j.cmd.Dir = able, "/"
		j.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
		if n := strings.Count(j.in(pair[0]).ends(0), "\n"); n == 0 && device != "veth0" {
			t.Errorf("%s: no line", j.name)
		}
	}
}

// TestUser becomes another user: the process has no rights left, and files are his.
func TestUser(t *testing.T) {
	pair := place(t)
	uid, gid := nobody(t)
	dir, err := os.MkdirTemp("/tmp", "livetest") // others may not enter the test's own
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "run.pcapng")
	jobs := startAll(t, pair[0],
		[]string{"capture", "-i", "lo", "-i", "veth0", "-w", path, "--user", "nobody", "-b", "packets:200"},
		[]string{"analyze", "-i", "any", "--format", "json", "--user", "nobody"})
	for _, j := range jobs {
		powerless(t, j, uid, gid)
	}
	trickle(t, pair[0], pair[0], local, local, 500, 1000, 40)
	stopAll(jobs...)
	files := glob(t, filepath.Join(dir, "run_*.pcapng"))
	checkRun(t, "the files", readFiles(t, files), 0, 500)
	for _, f := range files {
		st, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if o := st.Sys().(*syscall.Stat_t); o.Uid != uid || o.Gid != gid {
			t.Errorf("%s belongs to %d:%d, want %d:%d", f, o.Uid, o.Gid, uid, gid)
		}
	}
	j := prepare(t, "capture", "-i", "lo", "-w", filepath.Join(t.TempDir(), "x.pcapng"), "--user", "nobody").in(pair[0])
	j.ends(2)
	j.says("permission denied")
}

// powerless looks whether every thread of the job is of a user without capabilities.
func powerless(t *testing.T, j *job, uid, gid uint32) {
	t.Helper()
	for _, status := range glob(t, fmt.Sprintf("/proc/%d/task/*/status", j.cmd.Process.Pid)) {
		text, err := os.ReadFile(status)
		if err != nil {
			continue // the thread has ended
		}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			value = strings.TrimSpace(value)
			want := value
			switch name {
			case "Uid":
				want = strings.Join([]string{fmt.Sprint(uid), fmt.Sprint(uid), fmt.Sprint(uid), fmt.Sprint(uid)}, "\t")
			case "Gid":
				want = strings.Join([]string{fmt.Sprint(gid), fmt.Sprint(gid), fmt.Sprint(gid), fmt.Sprint(gid)}, "\t")
			case "CapEff", "CapPrm", "CapInh", "CapAmb":
				want = "0000000000000000"
			}
			if value != want {
				t.Errorf("%s: %s of a thread is %s, want %s", j.name, name, value, want)
			}
		}
	}
}
