// Package state writes down what a table of connections has come to, and reads it again: values and all that
// they point to, with shared pointers and cycles, whatever their types are. It walks types, not values that tell
// of themselves: a new field needs no work here.
//
// A field with the tag `state:"-"` is not written: it keeps what it has where values are read into others. What
// both sides have anyway (tables of rules, functions) is written as its number, see Codec.Fix, and what stands
// behind interfaces must be of known types, see New.
package state

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
	"unsafe"
)

// A Codec writes values of the types that it was made for.
type Codec struct {
	roots   []*layout
	layouts map[reflect.Type]*layout
	order   []*layout      // in which they were made
	scalars int            // numbers, each of which has a place of its own in what is written
	kept    []reflect.Type // that interfaces may hold, by name
	known   []*layout      // of these
	place   map[reflect.Type]int
	fixed   []fixed
	opaque  map[reflect.Type]bool  // whose values are all fixed
	exact   map[unsafe.Pointer]int // where one begins: of those the first
	byAddr  []int                  // fixed by address
}

// A fixed is something that both sides have. It is not written.
type fixed struct {
	name string
	at   unsafe.Pointer
	size uintptr // of each of them, 0 for a function
	n    int
	t    reflect.Type
}

// New makes a Codec. types are values of the types that interfaces may hold, in any order.
func New(types ...any) *Codec {
	c := &Codec{layouts: map[reflect.Type]*layout{}, place: map[reflect.Type]int{}, opaque: map[reflect.Type]bool{}, exact: map[unsafe.Pointer]int{}}
	for _, v := range types {
		c.kept = append(c.kept, reflect.TypeOf(v))
	}
	slices.SortFunc(c.kept, func(a, b reflect.Type) int { return cmp.Compare(nameOf(a), nameOf(b)) })
	c.kept = slices.Compact(c.kept)
	for i, t := range c.kept {
		c.place[t] = i
	}
	return c
}

// Fix tells of something that both sides have: a pointer to it, a slice of it, or a function. The same is fixed
// under the same name on both sides, in the same order, before Begin. All pointers to values of its type are to
// what is fixed.
func (c *Codec) Fix(name string, v any) {
	if t := reflect.TypeOf(v); t.Kind() != reflect.Func {
		c.opaque[t.Elem()] = true
	}
	c.Share(name, v)
}

// Share is Fix for something beside which other values of its type are written.
func (c *Codec) Share(name string, v any) {
	x := reflect.ValueOf(v)
	f := fixed{name: name, n: 1, t: x.Type()}
	switch x.Kind() {
	case reflect.Func:
		f.at = *(*unsafe.Pointer)(addressOf(x))
	case reflect.Slice:
		f.at, f.n, f.size = x.UnsafePointer(), x.Len(), f.t.Elem().Size()
	default:
		f.at, f.size = x.UnsafePointer(), f.t.Elem().Size()
	}
	if f.at == nil {
		return
	}
	if _, twice := c.exact[f.at]; !twice {
		c.exact[f.at] = len(c.fixed)
	}
	c.fixed = append(c.fixed, f)
	c.byAddr = nil
}

// Begin tells the types of what Write and Read are called with: pointers to it.
func (c *Codec) Begin(roots ...any) {
	for _, t := range c.kept {
		c.known = append(c.known, c.layoutOf(t))
	}
	for _, r := range roots {
		c.roots = append(c.roots, c.layoutOf(reflect.TypeOf(r).Elem()))
	}
}

// Unknown tells what of the types can't be written: functions that are not fixed, channels and the like. It is
// for tests.
func (c *Codec) Unknown() (all []string) {
	for _, l := range c.order {
		known := l.kind == function && slices.ContainsFunc(c.fixed, func(f fixed) bool { return f.t == l.t })
		if l.kind == unwritten || l.kind == function && !known {
			all = append(all, l.name)
		}
	}
	return all
}

// Number is made of the types that are written, and of what is fixed: states of another one can't be read.
func (c *Codec) Number() (n uint64) {
	h := sha256.New()
	for _, l := range c.order {
		l.describe(h)
	}
	for i := range c.fixed {
		fmt.Fprintln(h, c.fixed[i].name, nameOf(c.fixed[i].t), c.fixed[i].n)
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

func (l *layout) describe(w io.Writer) {
	fmt.Fprintln(w, l.name, l.kind, l.size, l.n)
	for i := range l.fields {
		fmt.Fprintln(w, l.fields[i].name, l.fields[i].of.name)
	}
}

// fixedAt finds what is fixed at an address, and how many bytes from its beginning on.
func (c *Codec) fixedAt(p unsafe.Pointer) (i int, off uintptr, ok bool) {
	if i, ok := c.exact[p]; ok {
		return i, 0, true
	}
	if c.byAddr == nil {
		for i := range c.fixed {
			if c.fixed[i].size > 0 {
				c.byAddr = append(c.byAddr, i)
			}
		}
		slices.SortFunc(c.byAddr, func(a, b int) int { return cmp.Compare(uintptr(c.fixed[a].at), uintptr(c.fixed[b].at)) })
	}
	k, _ := slices.BinarySearchFunc(c.byAddr, uintptr(p), func(i int, p uintptr) int { return cmp.Compare(uintptr(c.fixed[i].at), p) })
	if k == 0 {
		return 0, 0, false
	}
	f := &c.fixed[c.byAddr[k-1]]
	off = uintptr(p) - uintptr(f.at)
	return c.byAddr[k-1], off, off < f.size*uintptr(f.n)
}

// addressOf gives where a copy of a value is.
func addressOf(v reflect.Value) unsafe.Pointer {
	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return at.UnsafePointer()
}
