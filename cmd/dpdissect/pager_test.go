package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestPagerCommand(t *testing.T) {
	nowhere := func(string) (string, error) { return "", errors.New("not found") }
	anywhere := func(string) (string, error) { return "found", nil }
	for _, c := range []struct {
		env  map[string]string
		find func(string) (string, error)
		want string
	}{
		{nil, anywhere, "less -FRX"},
		{nil, nowhere, ""},
		{map[string]string{"PAGER": "more"}, anywhere, "more"},
		{map[string]string{"PAGER": "more", "DPDISSECT_PAGER": "less -S"}, anywhere, "less -S"},
		{map[string]string{"PAGER": "more", "DPDISSECT_PAGER": ""}, anywhere, ""},
		{map[string]string{"PAGER": "cat"}, anywhere, ""},
		{map[string]string{"PAGER": "missing"}, nowhere, ""},
		{map[string]string{"PAGER": "LESS=R less | cat"}, nowhere, "LESS=R less | cat"},
	} {
		env := func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }
		if got := pagerCommand(env, c.find); got != c.want {
			t.Errorf("%q: %q, want %q", c.env, got, c.want)
		}
	}
}

// TestPagerHoldsBack: what fits the screen never reaches the pager.
func TestPagerHoldsBack(t *testing.T) {
	if _, err := exec.LookPath("sed"); err != nil || runtime.GOOS == "windows" {
		t.Skip("sed, the pager of this test, is not there")
	}
	for text, paged := range map[string]bool{
		strings.Repeat("line\n", 9): false, strings.Repeat("line\n", 10): true, strings.Repeat("l", 95) + "\n": true, "": false,
		strings.Repeat("\x1b[31mlong line\x1b[0m\n", 9): false, "漢字漢字漢字漢字漢字漢字\n": false,
	} {
		out := newPipe(t)
		p := &pager{screen: out.w, command: "sed s/^/paged:/", width: 10, height: 10}
		for chunk := range strings.SplitAfterSeq(text, "e") { // writes end anywhere
			if _, err := p.Write([]byte(chunk)); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write([]byte("later\n")); err != nil { // of check: inputs are closed before the verdict
			t.Fatal(err)
		}
		if p.started == nil && !p.direct {
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
		want := text
		if paged {
			want = ""
			for line := range strings.Lines(text) {
				want += "paged:" + line
			}
		}
		if got := out.text(t); got != want+"later\n" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestPagerOnTerminal runs the program on a terminal: what is longer than the screen is
// paged, and exit codes are those without a pager, also when its user leaves early.
func TestPagerOnTerminal(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	program, err := exec.LookPath("dpdissect") // that of the transcripts
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	b, err := os.ReadFile(capturePath(t, "full-signed-lossy.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	whole, cut := filepath.Join(folder, "whole.pcap"), filepath.Join(folder, "cut.pcap")
	if err := errors.Join(os.WriteFile(whole, b, 0o666), os.WriteFile(cut, b[:len(b)-5], 0o666)); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct{ pager, args, want string }{
		{"cat >paged; exit 7", "decode " + whole, "code 0 paged"},
		{"head -n 2 >paged", "decode " + whole, "code 0 paged"},
		{"head -n 2 >paged", "analyze " + cut, "code 3 paged"},
		{"head -n 2 >paged", "check " + whole, "code 1 paged"},
		{"cat >paged", "rules", "code 0 paged"},
		{"cat >paged", "decode --help", "code 0 paged"},
		{"cat >paged", "--no-pager decode " + whole, "code 0 direct"},
		{"cat >paged", "decode -o out " + whole, "code 0 direct"},
		{"cat >paged", "decode " + whole + " | tail -n 1", "code 0 direct"},
		{"cat >paged", "version", "code 0 direct"},
	} {
		dir := filepath.Join(folder, string(rune('a'+i)))
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		script := "cd " + dir + "; DPDISSECT_PAGER='" + c.pager + "' " + program + " " + c.args +
			"; code=$?; test -s paged && how=paged || how=direct; echo code $code $how >done.new; mv done.new done"
		socket := filepath.Join(dir, "tmux")
		if out, err := exec.Command("tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", script).CombinedOutput(); err != nil {
			t.Skipf("tmux: %v: %s", err, out)
		}
		if got := strings.TrimSpace(awaited(t, filepath.Join(dir, "done"))); got != c.want {
			t.Errorf("%q through %q: %s, want %s", c.args, c.pager, got, c.want)
		}
	}
}

// awaited is what stands in a file as soon as it is there.
func awaited(t *testing.T, path string) string {
	t.Helper()
	for range 3000 {
		if b, err := os.ReadFile(path); err == nil {
			return string(b)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s does not come", path)
	return ""
}
