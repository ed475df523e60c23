package record

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
)

// ng makes blocks of pcapng by hand, in a byte order.
type ng struct {
	byteOrder
	b []byte
}

func newNG(order byteOrder) *ng { return &ng{byteOrder: order} }

func (n *ng) block(typ uint32, body []byte) {
	body = append(body, make([]byte, -len(body)&3)...)
	size := uint32(len(body) + 12)
	n.b = n.AppendUint32(n.AppendUint32(n.b, typ), size)
	n.b = n.AppendUint32(append(n.b, body...), size)
}

// numbers are several numbers, of 32 bits, or of the size of their type.
func (n *ng) numbers(vs ...any) (b []byte) {
	for _, v := range vs {
		switch v := v.(type) {
		case int:
			b = n.AppendUint32(b, uint32(v))
		case uint16:
			b = n.AppendUint16(b, v)
		case uint64:
			b = n.AppendUint64(b, v)
		case string:
			b = append(b, v...)
			b = append(b, make([]byte, -len(v)&3)...)
		}
	}
	return b
}

func (n *ng) option(code uint16, value []byte) []byte {
	return n.numbers(code, uint16(len(value)), string(value))
}

func (n *ng) end() []byte { return make([]byte, 4) }

func (n *ng) section(comment string) {
	n.block(blockSection, slices.Concat(n.numbers(sectionMagic, uint16(1), uint16(0), uint64(1000)), n.option(1, []byte(comment)), n.end()))
}

func (n *ng) iface(name string, resolution byte, offset uint64) {
	n.block(blockInterface, slices.Concat(n.numbers(uint16(1), uint16(0), 96), n.option(2, []byte(name)),
		n.option(9, []byte{resolution}), n.option(14, n.numbers(offset)), n.end()))
}

func (n *ng) packet(id int, stamp uint64, data string, options ...[]byte) {
	n.block(blockEnhanced, slices.Concat(n.numbers(id, int(stamp>>32), int(stamp), len(data), len(data)+2, data), slices.Concat(options...)))
}

// everything is a file with all kinds of blocks.
func everything(order byteOrder, name string) []byte {
	n := newNG(order)
	n.section("section of " + name)
	n.iface(name+"0", 6, 0)
	n.iface(name+"1", 9, 7)
	n.block(blockNames, slices.Concat(n.numbers(uint16(1), uint16(9), "\x0a\x00\x00\x01host\x00", uint16(0), uint16(0)), n.option(1, []byte("names")), n.end()))
	n.packet(1, 1<<40+5, "packet-one", n.option(2, n.numbers(2)), n.option(1, []byte("first")), n.option(4, n.numbers(uint64(3))), n.end())
	n.packet(0, 1<<30+6, "packet-two!", n.option(1, []byte("no end of options")))
	n.block(0x80001234, []byte("unknown!"))
	n.packet(0, 1<<30+7, "packet-three")
	n.block(blockPacket, slices.Concat(n.numbers(uint16(1), uint16(9), 1, 8, 4, 4, "old!"), n.option(1, []byte("old")), n.end()))
	n.block(blockSimple, n.numbers(6, "simple"))
	n.block(blockCustom, n.numbers(77, "custom!!"))
	n.block(blockSecrets, n.numbers(0x544c534b, 5, "keys\n"))
	n.block(blockStatistics, slices.Concat(n.numbers(1, 0, 99), n.option(2, n.numbers(0, 98)), n.option(4, n.numbers(uint64(12))), n.option(5, n.numbers(uint64(4))), n.end()))
	return n.b
}

// copyOf reads files with blocks and gives what a Copy makes of them, with a comment for each
// packet by its number.
func copyOf(t testing.TB, o CopyOptions, comment func(i int) string, files ...[]byte) ([]byte, error) {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, f := range files {
		paths = append(paths, fmt.Sprintf("%s/%d", dir, i))
		must(t, os.WriteFile(paths[i], f, 0o600))
	}
	src, err := capture.Open(paths, capture.Options{Blocks: true})
	must(t, err)
	defer src.Close()
	c := NewCopy(o)
	var out []byte
	packets := 0
	for {
		p, ok := src.Next()
		if !ok {
			break
		}
		if err := c.Hold(p.Record, p.File); err != nil {
			return nil, err
		}
		packets++
	}
	for i := range packets {
		if out, err = c.Next(out, 0, true, []byte(comment(i+1))); err != nil {
			return out, err
		}
	}
	for i := range files {
		blocks, lost := src.Rest(i)
		if lost > 0 {
			t.Fatalf("%d blocks are left out", lost)
		}
		if out, err = c.Rest(out, i, blocks); err != nil {
			return out, err
		}
	}
	return c.End(out), nil
}

func numbered(i int) string { return fmt.Sprintf("comment %d", i) }

// TestCopyKeepsBlocks checks that of one input all blocks stay as they are, but for the
// comments.
func TestCopyKeepsBlocks(t *testing.T) {
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		in := append(everything(order, "x"), everything(binary.LittleEndian, "y")...)
		out, err := copyOf(t, CopyOptions{}, numbered, in)
		must(t, err)
		want, err := ngtest.Read(in)
		must(t, err)
		got, err := ngtest.Read(out)
		must(t, err)
		if len(got) != len(want) {
			t.Fatalf("%d blocks, want %d", len(got), len(want))
		}
		n := 0
		for i, w := range want {
			g := got[i]
			if w.IsPacket() {
				if n++; w.Type != blockSimple {
					w.Options = append(w.Options, ngtest.Option{Code: 1, Value: []byte(numbered(n))})
				}
			} else if w.Type != blockSection && !bytes.Equal(g.Body, w.Body) {
				t.Errorf("block %d of type %#x changed", i, w.Type)
			}
			if w.Type == blockSection && order.Uint64(g.Body[8:]) != 1<<64-1 {
				t.Errorf("the section still has the length %d", order.Uint64(g.Body[8:]))
			}
			if fixed := w.Type != blockSection && !bytes.Equal(g.Fixed, w.Fixed); g.Type != w.Type || fixed || fmt.Sprint(g.Options) != fmt.Sprint(w.Options) || !bytes.Equal(g.Data, w.Data) {
				t.Errorf("block %d: %+v, want %+v", i, g, w)
			}
		}
		if n != 10 {
			t.Errorf("%d packets", n)
		}
		plain, err := copyOf(t, CopyOptions{}, func(int) string { return "" }, in)
		must(t, err)
		for at := 0; at < len(in); { // the lengths of sections alone differ
			if i := bytes.Index(in[at:], []byte("\x0a\x0d\x0d\x0a")); i >= 0 && i < len(in)-at {
				copy(in[at+i+16:], "\xff\xff\xff\xff\xff\xff\xff\xff")
				at += i + 24
				continue
			}
			break
		}
		if !bytes.Equal(plain, in) {
			t.Error("without comments the file changed")
		}
	}
}

// TestCopyJoins checks that inputs of both byte orders become one section with the same
// content, whatever the order.
func TestCopyJoins(t *testing.T) {
	le, be := everything(binary.LittleEndian, "x"), everything(binary.BigEndian, "x")
	other := everything(binary.LittleEndian, "y")
	one, err := copyOf(t, CopyOptions{Join: true, Application: "test"}, numbered, le, other)
	must(t, err)
	two, err := copyOf(t, CopyOptions{Join: true, Application: "test"}, numbered, be, other)
	must(t, err)
	if !bytes.Equal(one, two) {
		t.Error("big-endian blocks are not the little-endian ones")
	}
	blocks, err := ngtest.Read(two)
	must(t, err)
	names, counts := []string{}, map[uint32]int{}
	for _, b := range blocks {
		counts[b.Type]++
		if b.Type == blockInterface {
			names = append(names, string(b.Options[0].Value))
		}
	}
	for i, p := range ngtest.Packets(blocks) {
		if c := p.Comments(); p.Type != blockSimple && (len(c) == 0 || c[len(c)-1] != numbered(i+1)) {
			t.Errorf("packet %d: the comments are %q", i+1, c)
		}
	}
	if want := map[uint32]int{blockSection: 1, blockInterface: 4, blockNames: 2, blockEnhanced: 7, blockPacket: 2, blockSimple: 1, 0x80001234: 2, blockCustom: 2, blockSecrets: 2, blockStatistics: 2}; fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("blocks by type are %v, want %v", counts, want)
	}
	slices.Sort(names)
	if fmt.Sprint(names) != "[x0 x1 y0 y1]" {
		t.Errorf("the interfaces are %v", names)
	}
	at := 0
	for i, b := range blocks { // each packet is of the interface that it was of
		if b.Type == blockInterface {
			at++
		}
		if b.IsPacket() && b.Interface >= at {
			t.Errorf("block %d names interface %d of %d", i, b.Interface, at)
		}
	}
}

// TestCopyRefuses checks what a Copy can't write.
func TestCopyRefuses(t *testing.T) {
	if err := NewCopy(CopyOptions{}).Hold(&capture.Record{Link: 70000}, 0); err == nil || err.Error() != "link type 70000 does not fit in a pcapng file" {
		t.Error(err)
	}
	long := strings.Repeat("x", MaxComment+1)
	out, err := copyOf(t, CopyOptions{}, func(int) string { return long[:MaxComment] }, everything(binary.LittleEndian, "x"))
	must(t, err)
	blocks, err := ngtest.Read(out)
	must(t, err)
	if c := ngtest.Packets(blocks)[0].Comments(); len(c) != 2 || len(c[1]) != MaxComment {
		t.Errorf("%d comments", len(c))
	}
	if out, err = copyOf(t, CopyOptions{}, func(int) string { return long }, everything(binary.LittleEndian, "x")); err != nil || bytes.Contains(out, []byte("xxxx")) {
		t.Errorf("a comment that is too long is written: %v", err)
	}
}

// TestCopyOfNothing checks that the output is a capture when the input is none.
func TestCopyOfNothing(t *testing.T) {
	out, err := copyOf(t, CopyOptions{Application: "test"}, numbered, []byte("nothing"))
	must(t, err)
	if c := read(out); c.err != io.EOF || c.format != "pcapng" {
		t.Errorf("%+v", c)
	}
}

// TestSpool checks that entries of all sizes come out as they went in.
func TestSpool(t *testing.T) {
	var s spool
	size := func(i int) int { return i * 7919 % 700_000 }
	for round := range 3 {
		for i := range 20 {
			s.push(uint32(round), bytes.Repeat([]byte{byte(i)}, i), bytes.Repeat([]byte{byte(i)}, size(i)))
		}
		for i := range 20 {
			n, first, second := s.pop()
			if n != uint32(round) || len(first) != i || len(second) != size(i) || i > 0 && (first[0] != byte(i) || second[len(second)-1] != byte(i)) {
				t.Fatalf("entry %d: %d, %d and %d bytes", i, n, len(first), len(second))
			}
		}
	}
	if len(s.chunks) > 0 {
		t.Errorf("%d chunks are left", len(s.chunks))
	}
}

// FuzzCopy checks that whatever a file holds, what a Copy makes of it is read back with the
// same packets, and the comments.
func FuzzCopy(f *testing.F) {
	f.Add(everything(binary.LittleEndian, "x"), []byte("comment"), false)
	f.Add(everything(binary.BigEndian, "x"), []byte("comment"), true)
	f.Fuzz(func(t *testing.T, file, comment []byte, join bool) {
		out, err := copyOf(t, CopyOptions{Join: join}, func(int) string { return string(comment) }, file)
		if err != nil {
			return
		}
		in, back := read(file), read(out)
		if back.err != io.EOF || len(back.recs) != len(in.recs) {
			t.Fatalf("%d packets and %v, want %d", len(back.recs), back.err, len(in.recs))
		}
		for i := range in.recs {
			a, b := &in.recs[i], &back.recs[i]
			if !bytes.Equal(a.Data, b.Data) || a.WireLen != b.WireLen || a.Time != b.Time || a.HasTime != b.HasTime || a.Outbound != b.Outbound || a.Drops != b.Drops {
				t.Fatalf("packet %d: %+v, want %+v", i+1, b, a)
			}
			if n := len(b.Comments) - len(a.Comments); n != 0 && (n != 1 || b.Comments[n-1+len(a.Comments)] != strings.TrimRight(string(comment), "\x00")) {
				t.Fatalf("packet %d: comments %q", i+1, b.Comments)
			}
		}
	})
}
