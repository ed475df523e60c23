package livetest

import (
	"bufio"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// tcpdump captures on loopback into a job's standard input, until it is interrupted.
func tcpdump(t *testing.T, n *netns.Namespace, j *job) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("tcpdump", "-i", "lo", "-B", "65536", "-U", "--immediate-mode", "-w", "-", "udp")
	from, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Do(cmd.Start); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	j.cmd.Stdin = from
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.Contains(lines.Text(), "listening on") {
	}
	go func() { // until it ends
		for lines.Scan() {
		}
	}()
	return cmd
}

// TestPipe pipes what tcpdump captures: lines come as soon as those of a capture of
// our own, and at Ctrl-C, which both get, nothing is missing.
func TestPipe(t *testing.T) {
	need(t, "tcpdump")
	pair := place(t)
	j := prepare(t, "decode", "--format", "ndjson", "-")
	dump := tcpdump(t, pair[0], j)
	out := j.pipe()
	seen := make(chan []sight)
	var shown atomic.Int64
	j.in(pair[0])
	go func() { seen <- sights(bufio.NewScanner(out), sightOfRecord, &shown) }()
	sent := chatter(t, pair)
	awaitSights(&shown, sent)
	dump.Process.Signal(syscall.SIGINT)
	j.stop()
	j.cmd.Stdout.(interface{ Close() error }).Close()
	checkLatency(t, <-seen, sent)
}

// TestPipeInterrupted: who writes to the pipe goes on, and the report comes.
func TestPipeInterrupted(t *testing.T) {
	need(t, "tcpdump")
	pair := place(t)
	j := prepare(t, "analyze", "--format", "json", "-")
	tcpdump(t, pair[0], j)
	j.in(pair[0])
	talk := chat("hazel", 8)
	between(&talk, pair, "lo")
	truth := playAll(t, talk)[0]
	time.Sleep(2 * time.Second) // what was sent last is on its way through tcpdump
	d := readDocument(t, j.stop())
	if d.Totals.Packets != truth.Packets {
		t.Errorf("%d packets, want %d", d.Totals.Packets, truth.Packets)
	}
	if errs := j.stderr.String(); errs != "" {
		t.Errorf("stderr: %q", errs)
	}
	checkTruth(t, d, truth)
}

// TestViewOfPipe shows a pipe on a terminal: keys come from there.
func TestViewOfPipe(t *testing.T) {
	need(t, "tmux")
	pair := place(t)
	p := newPane(t, pair[0], 110, 30)
	stty, modes := p.sh("stty -a"), p.state()
	talking(t, pair[0])
	for _, end := range []string{"q", "C-c"} {
		p.types("$D capture -q -i lo -w - | $D analyze -; echo code=$?")
		p.sees("standard input", "dp8", "hazel", "q quit")
		p.keys("s", end)
		p.ended(0, modes, stty)
	}
}
