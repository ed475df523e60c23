package livetest

import (
	"context"
	"fmt"
	"net/netip"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// A pane is a shell in a tmux of its own, in a namespace.
type pane struct {
	t      *testing.T
	n      *netns.Namespace
	socket string
	count  int
}

// newPane starts a shell on a screen of some size.
func newPane(t *testing.T, n *netns.Namespace, w, h int) *pane {
	t.Helper()
	p := &pane{t: t, n: n, socket: filepath.Join(t.TempDir(), "tmux")}
	p.tmux("-f", "/dev/null", "new-session", "-d", "-s", "v", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h),
		"env", "PS1=ready> ", "ENV=", "D="+program, "TERM=screen-256color", "sh", "-i")
	t.Cleanup(func() { exec.Command("tmux", "-S", p.socket, "kill-server").Run() })
	p.await("the prompt", func(s string) bool { return strings.Contains(s, "ready>") })
	return p
}

func (p *pane) tmux(args ...string) (out string) {
	p.t.Helper()
	err := p.n.Do(func() error { // the first one leaves a server
		b, err := exec.Command("tmux", append([]string{"-S", p.socket}, args...)...).CombinedOutput()
		out = string(b)
		return err
	})
	if err != nil {
		p.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return out
}

func (p *pane) keys(keys ...string) { p.tmux(append([]string{"send-keys", "-t", "v"}, keys...)...) }

// types types a command on an empty screen, with nothing above it.
func (p *pane) types(command string) {
	p.tmux("clear-history", "-t", "v")
	p.keys("clear; "+command, "Enter")
}

// state is what tmux knows of the terminal's modes.
func (p *pane) state() string {
	return strings.TrimSpace(p.tmux("display-message", "-t", "v", "-p",
		"alternate=#{alternate_on} cursor=#{cursor_flag} mouse=#{mouse_any_flag} keypad=#{keypad_flag}#{keypad_cursor_flag}"))
}

// await waits for a screen.
func (p *pane) await(what string, ok func(screen string) bool) (s string) {
	p.t.Helper()
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if s = p.tmux("capture-pane", "-t", "v", "-p"); ok(s) {
			return s
		}
	}
	p.t.Fatalf("%s was not seen in %v:\n%s", what, timeout, s)
	return ""
}

// sees waits for words.
func (p *pane) sees(words ...string) {
	p.t.Helper()
	p.await(fmt.Sprintf("%q", words), func(s string) bool {
		for _, w := range words {
			if !strings.Contains(s, w) {
				return false
			}
		}
		return true
	})
}

// sh runs a command in the shell and gives its output.
func (p *pane) sh(command string) (out string) {
	p.t.Helper()
	p.count++
	first, last := fmt.Sprintf("\nbegin%d\n", p.count), fmt.Sprintf("\nend%d\n", p.count)
	p.keys(fmt.Sprintf("clear; echo be''gin%d; %s; echo en''d%d", p.count, command, p.count), "Enter")
	p.await("the output of "+command, func(s string) (ok bool) {
		if _, out, ok = strings.Cut("\n"+s, first); ok {
			out, _, ok = strings.Cut("\n"+out, last)
		}
		return ok
	})
	return out
}

// ended waits for the shell, with the report above the prompt, and holds the terminal
// to what it was before.
func (p *pane) ended(code int, modes, stty string) {
	p.t.Helper()
	p.await("the shell", func(s string) bool {
		return strings.Contains(s, fmt.Sprintf("code=%d\n", code)) && strings.HasSuffix(strings.TrimRight(s, " \n"), "ready>")
	})
	s := p.tmux("capture-pane", "-t", "v", "-p", "-S", "-300")
	// A machine that is busy with something else for long may drop packets here.
	for _, want := range []string{"hazel", "dp8", `\d+ packets captured, \d+ dropped by the kernel`} {
		if !regexp.MustCompile(want).MatchString(s) {
			p.t.Errorf("the report on the normal screen has no %q:\n%s", want, s)
		}
	}
	if strings.Contains(s, "q quit") || strings.Contains(s, "\x1b") {
		p.t.Errorf("the view is still there:\n%s", s)
	}
	if got := p.state(); got != modes || !strings.HasPrefix(got, "alternate=0 cursor=1") {
		p.t.Errorf("modes afterwards: %s, before: %s", got, modes)
	}
	if got := p.sh("stty -a"); got != stty {
		p.t.Errorf("stty afterwards:\n%s\nbefore:\n%s", got, stty)
	}
}

// talking lets connections go on until the test is over.
func talking(t *testing.T, n *netns.Namespace) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan bool)
	go func() {
		defer close(done)
		way := sim.Path{Near: sim.Segment{Delay: 10 * time.Millisecond}}
		_, _ = wire.Load(ctx, wire.LoadConfig{Kinds: []string{"dp8", "hazel"}, Addr: netip.MustParseAddr("127.0.0.1"), Pairs: 2,
			Duration: time.Minute, Messages: 20, Path: way, Seed: 5, Listen: [2]wire.Listener{n.Listen, n.Listen}})
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// TestView drives the view of the program on a terminal.
func TestView(t *testing.T) {
	need(t, "tmux")
	pair := place(t)
	p := newPane(t, pair[0], 110, 30)
	stty, modes := p.sh("stty -a"), p.state()

	p.types("$D analyze -i lo; echo code=$?")
	p.sees("lo ", "q quit")
	talking(t, pair[0])
	p.sees("dp8", "hazel", "127.0.0.1:", "▲#")
	if s := p.state(); !strings.HasPrefix(s, "alternate=1 cursor=0") {
		t.Errorf("modes of the view: %s", s)
	}
	p.keys("7")
	p.sees("▼Rate")
	p.keys("Down", "Enter")
	p.sees("127.0.0.1:", "shortest")
	p.keys("Escape")
	p.sees("▼Rate")
	for _, size := range [][2]int{{150, 40}, {60, 10}, {110, 30}} {
		p.tmux("resize-window", "-t", "v", "-x", fmt.Sprint(size[0]), "-y", fmt.Sprint(size[1]))
		p.await("the new size", func(s string) bool {
			lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
			return len(lines) == size[1] && strings.Contains(lines[size[1]-1], "q quit") && strings.Contains(s, "127.0.0.1")
		})
	}
	p.keys("q")
	p.ended(0, modes, stty)

	p.types("$D analyze -i lo; echo code=$?")
	p.sees("dp8", "hazel", "q quit")
	p.keys("C-c")
	p.ended(0, modes, stty)

	p.types("$D analyze -i lo -a duration:3; echo code=$?")
	p.sees("dp8", "hazel", "q quit")
	p.ended(0, modes, stty)
}
