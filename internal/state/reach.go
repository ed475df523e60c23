package state

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// An extent is memory that is written in one piece: n values one after the other. Pointers may lead into its middle.
type extent struct {
	at unsafe.Pointer
	of *layout
	n  int
	id int // in the order in which they are written, -1 before it has one
}

func (e *extent) from() uintptr { return uintptr(e.at) }
func (e *extent) end() uintptr  { return e.from() + e.of.size*uintptr(e.n) }

// A reach finds all memory that values lead to.
type reach struct {
	codec *Codec
	seen  map[seenAt]int // how many values were looked at
	todo  []extent
	all   []extent
	err   error
}

type seenAt struct {
	at unsafe.Pointer
	of *layout
}

// find gives the extents, by address, none of which overlaps another.
func (c *Codec) find(roots []unsafe.Pointer) ([]extent, error) {
	r := &reach{codec: c, seen: map[seenAt]int{}}
	for i, p := range roots {
		r.add(p, c.roots[i], 1)
	}
	for len(r.todo) > 0 && r.err == nil {
		e := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		for i := range e.n {
			r.look(e.of, unsafe.Add(e.at, uintptr(i)*e.of.size))
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return merge(r.all)
}

// add takes memory that a pointer leads to.
func (r *reach) add(p unsafe.Pointer, of *layout, n int) {
	if _, _, ok := r.codec.fixedAt(p, of.t); ok || n == 0 || of.size == 0 {
		return
	}
	if r.codec.opaque[of.t] {
		r.fail("a pointer to %s that nobody knows", of.t)
		return
	}
	k := seenAt{p, of}
	before := r.seen[k]
	if before >= n {
		return
	}
	r.seen[k] = n
	r.all = append(r.all, extent{p, of, n, -1})
	if of.refs {
		r.todo = append(r.todo, extent{unsafe.Add(p, uintptr(before)*of.size), of, n - before, -1})
	}
}

func (r *reach) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// look follows the pointers of a value.
func (r *reach) look(l *layout, p unsafe.Pointer) {
	if !l.refs {
		return
	}
	switch l.kind {
	case structure:
		for i := range l.fields {
			if f := &l.fields[i]; f.of.refs {
				r.look(f.of, unsafe.Add(p, f.off))
			}
		}
	case array:
		for i := range l.n {
			r.look(l.elem, unsafe.Add(p, uintptr(i)*l.elem.size))
		}
	case slice:
		if s := (*sliceHead)(p); s.at != nil {
			r.add(s.at, l.elem, s.len)
		}
	case pointer:
		if at := *(*unsafe.Pointer)(p); at != nil {
			r.add(at, l.elem, 1)
		}
	case mapping:
		for it := reflect.NewAt(l.t, p).Elem().MapRange(); it.Next(); {
			r.look(l.key, addressOf(it.Key()))
			r.look(l.elem, addressOf(it.Value()))
		}
	case dynamic:
		if v := reflect.NewAt(l.t, p).Elem(); !v.IsNil() {
			r.lookDynamic(v.Elem())
		}
	}
}

func (r *reach) lookDynamic(v reflect.Value) {
	i, ok := r.codec.place[v.Type()]
	if !ok {
		r.fail("an interface holds a %s, which nobody knows", v.Type())
		return
	}
	r.look(r.codec.known[i], addressOf(v))
}

// sliceHead is a slice in memory.
type sliceHead struct {
	at       unsafe.Pointer
	len, cap int
}

// merge makes one of extents that lie in each other, or overlap.
func merge(all []extent) ([]extent, error) {
	slices.SortFunc(all, func(a, b extent) int {
		return cmp.Or(cmp.Compare(a.from(), b.from()), cmp.Compare(b.end(), a.end()))
	})
	out := all[:0]
	for _, e := range all {
		if len(out) == 0 || e.from() >= out[len(out)-1].end() {
			out = append(out, e)
			continue
		}
		last := &out[len(out)-1]
		off := e.from() - last.from()
		switch {
		case roomIn(last.of.t, last.n, off, e.of.t) >= e.n:
		case off == 0 && roomIn(e.of.t, e.n, 0, last.of.t) >= last.n:
			*last = e // what was there is its first field
		case last.of.t == e.of.t && off%e.of.size == 0:
			last.n = int(off/e.of.size) + e.n
		default:
			return nil, fmt.Errorf("%s overlaps %s", e.of.t, last.of.t)
		}
	}
	return out, nil
}
