package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// What is written is read again, in each format and compression.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.pcapng", "a.pcap", "a.cap", "a", "a.pcapng.gz", "a.pcap.gz", "a.pcapng.zst", "a.pcap.zst", "a.pcapng.lz4", "a.PCAP.LZ4"} {
		path := filepath.Join(dir, name)
		r := create(t, Options{Path: path, Nanoseconds: true, Interfaces: []capture.Interface{{Name: "eth0", Link: capture.LinkEthernet}, {Name: "eth1", Link: capture.LinkEthernet}}})
		ng := r.opts.Format == "pcapng"
		var want []*capture.Record
		bytes := uint64(0)
		for i := range 3000 {
			rec := packet(i)
			rec.Interface = i % 2
			if ng {
				rec.Outbound = i%3 == 0
			}
			must(t, r.Write(rec))
			if i%700 == 0 {
				must(t, r.Flush())
			}
			if !ng {
				rec.Interface = 0
			}
			want, bytes = append(want, rec), bytes+uint64(len(rec.Data))
		}
		must(t, r.Close())
		got := readFile(t, path)
		if len(got.recs) != len(want) {
			t.Fatalf("%s: %d packets", name, len(got.recs))
		}
		for i := range want {
			if !same(&got.recs[i], want[i]) {
				t.Fatalf("%s: packet %d is %+v", name, i, got.recs[i])
			}
		}
		lower := strings.ToLower(name)
		if (got.format == "pcap") != (strings.Contains(lower, ".pcap") && !strings.Contains(lower, "ng") || lower == "a.cap") || got.packing != suffixes[filepath.Ext(lower)] {
			t.Errorf("%s is %s, %q", name, got.format, got.packing)
		}
		st, err := os.Stat(path)
		must(t, err)
		if c := r.Counters(); c.Packets != 3000 || c.Bytes != bytes || c.FileBytes != st.Size() || c.Files != 1 || c.Deleted != 0 {
			t.Errorf("%s: %+v, the file has %d bytes", name, c, st.Size())
		}
	}
}

// Times of pcap are microseconds unless more is asked for.
func TestPcapMicroseconds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pcap")
	r := create(t, Options{Path: path})
	must(t, r.Write(packet(1)))
	must(t, r.Close())
	if got := readFile(t, path).recs[0].Time; got != testTime.UnixNano()+1e6 {
		t.Error(got)
	}
}

func TestStandardOutput(t *testing.T) {
	for _, kind := range []string{"", "gzip", "zstd", "lz4"} {
		var b bytes.Buffer
		r := create(t, Options{Path: "-", Compress: kind, Stdout: &b})
		for i := range 10 {
			must(t, r.Write(packet(i)))
		}
		must(t, r.Close())
		if got := read(b.Bytes()); len(got.recs) != 10 || got.err != io.EOF || got.format != "pcapng" || got.packing != kind {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

// A file that is there is written over, to its end.
func TestWritesOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pcapng")
	must(t, os.WriteFile(path, make([]byte, 100_000), 0o600))
	r := create(t, Options{Path: path})
	must(t, r.Write(packet(1)))
	must(t, r.Close())
	if got := readFile(t, path); len(got.recs) != 1 {
		t.Errorf("%d packets", len(got.recs))
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	null := []capture.Interface{{Link: capture.LinkEthernet}, {Link: capture.LinkNull}}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "no file to write to"},
		{Options{Path: dir}, dir + ": is a directory: give the name of a file"},
		{Options{Path: dir, Ring: Ring{Packets: 1}}, dir + ": is a directory: give the name of a file"},
		{Options{Path: "/dev/null", Ring: Ring{Packets: 1}}, "/dev/null: is a device: a ring of files needs the name of a file"},
		{Options{Path: dir + "/none/a.pcap"}, dir + "/none/a.pcap: no such file or directory"},
		{Options{Path: dir + "/none/a.pcap", Ring: Ring{Packets: 1}}, "no such file or directory"},
		{Options{Path: "a", Format: "snoop"}, `unknown capture format "snoop": pcap and pcapng can be written`},
		{Options{Path: "a", Compress: "xz"}, `unknown compression "xz": gzip, zstd and lz4 can be written`},
		{Options{Path: "a.gz", Compress: "zstd"}, "a.gz is the name of a gzip file, but zstd is asked for"},
		{Options{Path: "-", Ring: Ring{Packets: 1}}, "standard output (-) is one file: a ring of files needs a name"},
		{Options{Path: "a", Ring: Ring{Keep: Retention{Files: 2}}}, "ring of files: say when a file is full, by duration, interval, file size or packets"},
		{Options{Path: "a", Ring: Ring{FileSize: -1}}, "ring of files: a limit is negative"},
		{Options{Path: "a.pcap", Interfaces: null}, "a.pcap: pcap holds packets of one link type, here are ethernet and null; take pcapng"},
		{Options{Path: "a.pcap", Interfaces: null[:0]}, "a.pcap: pcap wants to know an interface from the start; take pcapng"},
		{Options{Path: "a", Interfaces: []capture.Interface{{Link: 1 << 16}}}, "a: link type 65536 does not fit in a pcapng file"},
		{Options{Path: "a", Comment: strings.Repeat("x", 1<<16)}, "a: a text of 65536 bytes, more than 65535"},
	} {
		if c.o.Interfaces == nil {
			c.o.Interfaces = ether
		}
		if _, err := Create(c.o); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	if len(files(t, dir)) != 0 {
		t.Error("files are left")
	}
}

// A packet that the format can't hold is refused, and the next one is written.
func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, wants := range map[string][]string{
		"a.pcap":   {"a.pcap: pcap holds packets of one link type, here are ethernet and raw; take pcapng", "a.pcap: packet of interface 1, there are 1", "a.pcap: pcap holds no packet without a time from 1970 to 2106"},
		"a.pcapng": {"a.pcapng: packet with link layer raw, its interface has ethernet", "a.pcapng: packet of interface 1, there are 1", "a.pcapng: pcapng without offset holds no time before 1970"},
	} {
		r := create(t, Options{Path: filepath.Join(dir, name)})
		raw, other, early := packet(0), packet(0), packet(0)
		raw.Link, other.Interface, early.Time = capture.LinkRaw, 1, -1
		for i, rec := range []*capture.Record{raw, other, early} {
			if err := r.Write(rec); err == nil || err.Error() != filepath.Join(dir, wants[i]) {
				t.Errorf("%v", err)
			}
		}
		must(t, r.Write(packet(1)))
		must(t, r.Close())
		must(t, r.Close())
		if err := r.Write(packet(2)); err != errClosed {
			t.Errorf("after Close: %v", err)
		}
		if got := readFile(t, filepath.Join(dir, name)); len(got.recs) != 1 || r.Counters().Packets != 1 {
			t.Errorf("%s: %d packets", name, len(got.recs))
		}
	}
}

// Interfaces may come while packets do, and are in each file from then on.
func TestAddInterface(t *testing.T) {
	dir := t.TempDir()
	r := create(t, Options{Path: filepath.Join(dir, "r.pcapng"), Interfaces: []capture.Interface{}, Ring: Ring{Packets: 2}})
	for i := range 6 {
		if i%2 == 0 {
			n, err := r.AddInterface(capture.Interface{Link: capture.LinkType(i)})
			if n != i/2 || err != nil {
				t.Fatal(n, err)
			}
		}
		rec := packet(i)
		rec.Interface, rec.Link = i/2, capture.LinkType(i/2*2)
		must(t, r.Write(rec))
	}
	if _, err := r.AddInterface(capture.Interface{Link: 1 << 16}); err == nil {
		t.Error("link type 65536 is accepted")
	}
	must(t, r.Close())
	for i, path := range files(t, dir) {
		got := readFile(t, path)
		if len(got.recs) != 2 || got.recs[1].Link != capture.LinkType(2*i) {
			t.Errorf("%s: %+v", path, got)
		}
	}
	p := create(t, Options{Path: filepath.Join(t.TempDir(), "a.pcap")})
	if n, err := p.AddInterface(capture.Interface{Link: capture.LinkEthernet, Name: "eth1"}); n != 1 || err != nil {
		t.Error(n, err)
	}
	if _, err := p.AddInterface(capture.Interface{Link: capture.LinkRaw}); err == nil || !strings.HasSuffix(err.Error(), "ethernet and raw; take pcapng") {
		t.Error(err)
	}
	must(t, p.Close())
}

// clock is a time that the test sets.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

// Packets can be read by others once Flush or, after a time, Tick was called.
func TestFlush(t *testing.T) {
	for _, kind := range []string{"", "gzip", "zstd", "lz4"} {
		path := filepath.Join(t.TempDir(), "a")
		r := create(t, Options{Path: path, Compress: kind})
		c := &clock{testTime}
		r.now = c.now
		readable := func() int {
			b, err := os.ReadFile(path)
			must(t, err)
			return len(read(b).recs)
		}
		steps := []struct {
			after time.Duration
			do    func() error
			plain int
			pack  int
		}{
			{0, r.flush, 1, 1},
			{10 * time.Millisecond, r.Flush, 2, 1},
			{400 * time.Millisecond, func() error { return r.Tick(c.Time) }, 2, 1},
			{500 * time.Millisecond, func() error { return r.Tick(c.Time) }, 4, 1},
			{90 * time.Millisecond, r.Flush, 5, 5},
			{time.Second, func() error { return r.Tick(c.Time) }, 6, 6},
		}
		for i, s := range steps {
			c.Time = c.Add(s.after)
			must(t, r.Write(packet(i)))
			must(t, s.do())
			want := s.plain
			if kind != "" {
				want = s.pack
			}
			if got := readable(); got != want {
				t.Errorf("%q step %d: %d packets can be read, not %d", kind, i, got, want)
			}
		}
		must(t, r.Close())
	}
}

// A device is written to as it is, and is full.
func TestDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	r := create(t, Options{Path: "/dev/null"})
	must(t, r.Write(packet(0)))
	must(t, r.Close())
	_, err := Create(Options{Path: "/dev/full", Interfaces: ether})
	var e *Error
	if !errors.As(err, &e) || err.Error() != "/dev/full: no space left on device" {
		t.Error(err)
	}
	if st, err := os.Stat("/dev/full"); err != nil || st.Mode().IsRegular() {
		t.Error("/dev/full is not what it was")
	}
}

// The texts are in the file, and each interface has them.
func TestTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pcapng")
	r := create(t, Options{Path: path, Application: "the app", Hardware: "the cpu", OS: "the system", Filter: "udp port 1", Comment: "the reason",
		Interfaces: []capture.Interface{{Name: "eth0", Link: 1, Description: "uplink"}, {Name: "eth1", Link: 1, OS: "other", Filter: "arp"}}})
	must(t, r.Close())
	b, err := os.ReadFile(path)
	must(t, err)
	option := func(code byte, v string) string {
		b := append([]byte{code, 0, byte(len(v)), 0}, v...)
		return string(append(b, make([]byte, -len(v)&3)...))
	}
	for _, want := range [][]string{
		{option(1, "the reason"), option(2, "the cpu"), option(3, "the system"), option(4, "the app")},
		{option(2, "eth0"), option(3, "uplink"), option(9, "\x09"), option(11, "\x00udp port 1"), option(12, "the system")},
		{option(2, "eth1"), option(9, "\x09"), option(11, "\x00arp"), option(12, "other")},
	} {
		if !bytes.Contains(b, []byte(strings.Join(want, ""))) {
			t.Errorf("%q is not in % x", want, b)
		}
	}
}

func TestNames(t *testing.T) {
	start := time.Date(2026, 11, 20, 19, 3, 22, 0, time.Local)
	for path, want := range map[string]string{
		"r.pcapng":         "r_00007_20261120190322.pcapng",
		"/tmp/x.y/r":       "/tmp/x.y/r_00007_20261120190322",
		"r.a.pcap":         "r.a_00007_20261120190322.pcap",
		"/tmp/r.pcapng.gz": "/tmp/r_00007_20261120190322.pcapng.gz",
		"r.zst":            "r_00007_20261120190322.zst",
		"r.tar.LZ4":        "r_00007_20261120190322.tar.LZ4",
	} {
		o := Options{Path: path}
		n, err := o.resolve()
		if got := ringName(n, 7, start); err != nil || got != want {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
	o := Options{Path: "r.pcapng", Compress: "zstd"}
	n, err := o.resolve()
	if got := ringName(n, 123456, start); err != nil || got != "r_123456_20261120190322.pcapng.zst" {
		t.Error(got, err)
	}
	var kinds []string
	for _, k := range suffixes {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	if !slices.Equal(kinds, []string{"gzip", "lz4", "zstd"}) {
		t.Error(kinds)
	}
}
