// Package state writes down what a table of connections has come to, and reads it again: values and all that
// they point to, with shared pointers and cycles, whatever their types are. It walks types, not values that tell
// of themselves: a new field needs no work here.
//
// A field with the tag `state:"-"` is not written: it keeps what it has where values are read into others. What
// both sides have anyway (tables of rules, functions) is written as its number, see Codec.Fix, and what stands
// in interfaces must be of known types, see New. One with the tag `state:"digest"` is written as it is.
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
	opaque  map[reflect.Type]bool // whose values are all fixed
	byAddr  []int                 // fixed by address
	words   []string              // that count for Number
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
	c := &Codec{layouts: map[reflect.Type]*layout{}, place: map[reflect.Type]int{}, opaque: map[reflect.Type]bool{}}
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
	c.fixed = append(c.fixed, f)
	c.byAddr = nil
}

// Also makes Number depend on words.
func (c *Codec) Also(words ...string) { c.words = append(c.words, words...) }

// Begin tells the types of what Write and Read are called with: pointers to it.
func (c *Codec) Begin(roots ...any) {
	for _, t := range c.kept {
		c.known = append(c.known, c.layoutOf(t))
	}
	for _, r := range roots {
		c.roots = append(c.roots, c.layoutOf(reflect.TypeOf(r).Elem()))
	}
}

// Unknown tells what of the types can't be written: functions that are not fixed, channels and the like.
func (c *Codec) Unknown() (all []string) {
	for _, l := range c.order {
		known := l.kind == function && slices.ContainsFunc(c.fixed, func(f fixed) bool { return f.t == l.t })
		if l.kind == unwritten || l.kind == function && !known {
			all = append(all, l.name)
		}
	}
	return all
}

// encoding is changed with the way in which values are written.
const encoding = "columns"

// Number is made of the types that are written, and of what is fixed: states of another one can't be read.
func (c *Codec) Number() (n uint64) {
	h := sha256.New()
	fmt.Fprintln(h, encoding)
	for _, l := range c.order {
		l.describe(h)
	}
	for i := range c.fixed {
		fmt.Fprintln(h, c.fixed[i].name, nameOf(c.fixed[i].t), c.fixed[i].n)
	}
	fmt.Fprintln(h, c.words)
	return binary.BigEndian.Uint64(h.Sum(nil))
}

func (l *layout) describe(w io.Writer) {
	fmt.Fprintln(w, l.name, l.kind, l.size, l.n, l.digest)
	for i := range l.fields {
		fmt.Fprintln(w, l.fields[i].name, l.fields[i].of.name)
	}
}

// fixedAt finds what is fixed that holds a value of a type at an address, and how many bytes
// from its beginning on.
func (c *Codec) fixedAt(p unsafe.Pointer, t reflect.Type) (i int, off uintptr, ok bool) {
	if c.byAddr == nil {
		for i := range c.fixed {
			c.byAddr = append(c.byAddr, i)
		}
		slices.SortStableFunc(c.byAddr, func(a, b int) int { return cmp.Compare(uintptr(c.fixed[a].at), uintptr(c.fixed[b].at)) })
	}
	k, _ := slices.BinarySearchFunc(c.byAddr, uintptr(p), func(i int, p uintptr) int {
		if uintptr(c.fixed[i].at) <= p {
			return -1
		}
		return 1
	})
	for k--; k >= 0; k-- { // of several at one address, one holds it
		f := &c.fixed[c.byAddr[k]]
		if off = uintptr(p) - uintptr(f.at); off >= f.size*uintptr(f.n) && off > 0 {
			break
		}
		if f.size > 0 && roomIn(f.t.Elem(), f.n, off, t) > 0 || f.size == 0 && f.t == t {
			return c.byAddr[k], off, true
		}
	}
	return 0, 0, false
}

// addressOf gives where a copy of a value is.
func addressOf(v reflect.Value) unsafe.Pointer {
	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return at.UnsafePointer()
}
