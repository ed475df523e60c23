//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/exit"
)

// fifo makes a named pipe.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	return path
}

// writeTo opens a pipe, or a file that is there, to write to.
func writeTo(t *testing.T, path string) *os.File {
	t.Helper()
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// pieces cuts a pcap file into its header and its packets.
func pieces(t *testing.T, path string) (head []byte, all [][]byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, b = b[:24], b[24:]
	for len(b) > 0 {
		n := 16 + int(uint32(b[8])|uint32(b[9])<<8|uint32(b[10])<<16|uint32(b[11])<<24)
		all, b = append(all, b[:n]), b[n:]
	}
	return head, all
}

// A runner is a command line that runs while the test goes on.
type runner struct {
	t     *testing.T
	lines *bufio.Scanner
	errs  *pipe
	code  chan int
}

// start runs a command line whose output the test reads.
func start(t *testing.T, args ...string) *runner {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	x := &runner{t: t, lines: bufio.NewScanner(r), errs: newPipe(t), code: make(chan int, 1)}
	x.lines.Buffer(nil, 1<<24)
	go func() {
		x.code <- run(args, w, x.errs.w)
		w.Close()
	}()
	return x
}

// line waits for the next line.
func (r *runner) line() string {
	r.t.Helper()
	got := make(chan bool, 1)
	go func() { got <- r.lines.Scan() }()
	select {
	case ok := <-got:
		if ok {
			return r.lines.Text()
		}
		r.t.Fatal("there is no line")
	case <-time.After(2 * time.Minute):
		r.t.Fatal("there is no line while the pipe is open")
	}
	return ""
}

// ends wants the command to end well, and gives the lines that are left.
func (r *runner) ends() (rest []string) {
	r.t.Helper()
	for r.lines.Scan() {
		rest = append(rest, r.lines.Text())
	}
	code := <-r.code
	if errs := r.errs.text(r.t); code != exit.OK || errs != "" {
		r.t.Errorf("exit code %d, stderr %q", code, errs)
	}
	return rest
}

// TestPipeSaysWhatItsFileSays pipes captures into commands.
func TestPipeSaysWhatItsFileSays(t *testing.T) {
	all := append([][]string{{"check", "--format", "json"}, {"analyze", "--format", "json", "--interval", "60"}, {"decode", "-Y", "retry"}}, outputs...)
	for _, name := range []string{"full-signed-lossy.pcap", "unsigned-lossy.pcap"} {
		path := capturePath(t, name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range all {
			pipe := fifo(t)
			go func() { os.WriteFile(pipe, b, 0) }()
			got, _, code := call(t, append(args[:len(args):len(args)], pipe)...)
			plain := args
			if len(args) == 5 && args[3] == "--interval" {
				plain = args[:3]
			}
			want, _, is := call(t, append(plain[:len(plain):len(plain)], path)...)
			if args[0] == "analyze" {
				got, want = neutral(t, args, got), neutral(t, args, want)
			}
			got = strings.ReplaceAll(got, pipe, path)
			if got != want || code != is {
				t.Errorf("%q of %s: exit code %d, want %d; differs at %s", args, name, code, is, difference(got, want))
			}
		}
	}
}

// TestPipeIsLive writes to a pipe, slowly: each packet is shown before the next one is
// written.
func TestPipeIsLive(t *testing.T) {
	head, all := pieces(t, capturePath(t, "unsigned-clean.pcap"))
	pipe := fifo(t)
	r := start(t, "decode", "--format", "ndjson", pipe)
	w := writeTo(t, pipe)
	w.Write(head)
	for i, p := range all[:12] {
		w.Write(p)
		if line := r.line(); !strings.Contains(line, fmt.Sprintf(`"frame":%d,`, i+1)) {
			t.Fatalf("packet %d is shown as %s", i+1, line)
		}
	}
	w.Write(bytes.Join(all[12:], nil))
	w.Close()
	if n := len(r.ends()); n != len(all)-12 {
		t.Errorf("%d lines at the end, want %d", n, len(all)-12)
	}
}

// TestMessagesOfPipe: packets were printed before their pair was recognised. Their
// messages come in the order of their indices all the same.
func TestMessagesOfPipe(t *testing.T) {
	path := capturePath(t, "unsigned-lossy.pcap")
	head, all := pieces(t, path)
	pipe := fifo(t)
	r := start(t, "messages", "--format", "ndjson", pipe)
	w := writeTo(t, pipe)
	w.Write(head)
	for _, p := range all[:6] {
		w.Write(p)
		time.Sleep(2 * maxWait)
	}
	w.Write(bytes.Join(all[6:], nil))
	w.Close()
	got := r.ends()
	want := strings.Split(strings.TrimSpace(output(t, "messages", "--format", "ndjson", path)), "\n")
	if len(got) != len(want) {
		t.Errorf("%d messages, want %d", len(got), len(want))
	}
	next := map[string]int{}
	for _, line := range got {
		var m struct {
			Direction string
			Index     int
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m.Index != next[m.Direction] {
			t.Fatalf("message %d of %s, want %d", m.Index, m.Direction, next[m.Direction])
		}
		next[m.Direction]++
	}
}

// TestIntervalsOfPipe: records come while the pipe is open, and the last document is
// that of the file.
func TestIntervalsOfPipe(t *testing.T) {
	path := capturePath(t, "unsigned-lossy.pcap")
	head, all := pieces(t, path)
	pipe := fifo(t)
	r := start(t, "analyze", "--format", "ndjson", "--interval", "0.05", pipe)
	w := writeTo(t, pipe)
	w.Write(head)
	w.Write(bytes.Join(all[:len(all)/2], nil))
	doc := struct {
		Totals      struct{ Packets int }
		Connections []struct{ ID, Frames int }
	}{}
	for doc.Totals.Packets != len(all)/2 {
		if err := json.Unmarshal([]byte(r.line()), &doc); err != nil {
			t.Fatal(err)
		}
	}
	if len(doc.Connections) == 0 {
		t.Error("no connection is told of on the way")
	}
	w.Write(bytes.Join(all[len(all)/2:], nil))
	w.Close()
	lines := r.ends()
	args := []string{"analyze", "--format", "ndjson"}
	got, want := neutral(t, args, lines[len(lines)-1]), neutral(t, args, output(t, append(args, path)...))
	if got != want {
		t.Errorf("the last record differs at %s", difference(got, want))
	}
}

// TestTablesOfPipe: the same as text.
func TestTablesOfPipe(t *testing.T) {
	path := capturePath(t, "unsigned-lossy.pcap")
	head, all := pieces(t, path)
	pipe := fifo(t)
	r := start(t, "analyze", "--interval", "0.05", pipe)
	w := writeTo(t, pipe)
	content := append(head, bytes.Join(all, nil)...)
	w.Write(content)
	for !strings.Contains(r.line(), fmt.Sprintf("  %d packets", len(all))) {
	}
	if line := r.line(); !strings.HasPrefix(line, "#  Connection") {
		t.Errorf("no table: %q", line)
	}
	w.Close()
	rest := strings.Join(r.ends(), "\n") + "\n"
	file := filepath.Join(filepath.Dir(pipe), "file") // as long a path, for lines are broken by it
	must(os.WriteFile(file, content, 0o600))
	want := strings.ReplaceAll(output(t, "analyze", file), file, pipe)
	if !strings.HasSuffix(rest, want) {
		t.Errorf("the report at the end is not that of the file: %s", rest[max(0, len(rest)-len(want)):])
	}
}

// TestFollow appends to a file that is followed. -c ends it.
func TestFollow(t *testing.T) {
	head, all := pieces(t, capturePath(t, "unsigned-clean.pcap"))
	path := filepath.Join(t.TempDir(), "grows.pcap")
	if err := os.WriteFile(path, head, 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, "decode", "--follow", "-c", "10", path)
	w := writeTo(t, path)
	for i, p := range all[:9] {
		w.Write(p)
		if line := strings.Fields(r.line()); line[0] != fmt.Sprint(i+1) {
			t.Fatalf("packet %d is shown as %q", i+1, line)
		}
	}
	w.Write(all[9])
	if rest := r.ends(); len(rest) != 1 {
		t.Errorf("%d lines at the end", len(rest))
	}
}

// TestFollowEnds: -a ends what would go on for ever, with the report and without an
// error.
func TestFollowEnds(t *testing.T) {
	path := capturePath(t, "unsigned-clean.pcap")
	args := []string{"analyze", "--format", "json"}
	want := neutral(t, args, output(t, append(args, path)...))
	got := neutral(t, args, output(t, append(args, "--follow", "-a", "duration:0.3", path)...))
	if got != want {
		t.Errorf("differs at %s", difference(got, want))
	}
}
