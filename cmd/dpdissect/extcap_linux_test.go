package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
)

// TestExtcapInterfaces: one line tells of the program, then one of each interface that
// `interfaces` lists, and one of files; it takes less than a tenth of a second.
func TestExtcapInterfaces(t *testing.T) {
	out, errs, code := call(t, "--extcap-interfaces", "--extcap-version=4.0")
	if code != exit.OK || errs != "" {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if ok, _ := regexp.MatchString(`^extcap \{version=[^}]+\}\{display=dpdissect\}\{help=https://[^}]+\}$`, lines[0]); !ok {
		t.Errorf("it begins with %q", lines[0])
	}
	devices, err := capture.Devices()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != len(devices)+2 {
		t.Errorf("%d interfaces, and these lines:\n%s", len(devices), out)
	}
	for _, d := range devices {
		if want := fmt.Sprintf("interface {value=dpdissect-%s}{display=DirectPlay, kNet and Hazel on %[1]s}", d.Name); plainDevice.MatchString(d.Name) && !slices.Contains(lines, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	if last := lines[len(lines)-1]; last != "interface {value=dpdissect-file}{display=DirectPlay, kNet and Hazel in a file}" {
		t.Errorf("it ends with %q", last)
	}
	program, _ := programForAll(t, "wireshark-calls-it-so")
	cmd := exec.Command(program, "--extcap-interfaces")
	if again, err := cmd.Output(); err != nil || string(again) != out {
		t.Errorf("as a program: %v\n%s", err, again)
	}
	if took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); took > 100*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}

// TestExtcapNames: a device whose name has characters that files and preferences have no place
// for goes by a number, and is shown by its description.
func TestExtcapNames(t *testing.T) {
	all := extcapInterfaces([]capture.DeviceInfo{
		{Name: `\Device\NPF_{1}`, Description: "Wi-Fi (Intel(R) AX200)"}, {Name: "file"}, {Name: "2", Description: "two/3"}, {Name: "br-lan7"},
	})
	var got []string
	plain := regexp.MustCompile(`^[A-Za-z0-9 ,-]+$`)
	for _, in := range all {
		got = append(got, in.value)
		if !plain.MatchString(in.display) || !plain.MatchString(in.value) {
			t.Errorf("%q is shown as %q", in.value, in.display)
		}
	}
	if want := []string{"dpdissect-0", "dpdissect-1", "dpdissect-2", "dpdissect-br-lan7", "dpdissect-file"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if want := "DirectPlay, kNet and Hazel on Wi-Fi -Intel-R- AX200-"; all[0].display != want {
		t.Errorf("%q, want %q", all[0].display, want)
	}
}

// TestExtcapQuestions: each question has its answer and nothing else.
func TestExtcapQuestions(t *testing.T) {
	const args = `arg {number=0}{call=--display-filter}{display=Only packets that match}{tooltip=a display filter of dpdissect, such as retry or gap}{type=string}
arg {number=1}{call=--decode-as}{display=Decode as}{tooltip=the protocol of ports, such as udp.port==2302,dp8}{type=string}
arg {number=2}{call=--secrets}{display=Signing secrets}{tooltip=a file with signing secrets of DirectPlay 8}{type=fileselect}{mustexist=true}
arg {number=3}{call=--protocols}{display=Only these protocols}{tooltip=names with commas between them, such as dp8,dp4}{type=string}
`
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"--extcap-dlts --extcap-interface dpdissect-lo", "dlt {number=1}{name=EN10MB}{display=Ethernet}\n", "", 0},
		{"--extcap-dlts --extcap-interface dpdissect-any", "dlt {number=276}{name=LINUX_SLL2}{display=Linux cooked v2}\n", "", 0},
		{"--extcap-dlts --extcap-interface dpdissect-file", "dlt {number=1}{name=EN10MB}{display=Ethernet}\n", "", 0},
		{"--extcap-config --extcap-interface=dpdissect-lo", args, "", 0},
		{"--extcap-config --extcap-interface dpdissect-file", args +
			"arg {number=4}{call=--read-file}{display=Capture file}{tooltip=the capture to read}{type=fileselect}{mustexist=true}{required=true}\n" +
			"arg {number=5}{call=--pace}{display=As captured}{tooltip=packets come as their times say}{type=boolflag}{default=false}\n", "", 0},
		{"--extcap-interface dpdissect-lo --extcap-capture-filter udp", "", "", 0},
		{"--extcap-interface dpdissect-file --extcap-capture-filter udp", "", "", 0},
		{"--extcap-interface dpdissect-lo --extcap-capture-filter udq", "unknown word udq (names are not looked up)\n", "", 2},
		{"--extcap-interface dpdissect-any --extcap-capture-filter=wlan", "wlan is not supported\n", "", 2},
		{"--extcap-dlts --extcap-interface dpdissect-l0", "", "dpdissect: --extcap-interface dpdissect-l0: no such interface; --extcap-interfaces lists them\n", 2},
		{"--extcap-config --extcap-interface l0", "", "dpdissect: --extcap-interface l0: no such interface; --extcap-interfaces lists them\n", 2},
		{"--extcap-interface l0 --extcap-capture-filter udp", "", "dpdissect: --extcap-interface l0: no such interface; --extcap-interfaces lists them\n", 2},
		{"--extcap-interface dpdissect-lo", "", "dpdissect: nothing is asked: want --extcap-interfaces, --extcap-dlts, --extcap-config or --capture\n", 2},
		{"--extcap-nothing", "", "dpdissect: unknown flag: --extcap-nothing\n", 2},
		{"--capture --extcap-interface dpdissect-lo", "", "dpdissect: --capture: --fifo is missing\n", 2},
		{"decode --extcap-interfaces", "", "dpdissect: unknown flag: --extcap-interfaces\nRun 'dpdissect decode --help'\n", 2},
	} {
		out, errs, code := call(t, strings.Fields(c.args)...)
		if out != c.stdout || errs != c.stderr || code != c.code {
			t.Errorf("%s: exit code %d\n%s%s", c.args, code, out, errs)
		}
	}
}

// TestExtcapOpensNoDevice: the questions are answered to who may not capture.
func TestExtcapOpensNoDevice(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	program, dir := programForAll(t, "dpdissect")
	for _, args := range []string{"--extcap-interfaces", "--extcap-dlts --extcap-interface dpdissect-lo", "--extcap-config --extcap-interface dpdissect-lo"} {
		cmd := exec.Command(program, strings.Fields(args)...)
		cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		want, _, _ := call(t, strings.Fields(args)...)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%s: %v\n%s", args, err, out)
		}
	}
}

// An extcapRun is the program capturing into a fifo that the test reads.
type extcapRun struct {
	cmd  *exec.Cmd
	fifo *os.File
	path string
	errs bytes.Buffer
	done chan error
}

// beginExtcap starts the program as Wireshark does. What who set says is changed first.
func beginExtcap(t *testing.T, change func(*exec.Cmd), args ...string) *extcapRun {
	t.Helper()
	program, dir := programForAll(t, "dpdissect")
	r := &extcapRun{path: filepath.Join(dir, "fifo"), done: make(chan error, 1)}
	if err := syscall.Mkfifo(r.path, 0o666); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(r.path, 0o666); err != nil {
		t.Fatal(err)
	}
	r.cmd = exec.Command(program, append([]string{"--capture", "--fifo", r.path, "--extcap-interface"}, args...)...)
	r.cmd.Dir, r.cmd.Stderr = dir, &r.errs
	if change != nil {
		change(r.cmd)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.cmd.Process.Kill() })
	go func() { r.done <- r.cmd.Wait() }()
	return r
}

// open opens the fifo as Wireshark does.
func (r *extcapRun) open(t *testing.T) {
	t.Helper()
	var err error
	if r.fifo, err = os.Open(r.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.fifo.Close() })
}

// read reads until there are so many bytes.
func (r *extcapRun) read(t *testing.T, least int) []byte {
	t.Helper()
	b := make([]byte, 64<<10)
	must(r.fifo.SetReadDeadline(time.Now().Add(2 * time.Minute)))
	for n := 0; ; {
		got, err := r.fifo.Read(b[n:])
		if n += got; n >= least {
			return b[:n]
		}
		if err != nil {
			t.Fatalf("%d bytes, then %v; stderr %q", n, err, r.errs.String())
		}
	}
}

// end waits for the end, which comes within 2 seconds, and gives the exit code. How much later
// it may come on a busy machine is known by how long a short run takes there.
func (r *extcapRun) end(t *testing.T) int {
	t.Helper()
	select {
	case <-r.done:
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(2 * time.Second):
	}
	short := shortRun(r.cmd.Path, "--extcap-interfaces")
	select {
	case <-r.done:
	case <-time.After(50 * short):
		t.Errorf("it goes on after 2 s, and 50 times the %v of a short run", short)
		r.cmd.Process.Kill()
		<-r.done
	}
	return r.cmd.ProcessState.ExitCode()
}

// opening waits until the program waits for somebody to open the fifo.
func (r *extcapRun) opening(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/wchan", r.cmd.Process.Pid))
		for _, file := range threads {
			if waits, _ := os.ReadFile(file); string(waits) == "wait_for_partner" {
				return
			}
		}
	}
	t.Skip("the kernel does not tell that a thread waits for a fifo")
}

func needsRight(t *testing.T) {
	t.Helper()
	if err := capture.MayCapture(); err != nil {
		t.Skip(err)
	}
}

// TestExtcapStops: SIGTERM, SIGINT and the closed fifo end a run of which nothing comes, one
// that waits for the fifo to be opened, and one whose reader reads no more, with exit code 0 and
// an empty stderr, within 2 seconds. The header is there at once.
func TestExtcapStops(t *testing.T) {
	needsRight(t)
	quiet := []string{"dpdissect-lo", "--extcap-capture-filter", "udp port 9 and ip6 host fd00::1:2:3"}
	paced := []string{"dpdissect-file", "--read-file", absolute(t, capturePath(t, "unsigned-lossy.pcap")), "--pace"}
	big := filepath.Join(t.TempDir(), "big.pcap")
	if err := os.WriteFile(big, repeated(t, capturePath(t, "unsigned-lossy.pcap"), 200), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		stop func(*extcapRun) error
	}{
		{"SIGTERM on a quiet interface", quiet, signalled(syscall.SIGTERM)},
		{"SIGINT on a quiet interface", quiet, signalled(syscall.SIGINT)},
		{"closed on a quiet interface", quiet, func(r *extcapRun) error { return r.fifo.Close() }},
		{"SIGTERM of a file at its pace", paced, signalled(syscall.SIGTERM)},
		{"closed of a file at its pace", paced, func(r *extcapRun) error { return r.fifo.Close() }},
		{"SIGTERM of a file that is not read", []string{"dpdissect-file", "--read-file", big}, signalled(syscall.SIGTERM)},
		{"closed of a file that is not read", []string{"dpdissect-file", "--read-file", big}, func(r *extcapRun) error { return r.fifo.Close() }},
	} {
		r := beginExtcap(t, nil, c.args...)
		r.open(t)
		if b := r.read(t, 28+20); b[0] != 0x0a {
			t.Errorf("%s: it begins with %x", c.name, b[:4])
		}
		if err := c.stop(r); err != nil {
			t.Fatal(err)
		}
		if code := r.end(t); code != exit.OK || r.errs.Len() > 0 {
			t.Errorf("%s: exit code %d, stderr %q", c.name, code, r.errs.String())
		}
	}
	r := beginExtcap(t, nil, quiet...)
	r.opening(t)
	if err := signalled(syscall.SIGTERM)(r); err != nil {
		t.Fatal(err)
	}
	if code := r.end(t); code != exit.OK || r.errs.Len() > 0 {
		t.Errorf("before the fifo is opened: exit code %d, stderr %q", code, r.errs.String())
	}
}

func signalled(s os.Signal) func(*extcapRun) error {
	return func(r *extcapRun) error { return r.cmd.Process.Signal(s) }
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// repeated is a pcap file with the packets of another several times.
func repeated(t *testing.T, path string, times int) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return append(b[:24:24], bytes.Repeat(b[24:], times)...)
}

// TestExtcapStopWritesWhatIsHeld: of a file at its pace all packets that came are written when
// the run is ended, though later ones might have told more of them.
func TestExtcapStopWritesWhatIsHeld(t *testing.T) {
	r := beginExtcap(t, nil, "dpdissect-file", "--read-file", absolute(t, capturePath(t, "unsigned-lossy.pcap")), "--pace")
	r.open(t)
	b := r.read(t, 48)
	time.Sleep(100 * time.Millisecond) // packets of this time are held
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	b = append(b, readAll(t, r.fifo)...)
	if code := r.end(t); code != exit.OK || r.errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, r.errs.String())
	}
	all := packets(t, capturePath(t, "unsigned-lossy.pcap"))
	got := ngtest.Packets(blocksOf(t, b))
	if len(got) < 3 || len(got) >= len(all) {
		t.Fatalf("%d packets of %d", len(got), len(all))
	}
	for i := range got {
		if !bytes.Equal(got[i].Data, all[i].Data) || len(got[i].Comments()) == 0 {
			t.Fatalf("packet %d: %x, comments %q", i+1, got[i].Data, got[i].Comments())
		}
	}
}

func readAll(t *testing.T, f *os.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.ReadFrom(f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestExtcapFailures: what fails before the first block opens the fifo and writes no byte to it;
// one line tells what, with exit code 2.
func TestExtcapFailures(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no capture\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	nobody := func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	for _, c := range []struct {
		args, want string
		change     func(*exec.Cmd)
	}{
		{"dpdissect-l0", `--extcap-interface dpdissect-l0: no such interface; --extcap-interfaces lists them`, nil},
		{"dpdissect-lo --extcap-capture-filter udq", `-f: unknown word udq \(names are not looked up\)`, nil},
		{"dpdissect-lo --display-filter retry=", `-Y: .*`, nil},
		{"dpdissect-lo --decode-as 2302", `--decode-as "2302": want udp.port==PORTS,PROTOCOL such as udp.port==2302,dp8`, nil},
		{"dpdissect-lo --protocols dp9", `--protocols: unknown protocol "dp9": want .*`, nil},
		{"dpdissect-lo --secrets " + dir + "/nothing", `--secrets: open .*: no such file or directory`, nil},
		{"dpdissect-lo --secrets " + text, `.*text:1: .*`, nil},
		{"dpdissect-lo --nothing", `unknown flag: --nothing`, nil},
		{"dpdissect-lo", `lo: this user may not capture.*|this user may not capture on lo: .*`, nobody},
		{"dpdissect-file", `"Capture file" is empty: choose a file \(--read-file\)`, nil},
		{"dpdissect-file --read-file " + dir + "/nothing", `stat .*/nothing: no such file or directory`, nil},
		{"dpdissect-file --read-file " + dir, `.*: is no file`, nil},
		{"dpdissect-file --read-file " + text, `.*/text: .*not a capture.*`, nil},
	} {
		if c.change != nil && os.Geteuid() != 0 {
			continue
		}
		if c.change == nil && strings.HasPrefix(c.args, "dpdissect-lo") && capture.MayCapture() != nil {
			continue
		}
		r := beginExtcap(t, c.change, strings.Fields(c.args)...)
		r.open(t)
		if b := readAll(t, r.fifo); len(b) > 0 {
			t.Errorf("%s: %d bytes", c.args, len(b))
		}
		code := r.end(t)
		if ok, _ := regexp.MatchString(`^dpdissect: (`+c.want+`)\n$`, r.errs.String()); code != exit.Usage || !ok {
			t.Errorf("%s: exit code %d, stderr %q", c.args, code, r.errs.String())
		}
	}
}

// TestExtcapDamagedFile: what came before the damage stands, one line tells of it, the exit code is 3.
func TestExtcapDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.pcap")
	whole, err := os.ReadFile(capturePath(t, "unsigned-lossy.pcap"))
	if err == nil {
		err = os.WriteFile(path, whole[:len(whole)/2], 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := beginExtcap(t, nil, "dpdissect-file", "--read-file", path)
	r.open(t)
	got := ngtest.Packets(blocksOf(t, readAll(t, r.fifo)))
	code := r.end(t)
	if ok, _ := regexp.MatchString(`^dpdissect: .*cut.pcap: cut short at offset \d+[^\n]*\n$`, r.errs.String()); code != exit.Input || !ok || len(got) < 100 {
		t.Errorf("%d packets, exit code %d, stderr %q", len(got), code, r.errs.String())
	}
}

// TestExtcapInterfaceGone: an interface that vanishes ends the run with one line and exit code 3.
func TestExtcapInterfaceGone(t *testing.T) {
	ownLoopback(t)
	if out, err := exec.Command("ip", "link", "add", "gone7", "up", "type", "veth", "peer", "name", "peer7").CombinedOutput(); err != nil {
		t.Skipf("no interface can be made: %v: %s", err, out)
	}
	r := beginExtcap(t, nil, "dpdissect-gone7")
	r.open(t)
	b := r.read(t, 48)
	if out, err := exec.Command("ip", "link", "del", "gone7").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b = append(b, readAll(t, r.fifo)...)
	code := r.end(t)
	if code != exit.Input || r.errs.String() != "dpdissect: gone7: the interface vanished\n" && r.errs.String() != "dpdissect: gone7: the interface went down\n" {
		t.Errorf("exit code %d, stderr %q", code, r.errs.String())
	}
	blocksOf(t, b)
}

// ownLoopback gives the test, and what it starts, a loopback interface that nobody else uses.
func ownLoopback(t *testing.T) {
	t.Helper()
	needsRight(t)
	runtime.LockOSThread() // for good: the thread ends with the test
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skipf("no network namespace can be made (%v): it takes root", err)
	}
	if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		t.Skipf("lo can't be set up: %v: %s", err, out)
	}
}

// A sharkLive is tshark capturing through extcap.
type sharkLive struct {
	cmd  *exec.Cmd
	out  string // what it writes
	errs bytes.Buffer
}

// beginShark starts tshark with this program installed in a folder of its own.
func beginShark(t *testing.T, args ...string) *sharkLive {
	t.Helper()
	bin, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	program, home := programForAll(t, "dpdissect")
	for _, dir := range []string{"config/extcap", "temp"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(program, filepath.Join(home, "config", "extcap", "dpdissect")); err != nil {
		t.Fatal(err)
	}
	s := &sharkLive{out: filepath.Join(home, "out.pcapng")}
	s.cmd = exec.Command(bin, append([]string{"-n", "-w", s.out, "-i"}, args...)...)
	s.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/xdg", "TMPDIR="+home+"/temp", "WIRESHARK_CONFIG_DIR="+home+"/config", "WIRESHARK_EXTCAP_DIR="+home+"/config/extcap")
	s.cmd.Stderr = &s.errs
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) })
	return s
}

// end waits until it ends by itself, looks for what is left of its processes, and gives the exit
// code and whether anything was said to be wrong.
func (s *sharkLive) end(t *testing.T) (code int, failed string) {
	t.Helper()
	kill := time.AfterFunc(2*time.Minute, func() { syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) })
	s.cmd.Wait()
	if !kill.Stop() {
		t.Errorf("tshark goes on\n%s", s.errs.String())
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if err := syscall.Kill(-s.cmd.Process.Pid, 0); errors.Is(err, syscall.ESRCH) {
			break
		} else if time.Now().After(end) {
			t.Errorf("a process is left running: %v", err)
			break
		}
	}
	if i := strings.Index(s.errs.String(), "Error by extcap"); i >= 0 {
		failed = strings.TrimSpace(s.errs.String()[i:])
	}
	return s.cmd.ProcessState.ExitCode(), failed
}

// began waits until it captures.
func (s *sharkLive) began(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if st, err := os.Stat(s.out); err == nil && st.Size() > 0 {
			return
		} else if time.Now().After(end) {
			t.Fatalf("tshark does not begin: %s", s.errs.String())
		}
	}
}

// replay sends the datagrams of a capture over loopback, in a network of a number, and gives
// them.
func replay(t *testing.T, network int, path string) (sent [][]byte) {
	t.Helper()
	hosts, sockets := map[string]int{}, map[string]*net.UDPConn{}
	socket := func(host string, port uint16) *net.UDPConn {
		if hosts[host] == 0 {
			hosts[host] = len(hosts) + 1
		}
		at := fmt.Sprintf("127.0.%d.%d:%d", network, hosts[host], port)
		if sockets[at] == nil {
			c, err := net.ListenPacket("udp4", at)
			if err != nil {
				t.Fatal(err)
			}
			sockets[at] = c.(*net.UDPConn)
			t.Cleanup(func() { c.Close() })
		}
		return sockets[at]
	}
	all := captured.Datagrams(t, path)
	for i := range all {
		d := &all[i]
		from, to := socket(d.Src.Addr().String(), d.Src.Port), socket(d.Dst.Addr().String(), d.Dst.Port)
		if _, err := from.WriteTo(d.Payload, to.LocalAddr()); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, d.Payload)
		time.Sleep(100 * time.Microsecond)
	}
	return sent
}

// lateKeys are those of what may become known once a live packet was written: the frame that
// acknowledges it, and findings, which wait for what may excuse them. Those of the capture wait
// longer than a packet does.
var lateKeys = regexp.MustCompile(` acked_in=\d+| note\.(rule=CAP-\S+|severity=note\b)`)

// TestExtcapLive captures on loopback through tshark: every datagram, with the comments that
// annotate makes of the same packets in a file. -c ends it, and nothing is left running.
func TestExtcapLive(t *testing.T) {
	ownLoopback(t)
	traces := []string{"dp8/unsigned-lossy.pcap", "dp8/fast-signed-forged.pcap", "dp4/nacks-msb-first.pcap", "dp8/full-signed-forged.pcap", "knet/lossy-reference.pcap", "hazel/copies.pcap"}
	n := 0
	for i, name := range traces {
		traces[i] = filepath.Join("..", "..", "testdata", "pcaps", name)
		n += len(captured.Datagrams(t, traces[i]))
	}
	s := beginShark(t, "dpdissect-lo", "-c", fmt.Sprint(n))
	s.began(t)
	var sent [][]byte
	for i, path := range traces {
		sent = append(sent, replay(t, i, path)...)
	}
	if code, failed := s.end(t); code != 0 || failed != "" {
		t.Errorf("exit code %d: %s", code, failed)
	}
	file, err := os.ReadFile(s.out)
	if err != nil {
		t.Fatal(err)
	}
	got := ngtest.Packets(blocksOf(t, file))
	if len(got) != len(sent) {
		t.Fatalf("%d packets of %d", len(got), len(sent))
	}
	late, said := 0, 0
	for i, b := range ngtest.Packets(blocksOf(t, annotated(t, s.out))) {
		if !bytes.HasSuffix(b.Data, sent[i]) {
			t.Fatalf("packet %d is another one", i+1)
		}
		c := b.Comments()
		if len(c) != 2 {
			t.Fatalf("packet %d has the comments %q", i+1, c)
		}
		live, whole := machineLines(c[0]), machineLines(c[1])
		if !slices.Equal(live, whole) {
			late++
			if lateKeys.ReplaceAllString(strings.Join(live, "\n"), "") != lateKeys.ReplaceAllString(strings.Join(whole, "\n"), "") {
				t.Errorf("packet %d: %q, as from the file %q", i+1, live, whole)
			}
		}
		if strings.Contains(c[0], " analysis=") {
			said++
		}
	}
	if said < n/3 || late > n/20 {
		t.Errorf("of %d packets the analysis says something of %d; %d comments are not as from the file", n, said, late)
	}
}

// TestExtcapAutostop: -a of tshark ends a run in which nothing comes.
func TestExtcapAutostop(t *testing.T) {
	needsRight(t)
	s := beginShark(t, "dpdissect-lo", "-f", "udp port 9 and ip6 host fd00::1:2:3", "-a", "duration:1")
	if code, failed := s.end(t); code != 0 || failed != "" {
		t.Errorf("exit code %d: %s", code, failed)
	}
}

// TestExtcapFileInTshark: a file through tshark has the comments that annotate writes; tshark
// ends by itself, or at -c, and takes the pace of the file.
func TestExtcapFileInTshark(t *testing.T) {
	t.Parallel()
	path := absolute(t, capturePath(t, "unsigned-lossy.pcap"))
	want := ngtest.Packets(blocksOf(t, annotated(t, path)))
	for _, c := range []struct {
		more []string
		n    int
	}{
		{nil, len(want)},
		{[]string{"-c", "5", "-o", "extcap.dpdissect_file.pace:true"}, 5},
		{[]string{"-o", "extcap.dpdissect_file.displayfilter:frame.number <= 7"}, 7},
		{[]string{"-f", "udp port 9"}, 0},
	} {
		s := beginShark(t, append([]string{"dpdissect-file", "-o", "extcap.dpdissect_file.readfile:" + path}, c.more...)...)
		if code, failed := s.end(t); code != 0 || failed != "" {
			t.Errorf("%q: exit code %d: %s", c.more, code, failed)
		}
		file, err := os.ReadFile(s.out)
		if err != nil {
			t.Fatal(err)
		}
		got := ngtest.Packets(blocksOf(t, file))
		if len(got) != c.n {
			t.Errorf("%q: %d packets, want %d", c.more, len(got), c.n)
		}
		for i := range got {
			if !bytes.Equal(got[i].Data, want[i].Data) || c.more == nil && !slices.Equal(got[i].Comments(), want[i].Comments()) {
				t.Fatalf("%q: packet %d: %x %q, want %x %q", c.more, i+1, got[i].Data, got[i].Comments(), want[i].Data, want[i].Comments())
			}
		}
	}
}

// TestExtcapFailureInTshark: tshark shows what failed, and ends with an error within 2 seconds.
func TestExtcapFailureInTshark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"dpdissect-file", "-o", "extcap.dpdissect_file.readfile:/nothing"}, "Error by extcap pipe: dpdissect: stat /nothing: no such file or directory"},
		{[]string{"dpdissect-file"}, `Error by extcap pipe: dpdissect: "Capture file" is empty: choose a file (--read-file)`},
		{[]string{"dpdissect-lo", "-f", "udq"}, "Error by extcap pipe: dpdissect: -f: unknown word udq (names are not looked up)"},
	} {
		began := time.Now()
		s := beginShark(t, c.args...)
		code, failed := s.end(t)
		if !strings.HasPrefix(failed, c.want+"\n") || code == 0 {
			t.Errorf("%q: exit code %d: %q", c.args, code, failed)
		}
		if took := time.Since(began); took > 2*time.Second {
			if short := shortRun(s.cmd.Path, "-v"); took > 50*short {
				t.Errorf("%q: it took %v, and `tshark -v` %v", c.args, took, short)
			}
		}
	}
}
