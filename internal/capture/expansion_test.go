package capture

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestExpansionVerdict: what is small, or expands as captures do, is read, whatever
// its content; what was asked for counts alone.
func TestExpansionVerdict(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		asked, content, compressed int64
		stops                      string
	}{
		{0, 256 * mib, 1, ""},
		{0, 256*mib + 1, 256 << 10, "1000 times"},
		{0, 257 * mib, 300 << 10, ""},
		{0, 60 << 30, 100 * mib, ""},
		{0, 65 << 30, 10 << 30, "64 GiB; --max-expansion"},
		{1 << 30, 1 << 30, 1, ""},
		{1 << 30, 1<<30 + 1, 1 << 30, "1 GiB, as --max-expansion says"},
		{100 << 30, 65 << 30, 1, ""},
	} {
		err := Expansion{c.asked}.verdict("zstd", c.content, c.compressed)
		if (err == nil) != (c.stops == "") || err != nil && !strings.Contains(err.Error(), c.stops) {
			t.Errorf("%d bytes from %d, asked for %d: %v, want %q", c.content, c.compressed, c.asked, err, c.stops)
		}
	}
}

// TestExpansionStops: packets that were read before the limit are given, whatever the
// compression, and the input has failed. What is after the first stream of the compressed
// file is one stream of ten packets, over and over: it costs nothing to make.
func TestExpansionStops(t *testing.T) {
	const size, streams = pcapHeader + 60_000, 500
	plain := file(t, WriterOptions{}, slices.Repeat([]Record{record(make([]byte, size-pcapHeader), 0)}, 10)...)
	head, packets := plain[:pcapFileHeader], plain[pcapFileHeader:]
	for _, c := range []struct {
		kind string
		most int64
		want int // packets, about
	}{
		{"zstd", 0, freeContent / size}, {"zstd", 1 << 30, 10 * streams},
		{"gzip", 20 << 20, 20 << 20 / size}, {"lz4", 20 << 20, 20 << 20 / size}, {"bzip2", 20 << 20, 20 << 20 / size},
	} {
		small := cat(packed(t, c.kind, head), bytes.Repeat(packed(t, c.kind, packets), streams))
		s, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(small), Expansion: Expansion{Bytes: c.most}})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, ok := s.NextRecord(); ok; _, ok = s.NextRecord() {
			n++
		}
		i := s.Infos()[0]
		whole := c.want == 10*streams
		if n < c.want || n > c.want+40 || i.Failed == whole || i.CutShort || strings.HasPrefix(i.Problem, "not read to its end") == whole {
			t.Errorf("%s, %d: %d packets, want %d, failed %t, %q", c.kind, c.most, n, c.want, i.Failed, i.Problem)
		}
		s.Close()
	}
}

// TestExpansionAtOnce: a header that lies after the limit is not looked for.
func TestExpansionAtOnce(t *testing.T) {
	b := packed(t, "zstd", make([]byte, 1<<20))
	rd, err := newReader(bytes.NewReader(b), 64, Expansion{Bytes: 1}, false)
	if err == nil || err == io.EOF || rd.Next(new(Record)) == nil {
		t.Errorf("%v", err)
	}
}
