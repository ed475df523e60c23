//go:build unix

package liveview

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A pane is a shell in a tmux of its own.
type pane struct {
	t      *testing.T
	socket string
	count  int // commands so far
}

// newPane starts a shell on a screen of some size.
func newPane(t *testing.T, w, h int) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: the view is not tried on a terminal")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &pane{t: t, socket: t.TempDir() + "/tmux"}
	p.tmux("-f", "/dev/null", "new-session", "-d", "-s", "v", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h),
		"env", "PS1=ready> ", "ENV=", "VIEW="+exe, "GOCOVERDIR="+t.TempDir(), "sh", "-i")
	t.Cleanup(func() { exec.Command("tmux", "-S", p.socket, "kill-server").Run() })
	p.await("the prompt", func(s string) bool { return strings.Contains(s, "ready>") })
	return p
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", p.socket}, args...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *pane) screen() string { return p.tmux("capture-pane", "-t", "v", "-p") }

// state is what tmux knows of the pane's modes.
func (p *pane) state() string {
	return strings.TrimSpace(p.tmux("display-message", "-t", "v", "-p", "alternate=#{alternate_on} cursor=#{cursor_flag} mouse=#{mouse_any_flag} keypad=#{keypad_flag}#{keypad_cursor_flag}"))
}

func (p *pane) keys(keys ...string) { p.tmux(append([]string{"send-keys", "-t", "v"}, keys...)...) }

// await waits for a screen.
func (p *pane) await(what string, ok func(screen string) bool) string {
	p.t.Helper()
	var s string
	for range 6000 {
		if s = p.screen(); ok(s) {
			return s
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.t.Fatalf("%s was not seen in 2 minutes:\n%s", what, s)
	return ""
}

func (p *pane) line(s string, n int) string {
	lines := strings.Split(s, "\n")
	return lines[min(n, len(lines)-1)]
}

// sh runs a command in the shell and gives its output.
func (p *pane) sh(command string) (out string) {
	p.t.Helper()
	p.count++
	first, last := fmt.Sprintf("\nbegin%d\n", p.count), fmt.Sprintf("\nend%d\n", p.count)
	p.keys(fmt.Sprintf("echo be''gin%d; %s; echo en''d%d", p.count, command, p.count), "Enter")
	p.await("the output of "+command, func(s string) (ok bool) {
		_, out, ok = strings.Cut(s, first)
		if ok {
			out, _, ok = strings.Cut("\n"+out, last)
		}
		return ok
	})
	return out
}

// TestTerminal drives the view on a real terminal: it shows, sorts, moves, opens a
// connection, follows the size of the screen and leaves the terminal as it was.
func TestTerminal(t *testing.T) {
	p := newPane(t, 80, 24)
	before, modes := p.sh("stty -a"), p.state()
	p.keys("LIVEVIEW_DEMO=40 $VIEW", "Enter")
	first := p.await("the table", func(s string) bool { return strings.Contains(s, "▲#") && strings.Contains(s, "192.168.0.10:50000") })
	if s := p.state(); !strings.HasPrefix(s, "alternate=1 cursor=0") {
		t.Errorf("modes of the view: %s", s)
	}
	p.await("a refresh", func(s string) bool { // that of any second: a busy machine looks late
		return strings.HasPrefix(s, "eth0  ") && p.line(s, 0) != p.line(first, 0)
	})

	p.keys("Down", "Down", "j")
	p.await("a picked row", func(s string) bool { return strings.Contains(s, "▸ 2  hazel") })
	p.keys("6")
	s := p.await("the rows by quality or loss", func(s string) bool { return strings.Contains(s, "▼Loss") })
	if strings.Contains(p.line(s, 2), " 0  dp8") && strings.Contains(p.line(s, 3), " 1  knet") {
		t.Errorf("not ordered by the loss:\n%s", s)
	}
	p.await("the same connection", func(s string) bool { return strings.Contains(s, "▸ 2  hazel") })

	p.keys("Enter")
	p.await("the details", func(s string) bool { return strings.Contains(s, "#2 hazel current") && strings.Contains(s, "shortest") })
	p.keys("Escape")
	p.await("the table again", func(s string) bool { return strings.Contains(s, "▼Loss") })

	p.tmux("resize-window", "-t", "v", "-x", "140", "-y", "40")
	p.await("a wide table", func(s string) bool {
		return strings.Contains(s, "Jitter") && strings.Contains(s, "Findings") && strings.Contains(p.line(s, 39), "q quit")
	})
	p.tmux("resize-window", "-t", "v", "-x", "40", "-y", "8")
	p.await("a narrow table", func(s string) bool {
		return strings.Contains(p.line(s, 7), "q quit") && !strings.Contains(s, "Jitter") && strings.Contains(s, "▸192.168.0.12")
	})
	p.tmux("resize-window", "-t", "v", "-x", "80", "-y", "24")
	p.await("the first size", func(s string) bool { return strings.Contains(p.line(s, 23), "q quit") })

	p.keys("q")
	p.restored("ended: <nil>", modes, before)
}

// restored holds the terminal to what it was before the view.
func (p *pane) restored(last, modes, stty string) {
	p.t.Helper()
	s := p.await("the shell", func(s string) bool {
		return strings.Contains(s, last) && strings.HasSuffix(strings.TrimRight(s, " \n"), "ready>")
	})
	if strings.Contains(s, "q quit") {
		p.t.Errorf("the view is still there:\n%s", s)
	}
	if got := p.state(); got != modes || !strings.HasPrefix(got, "alternate=0 cursor=1") {
		p.t.Errorf("modes afterwards: %s, before: %s", got, modes)
	}
	if got := p.sh("stty -a"); got != stty {
		p.t.Errorf("stty afterwards:\n%s\nbefore:\n%s", got, stty)
	}
}

// TestTerminalEnds leaves the terminal clean however the view ends.
func TestTerminalEnds(t *testing.T) {
	p := newPane(t, 80, 24)
	before, modes := p.sh("stty -a"), p.state()
	for _, c := range []struct {
		how, last string
		keys      []string
	}{
		{"cancel", "0 after cancel", nil},
		{"close", "0 after close", nil},
		{"panic", "1 after panic", nil},
		{"TERM", "0 after TERM", nil},
		{"INT", "0 after INT", nil},
		{"7", "0 after 7", []string{"C-c"}},
	} {
		p.keys("LIVEVIEW_DEMO="+c.how+" $VIEW 2>/dev/null; echo $? after "+c.how, "Enter")
		if c.keys != nil {
			p.await("the table", func(s string) bool { return strings.Contains(s, "▲#") })
			p.keys(c.keys...)
		}
		p.restored(c.last, modes, before)
	}
}

// TestTerminalPlain shows no colour where none is wanted.
func TestTerminalPlain(t *testing.T) {
	p := newPane(t, 80, 24)
	p.keys("LIVEVIEW_DEMO=7 LIVEVIEW_COLOR=0 $VIEW", "Enter")
	p.await("the table", func(s string) bool { return strings.Contains(s, "▲#") })
	if s := p.tmux("capture-pane", "-t", "v", "-p", "-e"); strings.Contains(s, "\x1b[36m") || strings.Contains(s, "\x1b[31m") || !strings.Contains(s, "\x1b[1m") {
		t.Errorf("colours: %q", s)
	}
	p.keys("q")
}
