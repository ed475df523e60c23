package whole

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// said is everything a run says, as text.
func said(t *testing.T, paths []string, opts protocols.Options, workers int, mode pipeline.FrameMode, messages session.MessageMode) string {
	t.Helper()
	src, err := capture.Open(paths, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := pipeline.Run{Source: src, Workers: workers, Config: session.Config{Protocols: protocols.All(opts), Messages: messages, Incomplete: true}}
	p := &pipeline.Frames{Mode: mode, Clock: &render.Clock{}, Titles: protocols.Tables()}
	p.Configure(&r.Config)
	var out bytes.Buffer
	q := pipeline.NewQueue(&out, &talkative{Frames: p})
	q.Attach(&r)
	if err := r.Do(); err != nil {
		t.Fatal(err)
	}
	if err := q.Finish(); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Conns() {
		fmt.Fprintf(&out, "connection %d %s %s %d-%d %s by %q %x %q %q %v\n", c.ID, c.A, c.B, c.FirstFrame, c.LastFrame, c.State, c.ClosedBy, c.Version, c.Signing, c.Inferred, c.Findings)
		for i := range c.Dir {
			d := &c.Dir[i]
			fmt.Fprintln(&out, d.Frames, d.Bytes, d.DataFrames, d.Acks, d.Retries, d.UnneededRetries, d.Duplicates, d.OutOfOrder, d.Gaps, d.Missing(),
				d.Lost(), d.Messages, d.MessageBytes, d.IncompleteMessages, d.KeepAlives, d.RTT(), d.Signatures)
		}
	}
	for _, f := range q.Findings() {
		fmt.Fprintln(&out, f.Rule.ID, f.Frame, f.Severity, f.Message)
	}
	decoded, malformed, other := r.Decoded()
	fmt.Fprintln(&out, decoded, malformed, other)
	return out.String()
}

// talkative prints messages among the frames.
type talkative struct{ *pipeline.Frames }

func (*talkative) PrepareMessage(_ int, m *session.Message) (head, tail []byte) {
	return []byte("message of "), fmt.Appendf(nil, ": %d %d %x %v\n", m.Dir, m.Index, m.SHA256, m.Complete)
}

func (*talkative) PrintMessage(dst []byte, head, tail []byte, connection int) []byte {
	return append(fmt.Appendf(append(dst, head...), "%d", connection), tail...)
}

// crowd writes a capture of many random sessions at once, each between a pair of
// its own, with other traffic in between.
func crowd(t *testing.T, sessions int) string {
	t.Helper()
	path := wildFile(t)
	var files []string
	for i := range sessions {
		w := tracegen.DrawDP8(uint64(900 + i))
		name := filepath.Join(t.TempDir(), "one.pcap")
		all, _ := generate(t, &w.Scenario, path)
		captured.Write(t, name, captured.In(byte(i), all))
		files = append(files, name)
	}
	return strings.Join(files, "\n")
}

// TestWorkers: the number of workers changes nothing. Each number is tried with one or two
// modes, or with all of them: see everyCase.
func TestWorkers(t *testing.T) {
	sessions := 40
	if testing.Short() {
		sessions = 10
	}
	files := strings.Split(crowd(t, sessions), "\n")
	modes := []pipeline.FrameMode{pipeline.Lines, pipeline.NDJSON, pipeline.Tree}
	for m, mode := range modes {
		want := said(t, files, protocols.Options{}, 1, mode, session.HashMessages)
		if len(want) < 100_000 || strings.Count(want, "\nconnection ") < sessions/2 {
			t.Fatalf("mode %d: %d bytes, %d connections", mode, len(want), strings.Count(want, "\nconnection "))
		}
		for k, workers := range []int{1, 2, 3, 16, 40} {
			if k%len(modes) != m && !everyCase() {
				continue
			}
			if got := said(t, files, protocols.Options{}, workers, mode, session.HashMessages); got != want {
				t.Errorf("mode %d, %d workers: %s", mode, workers, firstDifference(got, want))
			}
		}
	}
}

// TestWorkersOnTraces: nor does it on the traces.
func TestWorkersOnTraces(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/pcaps/dp8/*.pcap*")
	if len(files) == 0 {
		t.Fatal("no traces under testdata/pcaps/dp8")
	}
	for _, file := range files {
		want := said(t, []string{file}, protocols.Options{}, 1, pipeline.NDJSON, session.HashMessages)
		for _, workers := range []int{2, 16} {
			if got := said(t, []string{file}, protocols.Options{}, workers, pipeline.NDJSON, session.HashMessages); got != want {
				t.Errorf("%s, %d workers: %s", filepath.Base(file), workers, firstDifference(got, want))
			}
		}
	}
}

// What is collected of messages changes no counter and no frame.
func TestMessageModes(t *testing.T) {
	files := strings.Split(crowd(t, 6), "\n")
	strip := func(s string) string {
		var out []string
		for _, line := range strings.Split(s, "\n") {
			if !strings.HasPrefix(line, "message of ") {
				out = append(out, line)
			}
		}
		return strings.Join(out, "\n")
	}
	want := strip(said(t, files, protocols.Options{}, 1, pipeline.NDJSON, session.CountMessages))
	for _, mode := range []session.MessageMode{session.HashMessages, session.CollectPayload} {
		if got := strip(said(t, files, protocols.Options{}, 1, pipeline.NDJSON, mode)); got != want {
			t.Errorf("mode %d: %s", mode, firstDifference(got, want))
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d:\n got  %.300s\n want %.300s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}
