package state

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"
)

// ErrDamaged says that what is read was not written by Write, or not as it is.
var ErrDamaged = errors.New("it is damaged")

// A reader reads what a writer wrote. What is wrong ends it by a panic with damage, which Read recovers.
type reader struct {
	*Codec
	in      []byte
	columns [][]byte
	memory  int64    // that may still be taken
	all     []memory // by their numbers
	late    []memory // maps that are read after these
	last    []uint64
	texts   []string
	rooms   map[roomKey]int // what was found of pointers into memory
}

// memory is n values that were made.
type memory struct {
	at unsafe.Pointer
	of *layout
	n  int
}

type roomKey struct {
	in, want reflect.Type
	n        int
	off      uintptr
}

type damage struct{ error }

func (r *reader) fail(format string, args ...any) {
	panic(damage{fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)})
}

// Read reads into values, which are of the types that Begin was told. What they hold of fields that are not
// written stays. No more than so many bytes of memory are taken.
func (c *Codec) Read(b []byte, most int64, roots ...any) (err error) {
	r := &reader{Codec: c, in: b, memory: most, last: make([]uint64, c.scalars), rooms: map[roomKey]int{}}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case damage:
			err = x.error
		default:
			panic(x)
		}
	}()
	r.split()
	for i, root := range roots {
		p := reflect.ValueOf(root).UnsafePointer()
		r.take(memoryOf(c.roots[i], 1))
		c.roots[i].wipe(p)
		r.all = append(r.all, memory{p, c.roots[i], 1})
	}
	for k := 0; k < len(r.all) || len(r.late) > 0; {
		if k == len(r.all) {
			m := r.late[0]
			r.late = r.late[1:]
			r.mapping(m.of, m.at)
			continue
		}
		m := r.all[k]
		r.run(m.of, m.at, m.n)
		k++
	}
	for _, part := range append(r.columns, r.in) {
		if len(part) > 0 {
			r.fail("%d bytes too many", len(part))
		}
	}
	return nil
}

// split finds the parts.
func (r *reader) split() {
	r.columns = make([][]byte, r.scalars)
	sizes := make([]uint64, r.scalars)
	for i := range sizes {
		sizes[i] = r.uint()
	}
	for i, n := range sizes {
		r.columns[i] = r.bytes(n)
	}
}

// wipe makes what is written of a value zero.
func (l *layout) wipe(p unsafe.Pointer) {
	if l.kind != structure {
		reflect.NewAt(l.t, p).Elem().SetZero()
		return
	}
	for i := range l.fields {
		l.fields[i].of.wipe(unsafe.Add(p, l.fields[i].off))
	}
}

// take takes memory into account before it is there.
func (r *reader) take(n int64) {
	if r.memory -= n; r.memory < 0 {
		r.fail("it takes more memory than it may")
	}
}

// make makes memory for values and gives it the next number.
func (r *reader) make(l *layout, n uint64) unsafe.Pointer {
	if l.size == 0 || n == 0 || n > uint64(r.memory)/uint64(l.size) {
		r.fail("%d of %s", n, l.name)
	}
	r.take(memoryOf(l, int(n)))
	var p unsafe.Pointer
	if n == 1 {
		p = reflect.New(l.t).UnsafePointer()
	} else {
		p = reflect.MakeSlice(reflect.SliceOf(l.t), int(n), int(n)).UnsafePointer()
	}
	r.all = append(r.all, memory{p, l, int(n)})
	return p
}

func (r *reader) uint() uint64 { return r.uintOf(&r.in) }

// uintOf reads from a part.
func (r *reader) uintOf(part *[]byte) (v uint64) {
	in := *part
	for i := 0; i < 9; i++ {
		if i == len(in) {
			break
		}
		b := in[i]
		if i == 8 {
			v |= uint64(b) << 56
		} else {
			v |= uint64(b&0x7f) << (7 * i)
		}
		if b < 0x80 || i == 8 {
			*part = in[i+1:]
			return v
		}
	}
	r.fail("it ends early")
	return 0
}

func (r *reader) bytes(n uint64) []byte { return r.bytesOf(&r.in, n) }

func (r *reader) bytesOf(part *[]byte, n uint64) []byte {
	if n > uint64(len(*part)) {
		r.fail("it ends early")
	}
	b := (*part)[:n]
	*part = (*part)[n:]
	return b
}

func (r *reader) run(l *layout, p unsafe.Pointer, n int) {
	if l.kind == unsigned && l.size == 1 {
		copy(unsafe.Slice((*byte)(p), n), r.bytes(uint64(n)))
		return
	}
	for i := uint64(0); i < uint64(n); {
		zeros := r.uint()
		if zeros > uint64(n)-i {
			r.fail("%d zeros of %d", zeros, n)
		}
		if i += zeros; i == uint64(n) {
			return
		}
		others := r.uint()
		if others > uint64(n)-i || others == 0 {
			r.fail("%d values of %d", others, n)
		}
		for end := i + others; i < end; i++ {
			r.value(l, unsafe.Add(p, uintptr(i)*l.size))
		}
	}
}

func (r *reader) value(l *layout, p unsafe.Pointer) {
	switch l.kind {
	case boolean:
		*(*bool)(p) = true
	case signed, unsigned:
		r.scalar(l, p)
	case floating:
		r.float(l, p)
	case text:
		*(*string)(p) = r.text()
	case structure:
		r.structure(l, p)
	case array:
		r.run(l.elem, p, l.n)
	case slice:
		r.slice(l, p)
	case pointer:
		*(*unsafe.Pointer)(p) = r.ref(l.elem, 1)
	case mapping:
		if l.late {
			r.late = append(r.late, memory{p, l, 1})
			return
		}
		r.mapping(l, p)
	case dynamic:
		r.dynamic(l, reflect.NewAt(l.t, p).Elem())
	case function:
		i := r.uint()
		if i >= uint64(len(r.fixed)) || r.fixed[i].t != l.t {
			r.fail("no function: %d", i)
		}
		*(*unsafe.Pointer)(p) = r.fixed[i].at
	default:
		r.fail("%s can't be read", l.name)
	}
}

// put writes a number to memory.
func (l *layout) put(p unsafe.Pointer, v uint64) {
	switch l.size {
	case 8:
		*(*uint64)(p) = v
	case 4:
		*(*uint32)(p) = uint32(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	default:
		*(*uint8)(p) = uint8(v)
	}
}

func (r *reader) scalar(l *layout, p unsafe.Pointer) {
	var v uint64
	part := &r.columns[l.slot]
	switch {
	case l.isRaw():
		for i, b := range r.bytesOf(part, uint64(l.size)) {
			v |= uint64(b) << (8 * i)
		}
	case l.size == 1 && l.kind == unsigned:
		v = uint64(r.bytesOf(part, 1)[0])
	case l.size == 8 && l.kind == signed:
		v = r.step(part)
	default:
		v = zagzig(r.uintOf(part))
	}
	if l.isTold() {
		v += r.last[l.slot]
		r.last[l.slot] = v
	}
	if l.put(p, v); l.get(p) != v {
		r.fail("%d is no %s", v, l.name)
	}
}

// step reads a difference.
func (r *reader) step(part *[]byte) uint64 {
	switch v := r.uintOf(part); {
	case v == wide:
		return zagzig(r.uintOf(part))
	case v&1 != 0:
		return zagzig(v>>1) * thousand
	default:
		return zagzig(v >> 1)
	}
}

func zagzig(v uint64) uint64 { return v>>1 ^ -(v & 1) }

func (r *reader) float(l *layout, p unsafe.Pointer) {
	v := r.uint()
	if l.size == 8 {
		*(*uint64)(p) = bits.ReverseBytes64(v)
		return
	}
	if v > 1<<32-1 {
		r.fail("%d is no %s", v, l.name)
	}
	*(*uint32)(p) = bits.Reverse32(uint32(v))
}

func (r *reader) text() string {
	n := r.uint()
	if n&1 != 0 {
		if n >>= 1; n >= uint64(len(r.texts)) {
			r.fail("no text: %d", n)
		}
		return r.texts[n]
	}
	b := r.bytes(n >> 1)
	r.take(int64(len(b)) + 16)
	s := string(b)
	if len(s) <= maxShared {
		r.texts = append(r.texts, s)
	}
	return s
}

func (r *reader) structure(l *layout, p unsafe.Pointer) {
	set := r.bytes(uint64(len(l.fields)+7) / 8)
	for i := range l.fields {
		if set[i/8]>>(i%8)&1 != 0 {
			r.value(l.fields[i].of, unsafe.Add(p, l.fields[i].off))
		}
	}
	if n := len(l.fields) % 8; n != 0 && set[len(set)-1]>>n != 0 {
		r.fail("a field that %s has not", l.name)
	}
}

// empty is where slices of no values point to.
var empty [1]uint64

func (r *reader) slice(l *layout, p unsafe.Pointer) {
	n := r.uint()
	s := sliceHead{unsafe.Pointer(&empty), 0, 0}
	if n > 0 {
		if n > 1<<40 {
			r.fail("%d of %s", n, l.elem.name)
		}
		s = sliceHead{r.ref(l.elem, int(n)), int(n), int(n)}
	}
	*(*sliceHead)(p) = s
}

// ref reads a pointer to n values.
func (r *reader) ref(l *layout, n int) unsafe.Pointer {
	switch ref := r.uint(); ref {
	case refNew:
		if r.opaque[l.t] {
			r.fail("a new %s", l.t)
		}
		return r.make(l, uint64(n))
	case refFixed:
		i, off := r.uint(), r.uint()
		if i >= uint64(len(r.fixed)) {
			r.fail("what is fixed has no number %d", i)
		}
		f := &r.fixed[i]
		if f.size == 0 || r.room(f.t.Elem(), f.n, off, l.t) < n {
			r.fail("%s holds no %s", f.name, l.t)
		}
		return unsafe.Add(f.at, off)
	case refInto:
		serial, count, off := r.uint(), r.uint(), r.uint()
		if serial >= uint64(len(r.order)) || r.order[serial].kind == unwritten {
			r.fail("no type: %d", serial)
		}
		of := r.order[serial]
		return r.into(memory{r.make(of, count), of, int(count)}, off, l, n)
	case refBack:
		return r.into(r.numbered(r.uint()), r.uint(), l, n)
	default:
		return r.into(r.numbered(ref-refWhole), 0, l, n)
	}
}

func (r *reader) numbered(back uint64) memory {
	if back >= uint64(len(r.all)) {
		r.fail("a pointer to nothing")
	}
	return r.all[uint64(len(r.all))-1-back]
}

// into gives a pointer into memory, where there are so many values.
func (r *reader) into(m memory, off uint64, l *layout, n int) unsafe.Pointer {
	if r.room(m.of.t, m.n, off, l.t) < n {
		r.fail("%s in %s", l.t, m.of.t)
	}
	return unsafe.Add(m.at, off)
}

// room is roomIn, which is remembered.
func (r *reader) room(in reflect.Type, n int, off uint64, want reflect.Type) int {
	size := uint64(in.Size())
	if in == want && off%size == 0 && off/size < uint64(n) {
		return n - int(off/size)
	}
	if off >= size*uint64(n) {
		return 0
	}
	k := roomKey{in, want, n, uintptr(off)}
	if n > 16 {
		return roomIn(in, n, uintptr(off), want)
	}
	at, ok := r.rooms[k]
	if !ok {
		at = roomIn(in, n, uintptr(off), want)
		r.rooms[k] = at
	}
	return at
}

func (r *reader) dynamic(l *layout, v reflect.Value) {
	i := r.uint()
	if i >= uint64(len(r.known)) || !r.known[i].t.Implements(l.t) {
		r.fail("%d is no %s", i, l.name)
	}
	of := r.known[i]
	r.take(memoryOf(of, 1))
	x := reflect.New(of.t)
	r.run(of, x.UnsafePointer(), 1)
	v.Set(x.Elem())
}

func (r *reader) mapping(l *layout, p unsafe.Pointer) {
	m := reflect.NewAt(l.t, p).Elem()
	n := r.uint()
	if n > uint64(len(r.in)) {
		r.fail("a map of %d", n)
	}
	r.take(mapMemory(l, int(n)))
	m.Set(reflect.MakeMapWithSize(l.t, int(n)))
	for range n {
		key, value := reflect.New(l.key.t), reflect.New(l.elem.t)
		r.run(l.key, key.UnsafePointer(), 1)
		r.run(l.elem, value.UnsafePointer(), 1)
		m.SetMapIndex(key.Elem(), value.Elem())
	}
}
