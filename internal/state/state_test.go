package state

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type shape interface{ area() float64 }

type square struct{ side float64 }

func (s square) area() float64 { return s.side * s.side }

type circle struct {
	around *node
	r      float64
}

func (c *circle) area() float64 { return 3 * c.r * c.r }

type law struct{ id string }

var laws = []law{{"first"}, {"second"}, {"third"}}

func judgeIt() int { return 7 }

type inner struct {
	n    int64
	flag bool
}

// A node has what tables have: shared pointers, cycles, pointers into the middle, slices of one array, maps,
// interfaces, and what is fixed.
type node struct {
	id       uint64
	small    int8
	name     string
	mids     [3]inner
	mid      *inner
	own      *inner
	next     *node
	list     []*node
	nums     []int32
	tail     []int32 // of nums
	raw      []byte
	blanks   []inner
	by       map[int16]*node
	shape    shape
	law      *law
	laws     []law
	judge    func() int
	f        float32
	flags    [70]bool
	scratch  chan int `state:"-"`
	spare    *node    `state:"-"`
	anything any
	marks    map[*node]int16
}

func codec() *Codec {
	c := New(square{}, &circle{}, &node{})
	c.Fix("laws", laws)
	c.Fix("judge", judgeIt)
	c.Begin(&node{})
	return c
}

// graph draws a graph of nodes.
func graph(t *rapid.T) *node {
	all := make([]*node, rapid.IntRange(1, 6).Draw(t, "nodes"))
	for i := range all {
		all[i] = new(node)
	}
	some := func() *node {
		if i := rapid.IntRange(-1, len(all)-1).Draw(t, "node"); i >= 0 {
			return all[i]
		}
		return nil
	}
	for i, n := range all {
		n.id, n.small, n.name = rapid.Uint64().Draw(t, "id"), rapid.Int8().Draw(t, "small"), rapid.SampledFrom([]string{"", "a", "b", strings.Repeat("long", 40)}).Draw(t, "name")
		n.mids[1] = inner{rapid.Int64().Draw(t, "n"), rapid.Bool().Draw(t, "flag")}
		if o := some(); o != nil {
			n.mid = &o.mids[rapid.IntRange(0, 2).Draw(t, "mid")]
		}
		if i > 0 && rapid.Bool().Draw(t, "shared") {
			n.own = all[i-1].own
		} else {
			n.own = &inner{int64(i), true}
		}
		n.next = some()
		for range rapid.IntRange(0, 3).Draw(t, "list") {
			n.list = append(n.list, some())
		}
		n.nums = rapid.SliceOf(rapid.Int32()).Draw(t, "nums")
		if k := len(n.nums); k > 0 {
			n.tail = n.nums[rapid.IntRange(0, k-1).Draw(t, "from"):]
		}
		n.raw = rapid.SliceOf(rapid.Byte()).Draw(t, "raw")
		n.blanks = make([]inner, rapid.IntRange(0, 5).Draw(t, "blanks"))
		n.by = rapid.SampledFrom([]map[int16]*node{nil, {}, {1: some(), -2: n, 300: nil}}).Draw(t, "by")
		n.shape = rapid.SampledFrom([]shape{nil, square{2.5}, &circle{around: some(), r: 1}}).Draw(t, "shape")
		n.law, n.laws = &laws[rapid.IntRange(0, 2).Draw(t, "law")], laws[1:]
		n.judge, n.f, n.flags[66] = judgeIt, rapid.Float32().Draw(t, "f"), true
		n.marks = map[*node]int16{nil: 4, n: 5}
		if o := some(); o != nil && n.next == o {
			n.marks[o] = 6
		}
		n.anything = rapid.SampledFrom([]any{nil, n, square{1}}).Draw(t, "any")
	}
	return all[0]
}

// TestWriteRead: what is read is what was written, with what is shared shared and what leads into the middle of
// something leading there, and written again it is the same bytes.
func TestWriteRead(t *testing.T) {
	c := codec()
	if u := c.Unknown(); len(u) > 0 {
		t.Fatal(u)
	}
	rapid.Check(t, func(t *rapid.T) {
		from := graph(t)
		b, memory, err := c.Write(nil, from)
		if err != nil {
			t.Fatal(err)
		}
		kept := &node{}
		to := &node{id: 5, name: "what was there", spare: kept}
		if err := c.Read(b, memory, to); err != nil {
			t.Fatal(err)
		}
		if to.spare != kept {
			t.Fatal("what is not written did not stay")
		}
		to.spare = nil
		again, _, err := c.Write(nil, to)
		if err != nil || string(again) != string(b) {
			t.Fatalf("%v: written again it is\n%x\n%x", err, b, again)
		}
		if to.judge() != judgeIt() {
			t.Fatal("another function")
		}
		for n := range walk(to) {
			if n.marks[nil] != 4 || n.marks[n] < 5 || n.marks[n.next] == 0 && len(n.marks) > 2 {
				t.Fatalf("%v", n.marks)
			}
		}
		if f, g := strip(from), strip(to); !reflect.DeepEqual(f, g) {
			t.Fatalf("%+v\n%+v", f, g)
		}
		for n := range walk(to) {
			if k := len(n.nums); len(n.tail) > 0 {
				if n.nums[k-1]++; n.tail[len(n.tail)-1] != n.nums[k-1] {
					t.Fatal("slices of one array are of two")
				}
			}
		}
		if err := c.Read(b, memory-1, &node{}); !errors.Is(err, ErrDamaged) {
			t.Fatalf("too much memory: %v", err)
		}
	})
}

// walk gives all nodes.
func walk(n *node) map[*node]bool {
	seen := map[*node]bool{}
	var at func(n *node)
	at = func(n *node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		at(n.next)
		for _, o := range n.list {
			at(o)
		}
		for _, o := range n.by {
			at(o)
		}
		if c, ok := n.shape.(*circle); ok {
			at(c.around)
		}
	}
	at(n)
	return seen
}

// strip takes away what reflect can't compare.
func strip(n *node) *node {
	for o := range walk(n) {
		o.judge, o.marks = nil, nil
	}
	return n
}

//lint:file-ignore U1000 types are written, whoever uses their fields

// TestPacked: bodies of any length come out of their files as they went in, and columns take the bytes that each
// of them needs.
func TestPacked(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 5000, window, 1_000_000} {
		body := make([]byte, n)
		for i := range body {
			body[i] = byte(rnd.UintN(2 << (i / (blockSize * 8) % 4)))
		}
		file := (&Head{}).Seal(body, 0)
		_, open, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := open(); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
		if most := n*23/64 + 512; len(file) > most {
			t.Errorf("%d bytes of 1 to 4 bits take %d, want at most %d", n, len(file), most)
		}
	}
}

// TestSteps: differences of whole microseconds take fewer bytes, and all are read as they were.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		d     int64
		bytes int
	}{{0, 1}, {1, 1}, {-16, 1}, {1000, 1}, {-31000, 1}, {31_000_000, 3}, {31_000_001, 4}, {math.MaxInt64, 10}, {math.MinInt64, 10}, {math.MaxInt64 - 807, 8}} {
		var b []byte
		b = appendStep(b, c.d)
		var r reader
		part := b
		if got := int64(r.step(&part)); got != c.d || len(b) != c.bytes || len(part) > 0 {
			t.Errorf("%d is %d, in %d bytes, want %d", c.d, got, len(b), c.bytes)
		}
	}
}

// TestUnknown: what can't be written is told, of types and of values.
func TestUnknown(t *testing.T) {
	type bad struct {
		ch  chan int
		f   func()
		Off func() `state:"-"`
	}
	c := New()
	c.Begin(&bad{})
	if u := c.Unknown(); len(u) != 2 {
		t.Errorf("unknown: %q", u)
	}
	if _, _, err := c.Write(nil, &bad{f: func() {}}); err == nil {
		t.Error("a function is written")
	}
	if _, _, err := codec().Write(nil, &node{law: &law{"another"}}); err == nil {
		t.Error("another law is written")
	}
	if _, _, err := codec().Write(nil, &node{anything: 5}); err == nil {
		t.Error("a type that nobody knows is written")
	}
}

// TestNumber: another type, another name or another number of what is fixed makes another number of the layout.
func TestNumber(t *testing.T) {
	type one struct{ a int }
	type two struct{ a, b int }
	seen := map[uint64]string{}
	for name, c := range map[string]*Codec{"none": New(), "one": New(one{}), "two": New(two{}), "both": New(one{}, two{})} {
		for k := range 3 {
			if k > 0 {
				c.Fix("laws", laws[:k])
			}
			c.Begin()
			n := c.Number()
			if old, ok := seen[n]; ok {
				t.Errorf("%s %d and %s have the same number", name, k, old)
			}
			seen[n] = name
			c.fixed, c.known = nil, nil
		}
	}
	if a, b := codec().Number(), codec().Number(); a != b {
		t.Errorf("numbers differ: %x %x", a, b)
	}
}

// TestDamaged: what is cut or extended is an error, and what is changed anywhere never ends in a panic, nor takes
// more memory than allowed.
func TestDamaged(t *testing.T) {
	c := codec()
	rapid.Check(t, func(t *rapid.T) {
		b, memory, err := c.Write(nil, graph(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Read(b[:rapid.IntRange(0, len(b)-1).Draw(t, "cut")], memory, &node{}); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut: %v", err)
		}
		if err := c.Read(append(b[:len(b):len(b)], 0), memory, &node{}); !errors.Is(err, ErrDamaged) {
			t.Fatalf("extended: %v", err)
		}
		for range 20 {
			bad := append([]byte(nil), b...)
			bad[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
			tryRead(t, c, bad, memory)
		}
	})
}

func tryRead(t interface{ Fatalf(string, ...any) }, c *Codec, b []byte, most int64) {
	n := &node{}
	if err := c.Read(b, most, n); err != nil && !errors.Is(err, ErrDamaged) {
		t.Fatalf("%v", err)
	} else if err == nil {
		if _, _, err := c.Write(nil, n); err != nil {
			t.Fatalf("what was read can't be written: %v", err)
		}
	}
}

// FuzzRead: nothing panics.
func FuzzRead(f *testing.F) {
	c := codec()
	b, _, _ := c.Write(nil, &node{id: 1 << 60, name: "x", list: []*node{{}, nil}, by: map[int16]*node{1: {}}, shape: square{2}, law: &laws[1], judge: judgeIt, tail: []int32{1, 2}})
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) { tryRead(t, c, b, 16*int64(len(b))) })
}
