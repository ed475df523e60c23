package state

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"unsafe"
)

// How a pointer is written: what follows tells more.
const (
	refNew   = iota // to the beginning of memory of its type, which is written later
	refFixed        // what is fixed: its number, and how many bytes after its beginning
	refInto         // into memory of another type, which is written later: type, values, bytes
	refBack         // into memory that has a number: how many numbers back, bytes
	refWhole        // from here on: to the beginning of such memory, how many numbers back
)

// A writer writes values.
type writer struct {
	*Codec
	out     []byte   // all but numbers
	columns [][]byte // numbers, of each scalar: those of one place are alike, and take fewer bytes beside each other
	extents []extent
	begins  map[unsafe.Pointer]int // of extents
	queue   []int                  // extents in the order of their numbers
	last    []uint64               // of each scalar: what was written of it last
	texts   map[string]int
	late    []memory // maps by pointers, which are written once what they point to has a number
	memory  int64    // that reading takes
	err     error
}

// maxShared is the longest text, in bytes, that is written once for all who have it.
const maxShared = 64

// Write appends values and all that they lead to, and tells how many bytes of memory reading them takes. The
// values are pointers, of the types that Begin was told.
func (c *Codec) Write(dst []byte, roots ...any) (out []byte, memory int64, err error) {
	list := make([]unsafe.Pointer, len(roots))
	for i, r := range roots {
		if t := reflect.TypeOf(r).Elem(); t != c.roots[i].t {
			return nil, 0, fmt.Errorf("%s in the place of %s", t, c.roots[i].t)
		}
		list[i] = reflect.ValueOf(r).UnsafePointer()
	}
	w := &writer{Codec: c, columns: make([][]byte, c.scalars), last: make([]uint64, c.scalars), texts: map[string]int{}, begins: map[unsafe.Pointer]int{}}
	if w.extents, err = c.find(list); err != nil {
		return nil, 0, err
	}
	for i := range w.extents {
		w.begins[w.extents[i].at] = i
	}
	for i, p := range list {
		e := w.extentOf(p)
		if e == nil || e.of != c.roots[i] || e.n != 1 {
			return nil, 0, fmt.Errorf("%s lies in another value", c.roots[i].t)
		}
		w.number(e)
	}
	for k := 0; w.err == nil && (k < len(w.queue) || len(w.late) > 0); {
		if k == len(w.queue) {
			m := w.late[0]
			w.late = w.late[1:]
			w.mapping(m.of, m.at)
			continue
		}
		e := &w.extents[w.queue[k]]
		w.run(e.of, e.at, e.n)
		k++
	}
	return w.append(dst), w.memory, w.err
}

// append appends what was written: how long each part is, and all parts.
func (w *writer) append(b []byte) []byte {
	size := len(w.out)
	for _, part := range w.columns {
		size += 9 + len(part)
	}
	b = slices.Grow(b, size)
	for _, part := range w.columns {
		b = appendUint(b, uint64(len(part)))
	}
	for _, part := range w.columns {
		b = append(b, part...)
	}
	return append(b, w.out...)
}

// number gives an extent the next number: it is written in their order.
func (w *writer) number(e *extent) {
	e.id = len(w.queue)
	w.queue = append(w.queue, w.begins[e.at])
	w.memory += memoryOf(e.of, e.n)
}

// memoryOf is about how much memory values take.
func memoryOf(l *layout, n int) int64 { return int64(l.size)*int64(n) + 16 }

// extentOf gives the memory that an address is in.
func (w *writer) extentOf(p unsafe.Pointer) *extent {
	if i, ok := w.begins[p]; ok {
		return &w.extents[i]
	}
	i, _ := slices.BinarySearchFunc(w.extents, uintptr(p), func(e extent, p uintptr) int {
		if e.from() > p {
			return 1
		}
		return -1
	})
	if i == 0 || uintptr(p) >= w.extents[i-1].end() {
		return nil
	}
	return &w.extents[i-1]
}

func (w *writer) uint(v uint64) { w.out = appendUint(w.out, v) }

// appendUint appends a number in 7 bits a byte; a ninth byte has 8.
func appendUint(b []byte, v uint64) []byte {
	for i := 0; i < 8; i++ {
		if v < 0x80 {
			return append(b, byte(v))
		}
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// run writes values one after the other: how many are zero, how many are not, these, and so on.
func (w *writer) run(l *layout, p unsafe.Pointer, n int) {
	if l.kind == unsigned && l.size == 1 {
		w.out = append(w.out, unsafe.Slice((*byte)(p), n)...)
		return
	}
	at := func(i int) unsafe.Pointer { return unsafe.Add(p, uintptr(i)*l.size) }
	for i := 0; i < n; {
		from := i
		for i < n && l.isZero(at(i)) {
			i++
		}
		w.uint(uint64(i - from))
		if from = i; i == n {
			return
		}
		for i < n && !l.isZero(at(i)) {
			i++
		}
		w.uint(uint64(i - from))
		for ; from < i; from++ {
			w.value(l, at(from))
		}
	}
}

// value writes one that is not zero.
func (w *writer) value(l *layout, p unsafe.Pointer) {
	switch l.kind {
	case boolean:
	case signed, unsigned:
		w.scalar(l, p)
	case floating:
		w.float(l, p)
	case text:
		w.text(*(*string)(p))
	case structure:
		w.structure(l, p)
	case array:
		w.run(l.elem, p, l.n)
	case slice:
		s := (*sliceHead)(p)
		if w.uint(uint64(s.len)); s.len > 0 {
			w.ref(l.elem, s.at, s.len)
		}
	case pointer:
		w.ref(l.elem, *(*unsafe.Pointer)(p), 1)
	case mapping:
		if l.late {
			w.late = append(w.late, memory{p, l, 1})
			return
		}
		w.mapping(l, p)
	case dynamic:
		w.dynamic(reflect.NewAt(l.t, p).Elem().Elem())
	case function:
		i, _, ok := w.fixedAt(*(*unsafe.Pointer)(p), l.t)
		if !ok {
			w.fail("a function that nobody knows: %s", l.name)
		}
		w.uint(uint64(i))
	default:
		w.fail("%s can't be written", l.name)
	}
}

func (w *writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// get reads a number from memory, as 64 bits.
func (l *layout) get(p unsafe.Pointer) uint64 {
	switch {
	case l.size == 8:
		return *(*uint64)(p)
	case l.size == 4 && l.kind == signed:
		return uint64(*(*int32)(p))
	case l.size == 4:
		return uint64(*(*uint32)(p))
	case l.size == 2 && l.kind == signed:
		return uint64(*(*int16)(p))
	case l.size == 2:
		return uint64(*(*uint16)(p))
	case l.kind == signed:
		return uint64(*(*int8)(p))
	}
	return uint64(*(*uint8)(p))
}

// scalar writes a number: by how much it differs from the one before in its place, where it may be large.
func (w *writer) scalar(l *layout, p unsafe.Pointer) {
	v, b := l.get(p), w.columns[l.slot]
	d := v
	if l.isTold() {
		d, w.last[l.slot] = v-w.last[l.slot], v
	}
	switch {
	case l.isRaw():
		for i := range l.size {
			b = append(b, byte(v>>(8*i)))
		}
	case l.size == 8 && l.kind == signed:
		b = appendStep(b, int64(d))
	case l.size == 1 && l.kind == unsigned:
		b = append(b, byte(v))
	default:
		b = appendUint(b, zigzag(int64(d)))
	}
	w.columns[l.slot] = b
}

// isRaw reports numbers that are written as they are in memory: those of 16 bits, most of which are identifications
// and parts of digests, and other digests.
func (l *layout) isRaw() bool { return l.digest || l.size == 2 && l.kind == unsigned }

// isTold reports numbers that are told from the one before in their place.
func (l *layout) isTold() bool { return l.size >= 4 && !l.digest }

// thousand is by what times are divided where they are of whole microseconds, as most captures have them.
const thousand = 1000

// wide says that a step follows that has no room beside the bit that tells of thousands.
const wide = 1

// appendStep appends a difference between times, or others: a bit tells whether it is in thousands.
func appendStep(b []byte, d int64) []byte {
	switch z := zigzag(d); {
	case d != 0 && d%thousand == 0:
		return appendUint(b, zigzag(d/thousand)<<1|1)
	case z < 1<<63:
		return appendUint(b, z<<1)
	default:
		return appendUint(append(b, wide), z)
	}
}

func zigzag(d int64) uint64 { return uint64(d)<<1 ^ uint64(d>>63) }

func (w *writer) float(l *layout, p unsafe.Pointer) {
	if l.size == 4 {
		w.uint(uint64(bits.Reverse32(*(*uint32)(p))))
		return
	}
	w.uint(bits.ReverseBytes64(*(*uint64)(p)))
}

func (w *writer) text(s string) {
	if i, ok := w.texts[s]; ok {
		w.uint(uint64(i)<<1 | 1)
		return
	}
	if len(s) <= maxShared {
		w.texts[s] = len(w.texts)
	}
	w.uint(uint64(len(s)) << 1)
	w.out = append(w.out, s...)
	w.memory += int64(len(s)) + 16
}

// structure writes which fields are not zero, a bit each, and then these.
func (w *writer) structure(l *layout, p unsafe.Pointer) {
	at := len(w.out)
	for range (len(l.fields) + 7) / 8 {
		w.out = append(w.out, 0)
	}
	for i := range l.fields {
		if f := &l.fields[i]; !f.of.isZero(unsafe.Add(p, f.off)) {
			w.out[at+i/8] |= 1 << (i % 8)
			w.value(f.of, unsafe.Add(p, f.off))
		}
	}
}

// ref writes a pointer to n values.
func (w *writer) ref(l *layout, p unsafe.Pointer, n int) {
	if i, off, ok := w.fixedAt(p, l.t); ok {
		w.uint(refFixed)
		w.uint(uint64(i))
		w.uint(uint64(off))
		return
	}
	if l.size == 0 {
		w.fail("a pointer to nothing: %s", l.name)
		return
	}
	e := w.extentOf(p)
	if e == nil {
		w.fail("a pointer to %s that was not found", l.name)
		return
	}
	off := uint64(uintptr(p) - e.from())
	switch {
	case e.id < 0 && e.of == l && e.n == n && off == 0:
		w.uint(refNew)
		w.number(e)
	case e.id < 0:
		w.uint(refInto)
		w.uint(uint64(e.of.serial))
		w.uint(uint64(e.n))
		w.uint(off)
		w.number(e)
	case off == 0:
		w.uint(refWhole + uint64(len(w.queue)-1-e.id))
	default:
		w.uint(refBack)
		w.uint(uint64(len(w.queue) - 1 - e.id))
		w.uint(off)
	}
}

func (w *writer) dynamic(v reflect.Value) {
	i := w.place[v.Type()]
	w.uint(uint64(i))
	w.memory += memoryOf(w.known[i], 1)
	w.run(w.known[i], addressOf(v), 1)
}

// mapping writes a map in the order of its keys. One by pointers is written after all that has
// a number by then: the keys are in the order of these.
func (w *writer) mapping(l *layout, p unsafe.Pointer) {
	m := reflect.NewAt(l.t, p).Elem()
	type entry struct {
		key, value reflect.Value
		by         []byte
	}
	entries := make([]entry, 0, m.Len())
	for it := m.MapRange(); it.Next(); {
		entries = append(entries, entry{it.Key(), it.Value(), w.sortKey(l.key, addressOf(it.Key()))})
	}
	slices.SortFunc(entries, func(a, b entry) int { return slices.Compare(a.by, b.by) })
	w.uint(uint64(len(entries)))
	w.memory += mapMemory(l, len(entries))
	for _, e := range entries {
		w.run(l.key, addressOf(e.key), 1)
		w.run(l.elem, addressOf(e.value), 1)
	}
}

// mapMemory is about how much memory a map takes.
func mapMemory(l *layout, n int) int64 { return 48 + 2*int64(n)*int64(l.key.size+l.elem.size+1) }

// sortKey is what a key is sorted by: it holds no pointers but to what is fixed.
func (w *writer) sortKey(l *layout, p unsafe.Pointer) (b []byte) {
	switch l.kind {
	case structure:
		for i := range l.fields {
			b = append(b, w.sortKey(l.fields[i].of, unsafe.Add(p, l.fields[i].off))...)
		}
	case array:
		for i := range l.n {
			b = append(b, w.sortKey(l.elem, unsafe.Add(p, uintptr(i)*l.elem.size))...)
		}
	case boolean:
		b = append(b, *(*byte)(p))
	case signed, unsigned:
		v := l.get(p)
		if l.kind == signed {
			v ^= 1 << 63
		}
		b = binary.BigEndian.AppendUint64(nil, v)
	case floating:
		b = binary.BigEndian.AppendUint64(nil, math.Float64bits(reflect.NewAt(l.t, p).Elem().Float()))
	case text:
		b = append(append(b, *(*string)(p)...), 0)
	case pointer:
		at := *(*unsafe.Pointer)(p)
		i, off, ok := w.fixedAt(at, l.elem.t)
		if !ok && at != nil {
			e := w.extentOf(at)
			if e == nil || e.id < 0 {
				w.fail("a map by pointers to what nothing else points to: %s", l.name)
				return nil
			}
			i, off = len(w.fixed)+e.id, uintptr(at)-e.from()
		}
		b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(i)), uint64(off))
	default:
		w.fail("a map by %s", l.name)
	}
	return b
}
