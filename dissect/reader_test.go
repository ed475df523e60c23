package dissect

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var (
	fA = &Field{Name: "t.a", Kind: Uint, Size: 1, Clause: "TEXT 1.2"}
	fB = &Field{Name: "t.b", Kind: Uint, Size: 4}
	fM = &Field{Name: "t.mask", Kind: Uint, Base: Mask64}
	fP = &Field{Name: "t.payload", Kind: Bytes}
)

func TestReaderReadsEachWidth(t *testing.T) {
	data := []byte{0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b}
	var tree Tree
	tree.Reset(data)
	r := NewReader(data, &tree)
	got := []uint64{uint64(r.U8(fA)), uint64(r.U16(fA)), uint64(r.U32(fA)), uint64(r.B16(fA))}
	want := []uint64{0x01, 0x0302, 0x07060504, 0x0809}
	off := 0
	for i, width := range []int{1, 2, 4, 2} {
		if got[i] != want[i] {
			t.Errorf("read %d: %#x, want %#x", i, got[i], want[i])
		}
		if n := tree.Nodes[i]; n != (Node{fA, off, width, 0, want[i]}) {
			t.Errorf("node %d: %+v", i, n)
		}
		off += width
	}
	if r.Pos() != 9 || r.Len() != 2 || !r.OK() {
		t.Errorf("pos %d, len %d, ok %v", r.Pos(), r.Len(), r.OK())
	}
	if got := r.Rest(fP); !bytes.Equal(got, []byte{10, 11}) || cap(got) != 2 {
		t.Errorf("rest % x with capacity %d", got, cap(got))
	}
	if r.Rest(fP) != nil || len(tree.Nodes) != 5 {
		t.Errorf("an empty rest was recorded: %d nodes", len(tree.Nodes))
	}
	if err := r.Err(); err != nil || len(tree.Nodes) != 5 {
		t.Errorf("%v, %d nodes", err, len(tree.Nodes))
	}
}

func TestReaderMask64(t *testing.T) {
	data := []byte{1, 0, 0, 0, 2, 0, 0, 0}
	for _, tt := range []struct {
		lo, hi bool
		want   uint64
		size   int
	}{{false, false, 0, 0}, {true, false, 1, 4}, {false, true, 1 << 32, 4}, {true, true, 2<<32 | 1, 8}} {
		var tree Tree
		tree.Reset(data)
		r := NewReader(data, &tree)
		if got := r.Mask64(fM, tt.lo, tt.hi); got != tt.want || r.Pos() != tt.size {
			t.Errorf("lo %v hi %v: %#x over %d bytes, want %#x over %d", tt.lo, tt.hi, got, r.Pos(), tt.want, tt.size)
		}
		if n := tree.Find(fM); (n != nil) != (tt.size > 0) || n != nil && (n.Len != tt.size || n.Val != tt.want) {
			t.Errorf("lo %v hi %v: node %+v", tt.lo, tt.hi, n)
		}
	}
}

func TestReaderFirstFailureSticks(t *testing.T) {
	data := []byte{1, 2, 3}
	var tree Tree
	tree.Reset(data)
	r := NewReader(data, &tree)
	r.U8(fA)
	if v := r.U32(fB); v != 0 {
		t.Errorf("a failed read gave %d", v)
	}
	r.Fail(fA, "later")
	if r.U8(fA) != 0 || r.U16(fA) != 0 || r.B16(fA) != 0 || r.Mask64(fM, true, true) != 0 ||
		r.Bytes(fP, 1) != nil || r.Rest(fP) != nil || r.Peek(1) != nil {
		t.Error("a reader that failed went on reading")
	}
	r.Skip(fA, 1)
	if r.OK() || r.Len() != 0 || r.Pos() != 1 {
		t.Errorf("ok %v, len %d, pos %d", r.OK(), r.Len(), r.Pos())
	}
	err := r.Err()
	if got, want := err.Error(), "t.b at byte 1: truncated: want 4 bytes, have 2"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	if len(tree.Nodes) != 2 || tree.Nodes[1] != (Node{&Undecoded, 1, 2, 0, 0}) {
		t.Errorf("nodes %+v", tree.Nodes)
	}
}

func TestReaderErrorTexts(t *testing.T) {
	for _, tt := range []struct {
		read func(r *Reader)
		want string
	}{
		{func(r *Reader) { r.U8(fA) }, "t.a at byte 2: truncated: want 1 byte, have 0 (TEXT 1.2)"},
		{func(r *Reader) { r.Bytes(fP, 9) }, "t.payload at byte 2: truncated: want 9 bytes, have 0"},
		{func(r *Reader) { r.Bytes(fP, -1) }, "t.payload at byte 2: negative size"},
		{func(r *Reader) { r.Bytes(fP, math.MinInt) }, "t.payload at byte 2: negative size"},
		{func(r *Reader) { r.Skip(fP, -1) }, "t.payload at byte 2: negative size"},
		{func(r *Reader) { r.Skip(fP, math.MaxInt) }, "t.payload at byte 2: truncated: want 9223372036854775807 bytes, have 0"},
		{func(r *Reader) { r.FailAt(fA, 1, "reserved bits") }, "t.a at byte 1: reserved bits (TEXT 1.2)"},
	} {
		r := NewReader([]byte{0, 0}, nil)
		r.U16(fA)
		tt.read(&r)
		if err := r.Err(); err == nil || err.Error() != tt.want {
			t.Errorf("error %q, want %q", err, tt.want)
		}
	}
}

func TestReaderPeek(t *testing.T) {
	r := NewReader([]byte{1, 2}, nil)
	if r.Peek(3) != nil || r.Peek(-1) != nil || !bytes.Equal(r.Peek(2), []byte{1, 2}) || r.Pos() != 0 {
		t.Error("peek")
	}
}

// TestReaderClosesGroups: an error inside of a group leaves the undecoded row at
// the top.
func TestReaderClosesGroups(t *testing.T) {
	var tree Tree
	tree.Reset([]byte{1, 2})
	r := NewReader(tree.Data, &tree)
	tree.Open(fP, 0, 0)
	r.U8(fA)
	r.U32(fB)
	r.Err()
	if n := tree.Nodes; len(n) != 3 || n[1].Depth != 1 || n[2].Depth != 0 || n[2].Field != &Undecoded {
		t.Errorf("nodes %+v", tree.Nodes)
	}
}

// TestReaderTiles: whatever is read, in whatever order of widths, every byte has
// one owner, and a reader without a tree gives the same values.
func TestReaderTiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "data")
		ops := rapid.SliceOfN(rapid.IntRange(0, 8), 0, 20).Draw(t, "ops")
		var tree Tree
		tree.Reset(data)
		a, b := NewReader(data, &tree), NewReader(data, nil)
		for _, op := range ops {
			if x, y := readOp(&a, op), readOp(&b, op); x != y {
				t.Fatalf("op %d: %d with a tree, %d without", op, x, y)
			}
		}
		a.Err()
		next := 0
		for _, n := range tree.Nodes {
			if n.Off != next {
				t.Fatalf("byte %d: next node is at %d", next, n.Off)
			}
			next += n.Len
		}
		if next != len(data) || a.Pos() != b.Pos() || a.OK() != b.OK() {
			t.Fatalf("%d of %d bytes owned", next, len(data))
		}
	})
}

func readOp(r *Reader, op int) uint64 {
	switch op {
	case 0:
		return uint64(r.U8(fA))
	case 1:
		return uint64(r.U16(fA))
	case 2:
		return uint64(r.U16(fB))
	case 3:
		return uint64(r.U32(fA))
	case 4:
		return uint64(r.B16(fA))
	case 5, 6:
		return r.Mask64(fM, true, op == 6)
	case 7:
		return uint64(len(r.Bytes(fP, 5)))
	}
	return uint64(len(r.Rest(fP)))
}

func TestReaderAllocatesNothing(t *testing.T) {
	data := bytes.Repeat([]byte{7}, 64)
	var tree Tree
	read := func() {
		tree.Reset(data)
		r := NewReader(data, &tree)
		for op := range 9 {
			readOp(&r, op)
		}
		r.Err()
	}
	read()
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFieldNames(t *testing.T) {
	f := Field{Name: "dp8.payloads.size", Values: []Value{{3, "three"}}}
	if f.Key() != "size" || (&Field{Name: "plain"}).Key() != "plain" {
		t.Error("key")
	}
	if f.ValueName(3) != "three" || f.ValueName(4) != "" {
		t.Error("value name")
	}
	for k := Group; k <= IDs; k++ {
		if k.String() == "" || strings.ToLower(k.String()) != k.String() {
			t.Errorf("kind %d is called %q", k, k)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	data := bytes.Repeat([]byte{7}, 16)
	for _, withTree := range []bool{false, true} {
		name, tree := "typed", (*Tree)(nil)
		if withTree {
			name, tree = "tree", new(Tree)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if tree != nil {
					tree.Reset(data)
				}
				r := NewReader(data, tree)
				r.U8(fA)
				r.U8(fA)
				r.U16(fA)
				r.U32(fB)
				r.Rest(fP)
				r.Err()
			}
		})
	}
}
