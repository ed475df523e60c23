package record

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Wherever a file is cut, as by a crash, all packets that are whole before the cut
// are read.
func TestCutAnywhere(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.pcapng", "a.pcap", "a.pcapng.gz", "a.pcapng.zst", "a.pcapng.lz4"} {
		path := filepath.Join(dir, name)
		r := create(t, Options{Path: path, Nanoseconds: true})
		// ends[i] is where the file has packet i on disk.
		var ends []int64
		for i := range 20 {
			must(t, r.Write(packet(i)))
			must(t, r.flush())
			ends = append(ends, r.out.size)
		}
		must(t, r.Close())
		b, err := os.ReadFile(path)
		must(t, err)
		least := 0
		for cut := range len(b) {
			for least < len(ends) && ends[least] <= int64(cut) {
				least++
			}
			c := read(b[:cut])
			if len(c.recs) < least || len(c.recs) > least+1 {
				t.Fatalf("%s cut at %d of %d: %d packets, %d are whole", name, cut, len(b), len(c.recs), least)
			}
			for i := range c.recs {
				if !same(&c.recs[i], packet(i)) {
					t.Fatalf("%s cut at %d: packet %d differs", name, cut, i)
				}
			}
		}
	}
}

// A tight place takes so many bytes, then errors.
type tight struct {
	bytes.Buffer
	room int
}

var errTight = errors.New("full")

func (w *tight) Write(b []byte) (int, error) {
	n := min(len(b), w.room-w.Len())
	w.Buffer.Write(b[:n])
	if n < len(b) {
		return n, errTight
	}
	return n, nil
}

// A compressed file can be ended where it stood before any of its last two pieces,
// and a file that can't be cut says how many packets came through.
func TestPieces(t *testing.T) {
	for _, kind := range []string{"gzip", "zstd", "lz4"} {
		pack, err := newPacker(kind)
		must(t, err)
		for range 2 { // also when used again
			var b bytes.Buffer
			f := newFile("-", &b, nil, false, pack)
			_, err := f.Write(header(t))
			must(t, err)
			n := uint64(0)
			f.written = func() (int64, uint64) { return 0, n }
			for range 5 {
				_, err := f.Write(body(t, int(n), 10))
				must(t, err)
				n += 10
			}
			if len(f.marks) != 2 || f.marks[0].packets != 30 || f.marks[1].packets != 40 {
				t.Fatalf("%s: %+v", kind, f.marks)
			}
			for _, m := range f.marks {
				c := read(append(bytes.Clone(b.Bytes()[:m.size]), m.tail...))
				if c.err != io.EOF || uint64(len(c.recs)) != m.packets || c.packing != kind {
					t.Errorf("%s: ended at %d: %d packets, %v", kind, m.size, len(c.recs), c.err)
				}
			}
		}
	}
	for room := 100; room < 1000; room += 7 {
		w := &tight{room: room}
		r := create(t, Options{Path: "-", Stdout: w})
		var err error
		for i := 0; err == nil; i++ {
			must(t, r.Write(packet(i)))
			err = r.Flush()
		}
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, errTight) || e.Packets != uint64(len(read(w.Bytes()).recs)) {
			t.Errorf("room for %d: %v", room, err)
		}
	}
}

// A halving file takes half of what is written, then the disk is full.
type halving struct{ *os.File }

func (w halving) Write(b []byte) (int, error) {
	n, _ := w.File.Write(b[:len(b)/2])
	return n, errTight
}

// A compressed file with no place where it could end is empty: half of a header is no capture,
// and a ring removes the file.
func TestCutAfterNothing(t *testing.T) {
	for _, kind := range []string{"gzip", "zstd", "lz4"} {
		out, err := os.Create(filepath.Join(t.TempDir(), "a"))
		must(t, err)
		defer out.Close()
		pack, err := newPacker(kind)
		must(t, err)
		f := newFile(out.Name(), halving{out}, out, true, pack)
		if _, err := f.Write(header(t)); !errors.Is(err, errTight) || f.size == 0 {
			t.Errorf("%s: %d bytes, %v", kind, f.size, err)
		}
		packets := f.cut()
		if st, err := out.Stat(); err != nil || st.Size() != 0 || f.size != 0 || packets != 0 {
			t.Errorf("%s: %d packets in %d bytes, noted as %d: %v", kind, packets, st.Size(), f.size, err)
		}
	}
}

// header and body are pieces of a pcap file.
func header(t *testing.T) []byte { return plain(t, 0, 0) }

func body(t *testing.T, first, n int) []byte { return plain(t, first, n)[24:] }

func plain(t *testing.T, first, n int) []byte {
	var b bytes.Buffer
	r := create(t, Options{Path: "-", Format: "pcap", Stdout: &b})
	for i := range n {
		must(t, r.Write(packet(first+i)))
	}
	must(t, r.Close())
	return b.Bytes()
}

// TestGzipHead: a recording says neither when it was packed nor under which name, so that
// the same packets give the same bytes, and gunzip -N does not set the date of 1970.
func TestGzipHead(t *testing.T) {
	var b bytes.Buffer
	pack, err := newPacker("gzip")
	must(t, err)
	_, err = newFile("-", &b, nil, false, pack).Write(header(t))
	must(t, err)
	head := bytes.Clone(b.Bytes())
	z, err := gzip.NewReader(&b)
	must(t, err)
	if !z.ModTime.IsZero() || z.Name != "" || z.Comment != "" || z.Extra != nil || z.OS != 255 || head[3] != 0 || head[8] != 4 {
		t.Errorf("%+v, flags %#x, made with speed %d", z.Header, head[3], head[8]) // RFC 1952: 255 is unknown, 4 the fastest
	}
}
