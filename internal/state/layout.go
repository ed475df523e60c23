package state

import (
	"fmt"
	"reflect"
	"unsafe"
)

// A layout is how values of a type lie in memory.
type layout struct {
	t      reflect.Type
	name   string
	kind   kind
	serial int // in the order in which layouts were made
	size   uintptr
	refs   bool    // there are pointers in it
	plain  bool    // it is zero where all of its bytes are, and nowhere else
	slot   int     // of numbers: a place of their own, which the next one is told from
	digest bool    // of numbers: no bit of them can be told from others (the tag `state:"digest"`)
	n      int     // elements of an array
	elem   *layout // of arrays, slices, pointers, and of maps the values
	key    *layout // of maps
	late   bool    // of maps by pointers to what is not fixed
	fields []field // those that are written
}

type field struct {
	name string
	off  uintptr
	of   *layout
}

type kind uint8

const (
	unwritten kind = iota // what can't be written
	boolean
	signed
	unsigned
	floating
	text
	structure
	array
	slice
	pointer
	mapping
	dynamic // an interface
	function
)

var kinds = [...]kind{
	reflect.Bool: boolean, reflect.Int: signed, reflect.Int8: signed, reflect.Int16: signed, reflect.Int32: signed, reflect.Int64: signed,
	reflect.Uint: unsigned, reflect.Uint8: unsigned, reflect.Uint16: unsigned, reflect.Uint32: unsigned, reflect.Uint64: unsigned,
	reflect.Float32: floating, reflect.Float64: floating, reflect.String: text, reflect.Struct: structure, reflect.Array: array,
	reflect.Slice: slice, reflect.Pointer: pointer, reflect.Map: mapping, reflect.Interface: dynamic, reflect.Func: function,
	reflect.UnsafePointer: unwritten,
}

func nameOf(t reflect.Type) string {
	if t.Name() == "" {
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}

// layoutOf gives the layout of a type. Those of numbers are made for each place again.
func (c *Codec) layoutOf(t reflect.Type) *layout {
	if l := c.layouts[t]; l != nil {
		return l
	}
	l := &layout{t: t, name: nameOf(t), kind: kinds[t.Kind()], size: t.Size(), plain: true, serial: len(c.order)}
	c.order = append(c.order, l)
	switch l.kind {
	case signed, unsigned:
		l.slot = c.scalars
		c.scalars++
		return l
	case boolean, floating:
		return l
	}
	c.layouts[t] = l
	l.plain = false
	switch l.kind {
	case structure:
		c.layStruct(l)
	case array:
		l.n, l.elem = t.Len(), c.layoutOf(t.Elem())
		l.refs, l.plain = l.elem.refs, l.elem.plain
	case slice, pointer:
		if l.refs = true; c.opaque[t.Elem()] {
			l.elem = &layout{t: t.Elem(), size: t.Elem().Size()}
		} else {
			l.elem = c.layoutOf(t.Elem())
		}
	case mapping:
		l.key, l.elem, l.refs = c.layoutOf(t.Key()), c.layoutOf(t.Elem()), true
		l.late = l.key.kind == pointer && !c.opaque[t.Key().Elem()]
	case dynamic, function:
		l.refs = true
	}
	return l
}

func (c *Codec) layStruct(l *layout) {
	end := uintptr(0)
	l.plain = true
	for i := range l.t.NumField() {
		f := l.t.Field(i)
		if f.Tag.Get("state") == "-" || f.Type.Size() == 0 {
			l.plain = l.plain && f.Type.Size() == 0
			continue
		}
		of := c.layoutOf(f.Type)
		if f.Tag.Get("state") == "digest" && (of.kind == signed || of.kind == unsigned) {
			of.digest = true
		}
		if of.kind == unwritten || of.kind == function {
			of.name = fmt.Sprintf("%s.%s (%s)", l.name, f.Name, f.Type)
		}
		l.fields = append(l.fields, field{f.Name, f.Offset, of})
		l.refs = l.refs || of.refs
		l.plain = l.plain && of.plain && f.Offset == end
		end = f.Offset + f.Type.Size()
	}
	l.plain = l.plain && end == l.size
}

// roomIn is how many values of a type stand one after the other in n values of another one, from a byte on.
func roomIn(in reflect.Type, n int, off uintptr, t reflect.Type) int {
	size := in.Size()
	if size == 0 || off >= size*uintptr(n) {
		return 0
	}
	i, off := int(off/size), off%size
	if in == t && off == 0 {
		return n - i
	}
	switch in.Kind() {
	case reflect.Array:
		return roomIn(in.Elem(), in.Len(), off, t)
	case reflect.Struct:
		for k := range in.NumField() {
			if f := in.Field(k); f.Offset <= off && off < f.Offset+f.Type.Size() {
				return roomIn(f.Type, 1, off-f.Offset, t)
			}
		}
	}
	return 0
}

// isZero reports whether nothing of a value needs to be written.
func (l *layout) isZero(p unsafe.Pointer) bool {
	if isBlank(p, l.size) {
		return true
	}
	if l.plain {
		return false
	}
	switch l.kind {
	case text:
		return *(*string)(p) == ""
	case slice:
		return *(*unsafe.Pointer)(p) == nil
	case structure:
		for i := range l.fields {
			if f := &l.fields[i]; !f.of.isZero(unsafe.Add(p, f.off)) {
				return false
			}
		}
		return true
	case array:
		for i := range l.n {
			if !l.elem.isZero(unsafe.Add(p, uintptr(i)*l.elem.size)) {
				return false
			}
		}
		return true
	}
	return false
}

// isBlank reports whether so many bytes are 0.
func isBlank(p unsafe.Pointer, size uintptr) bool {
	for ; size >= 8; p, size = unsafe.Add(p, 8), size-8 {
		if *(*uint64)(p) != 0 {
			return false
		}
	}
	for ; size > 0; p, size = unsafe.Add(p, 1), size-1 {
		if *(*byte)(p) != 0 {
			return false
		}
	}
	return true
}
