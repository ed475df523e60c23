package record

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// testTime is when packets begin: on a second that is a multiple of many.
var testTime = time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)

var ether = []capture.Interface{{Name: "eth0", Link: capture.LinkEthernet}}

// packet is number i of a capture with one packet a millisecond. Its content tells
// its number.
func packet(i int) *capture.Record {
	data := fmt.Appendf(nil, "\x02\x00\x00\x00\x00\x02\x02\x00\x00\x00\x00\x01\x88\xb5 packet %06d %s", i, strings.Repeat("x", i%7))
	return &capture.Record{Data: data, WireLen: len(data) + i%3, Time: testTime.UnixNano() + int64(i)*1e6 + 7, HasTime: true, Link: capture.LinkEthernet}
}

func create(t testing.TB, o Options) *Recorder {
	t.Helper()
	if o.Interfaces == nil {
		o.Interfaces = ether
	}
	r, err := Create(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contents is what a file holds, and how reading it ended.
type contents struct {
	recs    []capture.Record
	format  string
	packing string
	told    uint64 // drops by packets
	stats   uint64 // by statistics
	known   bool
	err     error
}

func read(b []byte) (c contents) {
	rd, err := capture.NewReader(bytes.NewReader(b))
	if err != nil {
		rd.Close()
		return contents{err: err}
	}
	defer rd.Close()
	for err == nil {
		var rec capture.Record
		if err = rd.Next(&rec); err == nil {
			rec.Data = bytes.Clone(rec.Data)
			c.recs = append(c.recs, rec)
			c.told += rec.Drops
		}
	}
	c.err, c.format, c.packing = err, rd.Format(), rd.Compression()
	c.stats, c.known = rd.Dropped()
	return c
}

// readFile reads a file that must be sound.
func readFile(t testing.TB, path string) contents {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	c := read(b)
	if c.err != io.EOF {
		t.Fatalf("%s: %v", path, c.err)
	}
	return c
}

// files lists what is in a folder, in order.
func files(t testing.TB, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	slices.Sort(paths)
	return paths
}

// same compares a packet with the one that was written.
func same(got, want *capture.Record) bool {
	return bytes.Equal(got.Data, want.Data) && got.WireLen == want.WireLen && got.Time == want.Time && got.HasTime == want.HasTime &&
		got.Interface == want.Interface && got.Outbound == want.Outbound && got.Drops == want.Drops && slices.Equal(got.Comments, want.Comments)
}

// tool runs one of Wireshark's, which must like the file.
func tool(t testing.TB, args ...string) string {
	t.Helper()
	bin, err := exec.LookPath(args[0])
	if err != nil {
		t.Skipf("%s is not installed", args[0])
	}
	cmd := exec.Command(bin, args[1:]...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}
