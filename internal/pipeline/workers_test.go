package pipeline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// said is everything a run says, as text.
func said(t *testing.T, paths []string, opts protocols.Options, workers int, mode FrameMode, messages session.MessageMode) string {
	t.Helper()
	src, err := capture.Open(paths, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := Run{Source: src, Workers: workers, Config: session.Config{Protocols: protocols.All(opts), Messages: messages, Incomplete: true}}
	p := &Frames{Mode: mode, Clock: &render.Clock{}, Titles: protocols.Tables()}
	p.Configure(&r.Config)
	var out bytes.Buffer
	q := NewQueue(&out, &talkative{Frames: p})
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
type talkative struct{ *Frames }

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
		writeRaw(t, name, all, byte(i))
		files = append(files, name)
	}
	return strings.Join(files, "\n")
}

// writeRaw writes the IPv4 datagrams to a file, in network n.
func writeRaw(t *testing.T, name string, all []dissect.Datagram, n byte) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := capture.NewWriter(f, capture.WriterOptions{Format: "pcap", Interfaces: []capture.Interface{{Link: capture.LinkRaw}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		d := &all[i]
		if d.Kind != dissect.UDP || d.IPv6 {
			continue
		}
		r := capture.Record{Data: rawIPv4(d, n), Time: d.Time, HasTime: true}
		r.WireLen = len(r.Data)
		if err := out.Write(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
}

// rawIPv4 puts a datagram into an IPv4 packet without checksums, in network n.
func rawIPv4(d *dissect.Datagram, n byte) []byte {
	size := 28 + len(d.Payload)
	b := make([]byte, 28, size)
	b[0], b[2], b[3], b[4], b[5], b[8], b[9] = 0x45, byte(size>>8), byte(size), byte(d.IPID>>8), byte(d.IPID), 64, 17
	copy(b[12:], []byte{10, n, d.Src.IP[14], d.Src.IP[15], 10, n, d.Dst.IP[14], d.Dst.IP[15]})
	b[20], b[21], b[22], b[23] = byte(d.Src.Port>>8), byte(d.Src.Port), byte(d.Dst.Port>>8), byte(d.Dst.Port)
	b[24], b[25] = byte((size-20)>>8), byte(size-20)
	var sum uint32
	for i := 0; i < 20; i += 2 {
		sum += uint32(b[i])<<8 | uint32(b[i+1])
	}
	sum = sum&0xffff + sum>>16
	sum = ^(sum&0xffff + sum>>16)
	b[10], b[11] = byte(sum>>8), byte(sum)
	return append(b, d.Payload...)
}

// TestWorkers: the number of workers changes nothing. Each number is tried with one or two
// modes, or with all of them: see everyCase.
func TestWorkers(t *testing.T) {
	sessions := 40
	if testing.Short() {
		sessions = 10
	}
	files := strings.Split(crowd(t, sessions), "\n")
	modes := []FrameMode{Lines, NDJSON, Tree}
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
	files, _ := filepath.Glob("../../testdata/pcaps/dp8/*.pcap*")
	if len(files) == 0 {
		t.Fatal("no traces under testdata/pcaps/dp8")
	}
	for _, file := range files {
		want := said(t, []string{file}, protocols.Options{}, 1, NDJSON, session.HashMessages)
		for _, workers := range []int{2, 16} {
			if got := said(t, []string{file}, protocols.Options{}, workers, NDJSON, session.HashMessages); got != want {
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
	want := strip(said(t, files, protocols.Options{}, 1, NDJSON, session.CountMessages))
	for _, mode := range []session.MessageMode{session.HashMessages, session.CollectPayload} {
		if got := strip(said(t, files, protocols.Options{}, 1, NDJSON, mode)); got != want {
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

// Batches are cut by packets and by bytes; neither shows.
func TestBatches(t *testing.T) {
	var b batch
	for n := 0; !b.full(); n++ {
		p := capture.Packet{Class: capture.UDP}
		p.Payload = bytes.Repeat([]byte{byte(n)}, n%1500)
		b.see(&p)
		b.add(&p, n%Shards)
	}
	b.seal()
	if b.packets > batchPackets || b.packets != len(b.datagrams) || len(b.bytes) > batchBytes+1500 {
		t.Errorf("%d packets, %d datagrams, %d bytes", b.packets, len(b.datagrams), len(b.bytes))
	}
	for n := range b.datagrams {
		p := b.datagrams[n].Payload
		if len(p) != n%1500 || cap(p) != len(p) || len(p) > 0 && (p[0] != byte(n) || p[len(p)-1] != byte(n)) {
			t.Fatalf("payload %d has %d bytes", n, len(p))
		}
	}
}
