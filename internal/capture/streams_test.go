package capture

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A mouth is the end of a pipe that a source reads, and the source.
type mouth struct {
	t   *testing.T
	w   *os.File
	src *Source
}

// pipe opens a source that reads a pipe.
func pipe(t *testing.T, o Options, more ...string) *mouth {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); r.Close() })
	o.Stdin = r
	m := &mouth{t, w, open(t, o, append([]string{"-"}, more...)...)}
	if !m.src.Waits() {
		t.Error("a pipe is not waited for")
	}
	return m
}

func (m *mouth) write(b []byte) {
	m.t.Helper()
	if _, err := m.w.Write(b); err != nil {
		m.t.Fatal(err)
	}
}

// soon is how long a test waits for what comes at once on a machine that has time.
const soon = 30 * time.Second

// next waits for a packet and gives its payload, "end" at the end.
func (m *mouth) next() string {
	m.t.Helper()
	return waitNext(m.t, m.src)
}

func waitNext(t *testing.T, s *Source) string {
	t.Helper()
	for end := time.Now().Add(soon); time.Now().Before(end); {
		p, ok := s.Next()
		switch {
		case !ok:
			return "end"
		case p != nil:
			return fmt.Sprintf("%d %s", p.File, p.Payload)
		}
	}
	t.Fatal("nothing comes")
	return ""
}

// none wants the source to have nothing.
func (m *mouth) none() {
	m.t.Helper()
	for range 3 {
		m.src.WakeAt(time.Now().Add(20 * time.Millisecond))
		if p, ok := m.src.Next(); p != nil || !ok {
			m.t.Fatalf("there is a packet, or the end: %v", ok)
		}
	}
}

// parts cuts a file into its header and its packets.
func parts(t *testing.T, ms ...int64) (head []byte, packets [][]byte) {
	t.Helper()
	head = timedFile(t)
	last := len(head)
	for i := range ms {
		all := timedFile(t, ms[:i+1]...)
		packets = append(packets, all[last:])
		last = len(all)
	}
	return head, packets
}

// Packets come out of a pipe as they come in, whole ones alone.
func TestPipe(t *testing.T) {
	head, packets := parts(t, 1, 2, 3)
	m := pipe(t, Options{})
	m.none()
	m.write(head[:5])
	m.none()
	m.write(head[5:])
	m.none()
	m.write(packets[0])
	if got := m.next(); got != "0 1" {
		t.Errorf("got %s", got)
	}
	m.none()
	m.write(append(packets[1][:len(packets[1]):len(packets[1])], packets[2][:9]...))
	if got := m.next(); got != "0 2" {
		t.Errorf("got %s", got)
	}
	m.none()
	m.write(packets[2][9:])
	m.w.Close()
	if got := m.next() + " " + m.next(); got != "0 3 end" {
		t.Errorf("got %s", got)
	}
	if in := m.src.Infos()[0]; in.Packets != 3 || in.Failed || in.Format != "pcapng" || in.Path != "-" || strings.Join(in.LinkTypes, "") != "ethernet" {
		t.Errorf("%+v", in)
	}
}

// What is said of a pipe, damage too, is what is said of a file with the same bytes.
func TestPipeIsAsItsFile(t *testing.T) {
	good := timedFile(t, 1, 2, 3)
	zip := func(b []byte) []byte {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		z.Write(b)
		z.Close()
		return out.Bytes()
	}
	statistics := file(t, WriterOptions{Format: "pcapng"}, record(plainV4(hello), 1))
	// An interface statistics block: 7 packets were dropped.
	statistics = append(statistics, 5, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		5, 0, 8, 0, 7, 0, 0, 0, 0, 0, 0, 0, 36, 0, 0, 0)
	pcap := file(t, WriterOptions{Format: "pcap"}, record(plainV4(hello), 1))
	for name, b := range map[string][]byte{
		"whole": good, "cut": good[:len(good)-5], "empty": nil, "text": []byte("no capture at all"), "header": good[:30],
		"gzip": zip(good), "cut gzip": zip(good)[:60], "pcap": pcap, "cut pcap": pcap[:10], "statistics": statistics,
		"pcap without packets": pcap[:24],
	} {
		path := onDisk(t, b)[0]
		want := open(t, Options{}, path)
		packets := drain(t, want)
		m := pipe(t, Options{})
		go func() {
			m.w.Write(b)
			m.w.Close()
		}()
		var got []string
		for s := m.next(); s != "end"; s = m.next() {
			got = append(got, strings.Replace(s, " ", "", 1)) // as drain does
		}
		if s := strings.Join(got, " "); s != packets {
			t.Errorf("%s: packets %s, want %s", name, s, packets)
		}
		a, b := m.src.Infos()[0], want.Infos()[0]
		b.Path = "-"
		if fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) {
			t.Errorf("%s:\n %+v, want\n %+v", name, a, b)
		}
		if name == "statistics" && a.Dropped != 7 {
			t.Errorf("%+v", a)
		}
	}
}

// Many packets come through a pipe, in large and in small pieces.
func TestPipeOfMany(t *testing.T) {
	const n = 20_000
	ms := make([]int64, n)
	for i := range ms {
		ms[i] = int64(i)
	}
	all := timedFile(t, ms...)
	for _, piece := range []int{100, 1 << 20} {
		m := pipe(t, Options{})
		go func() {
			for b := all; len(b) > 0; b = b[min(piece, len(b)):] {
				m.w.Write(b[:min(piece, len(b))])
			}
			m.w.Close()
		}()
		for i := range n {
			if got, want := m.next(), fmt.Sprintf("0 %d", i); got != want {
				t.Fatalf("pieces of %d: %s, want %s", piece, got, want)
			}
		}
		if got := m.next(); got != "end" {
			t.Errorf("pieces of %d: %s behind the end", piece, got)
		}
	}
}

// A pipe that is stopped gives what was written until then, and ends though it is
// open; half a packet is no damage then.
func TestPipeStops(t *testing.T) {
	head, packets := parts(t, 1, 2, 3)
	m := pipe(t, Options{})
	m.write(head)
	m.none()
	m.src.Stop()
	m.write(packets[0])
	m.write(packets[1][:20])
	if got := m.next() + " " + m.next(); got != "0 1 end" {
		t.Errorf("got %s", got)
	}
	if in := m.src.Infos()[0]; in.Failed || in.Problem != "" || in.Packets != 1 {
		t.Errorf("%+v", in)
	}
}

// A pipe that nobody opened yet gives nothing from the beginning, and a stop does not wait
// for more of it than of others.
func TestUnopenedPipeStarves(t *testing.T) {
	nobody := make(chan struct{})
	defer close(nobody)
	open := func() (io.Reader, error) { <-nobody; return nil, io.EOF }
	f := newFeeder("pipe", smallWindow, Options{}, open, false, make(chan struct{}, 1))
	if d := f.starving(time.Now().Add(drainTime)); d < drainTime {
		t.Errorf("it gave nothing for %v", d)
	}
}

// One that never ceases to give packets is stopped, too.
func TestPipeStopsWhileItFlows(t *testing.T) {
	head, packets := parts(t, 1)
	m := pipe(t, Options{})
	m.write(head)
	go func() {
		for err := error(nil); err == nil; {
			_, err = m.w.Write(bytes.Repeat(packets[0], 100))
		}
	}()
	m.next()
	m.src.Stop()
	for end := time.Now().Add(soon); m.next() != "end"; {
		if time.Now().After(end) {
			t.Fatal("it goes on")
		}
	}
	m.w.Close()
}

// Limits end a pipe that stays open.
func TestPipeLimits(t *testing.T) {
	size := uint64(len(plainV4([]byte("1"))))
	for name, l := range map[string]Limits{
		"packets": {Packets: 2}, "bytes": {Bytes: 2*size - 3}, "duration": {Duration: 300 * time.Millisecond},
	} {
		m := pipe(t, Options{Limits: l})
		head, packets := parts(t, 1, 2, 3, 4)
		m.write(head)
		m.write(packets[0])
		m.write(packets[1])
		if name != "duration" {
			m.write(packets[2])
		}
		if got := m.next() + " " + m.next() + " " + m.next(); got != "0 1 0 2 end" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A file that is followed gives what is appended, and ends when it is told to.
func TestFollow(t *testing.T) {
	head, packets := parts(t, 1, 2, 3)
	path := filepath.Join(t.TempDir(), "grows.pcapng")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := open(t, Options{Follow: true}, path)
	m := &mouth{t, f, s}
	m.none() // it is empty yet
	m.write(head)
	m.write(packets[0][:7])
	m.none()
	m.write(packets[0][7:])
	if got := m.next(); got != "0 1" {
		t.Errorf("got %s", got)
	}
	m.none()
	m.write(packets[1])
	m.write(packets[2][:20])
	if got := m.next(); got != "0 2" {
		t.Errorf("got %s", got)
	}
	s.Stop()
	if got := m.next(); got != "end" {
		t.Errorf("got %s", got)
	}
	if in := s.Infos()[0]; in.Failed || in.Problem != "" || in.Packets != 2 {
		t.Errorf("%+v", in)
	}
}

// A file that becomes shorter can't be followed any more.
func TestFollowShorter(t *testing.T) {
	path := onDisk(t, timedFile(t, 1, 2))[0]
	s := open(t, Options{Follow: true}, path)
	m := &mouth{t: t, src: s}
	if got := m.next() + " " + m.next(); got != "0 1 0 2" {
		t.Fatal(got)
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if got := m.next(); got != "end" {
		t.Errorf("got %s", got)
	}
	if in := s.Infos()[0]; !in.Failed || !strings.Contains(in.Problem, "shorter") {
		t.Errorf("%+v", in)
	}
}

// Several inputs are merged by time. What is silent for long is waited for no longer,
// unless it has not even begun.
func TestPipeMerges(t *testing.T) {
	head, packets := parts(t, 10, 20, 30, 40)
	other := onDisk(t, timedFile(t, 15, 35))[0]
	m := pipe(t, Options{}, other)
	m.none() // the pipe may begin with an earlier packet
	m.write(head)
	m.write(packets[0])
	if got := m.next(); got != "0 10" {
		t.Errorf("got %s", got)
	}
	m.write(packets[1])
	if got := m.next() + ", " + m.next(); got != "1 15, 0 20" {
		t.Errorf("got %s", got)
	}
	m.none()
	if got := m.next(); got != "1 35" { // a second later
		t.Errorf("got %s", got)
	}
	m.write(packets[2])
	if got := m.next(); got != "0 30" {
		t.Errorf("got %s", got)
	}
}

// A named pipe that nobody writes to does not hold up who opens it, and can be stopped.
func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := mkfifo(path); err != nil {
		t.Skip(err)
	}
	s := open(t, Options{}, path)
	m := &mouth{t: t, src: s}
	m.none()
	go func() {
		if w, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			w.Write(timedFile(t, 1))
			w.Close()
		}
	}()
	if got := m.next() + " " + m.next(); got != "0 1 end" {
		t.Errorf("got %s", got)
	}
	silent := filepath.Join(t.TempDir(), "silent")
	if err := mkfifo(silent); err != nil {
		t.Fatal(err)
	}
	s = open(t, Options{}, silent)
	s.Stop()
	if got := waitNext(t, s); got != "end" || s.Infos()[0].Failed {
		t.Errorf("got %s, %+v", got, s.Infos()[0])
	}
	if w, err := os.OpenFile(silent, os.O_RDWR, 0); err == nil {
		w.Close() // lets the goroutine go
	}
}

// What comes as a file does is not hurried; what trickles in, or was captured a moment
// ago, is.
func TestMaxWait(t *testing.T) {
	const d = 40 * time.Millisecond
	ms := make([]int64, 4000)
	for i := range ms {
		ms[i] = int64(i)
	}
	many := timedFile(t, ms...)
	for name, c := range map[string]struct {
		bytes   []byte
		packets int
		want    time.Duration
	}{
		"few":    {timedFile(t, 1, 2, 3), 3, 2 * d},
		"a file": {many, len(ms), forever},
		"now":    {file(t, WriterOptions{}, Record{Data: plainV4(hello), WireLen: 60, Time: time.Now().UnixNano(), HasTime: true, Link: LinkEthernet}), 1, d},
	} {
		m := pipe(t, Options{})
		go m.w.Write(c.bytes)
		for range c.packets {
			m.next()
		}
		if got := m.src.MaxWait(d); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	now := traffic{}
	now.add(10*bulkBytes, time.Now())
	now.see(&packetBatch{packets: []batchedPacket{{rec: Record{HasTime: true, Time: time.Now().UnixNano()}}}})
	if now.bulk() {
		t.Error("many packets that were captured a moment ago are taken for a file")
	}
	files := open(t, Options{}, onDisk(t, many)...)
	if files.Waits() || files.MaxWait(d) != forever {
		t.Error("a file is hurried")
	}
}

// An alarm ends a wait.
func TestWakeAt(t *testing.T) {
	m := pipe(t, Options{})
	m.src.Next() // nothing waits
	begin := time.Now()
	m.src.WakeAt(begin.Add(time.Hour))
	m.src.WakeAt(begin.Add(50 * time.Millisecond))
	m.src.Next()
	if took := time.Since(begin); took < 50*time.Millisecond {
		t.Errorf("it waited %v", took)
	}
}

var _ io.Reader = (*source)(nil)

// TestTruncatedWhileRead: a plain file that is cut below what was read of it has not come to
// its end: that is a problem of the input.
func TestTruncatedWhileRead(t *testing.T) {
	times := make([]int64, 5000)
	for i := range times {
		times[i] = int64(i + 1)
	}
	path := onDisk(t, timedFile(t, times...))[0]
	s := open(t, Options{}, path)
	if _, ok := s.Next(); !ok {
		t.Fatal("no packet")
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	for {
		if _, ok := s.Next(); !ok {
			break
		}
	}
	if in := s.Infos()[0]; !in.Failed || !strings.Contains(in.Problem, "shorter") {
		t.Errorf("%+v", in)
	}
}
