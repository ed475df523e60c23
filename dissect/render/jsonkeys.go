package render

import (
	"unsafe"

	"github.com/dpdissect/dpdissect/dissect"
)

// fieldKey is what an encoder keeps of a field.
type fieldKey struct {
	field *dissect.Field
	key   []byte        // `,"control":`
	fixed [keyRoom]byte // the key again, when it is short enough
	id    int           // number of the key: fields with the same key have the same one
	next  *fieldKey     // of the field that followed last time
	plain bool          // a number in decimal, without flags
	flags *flagKey
}

const keyRoom = 32

// appendKey appends the key with its comma. Where there is room after dst it
// copies a fixed size, which is cheaper than the size of the key.
func (fk *fieldKey) appendKey(dst []byte) []byte {
	n := len(dst)
	if cap(dst)-n < keyRoom || len(fk.key) > keyRoom {
		return append(dst, fk.key...)
	}
	*(*[keyRoom]byte)(dst[n : n+keyRoom]) = fk.fixed
	return dst[:n+len(fk.key)]
}

// flagKey is the sibling object of a flag field.
type flagKey struct {
	key        []byte // `"control_flags":`
	id         int
	mask       []uint64
	set, clear [][]byte // `"retry":true`
	byValue    [][]byte // the whole object by value, filled as values are met; nil for wide fields
}

// keyTable finds the fieldKey of a field: a hash table with open addressing by
// the field's address. A Go map costs about 10 ns for each field of each frame.
type keyTable struct {
	slots []*fieldKey // a power of two, at most half full
	used  int
	start fieldKey // its next is the first field of an object: see follow
	ids   map[string]int
}

func slotOf(f *dissect.Field, mask int) int {
	return int(uint64(uintptr(unsafe.Pointer(f)))*0x9e3779b97f4a7c15>>32) & mask
}

func (k *keyTable) find(f *dissect.Field) *fieldKey {
	if mask := len(k.slots) - 1; mask > 0 {
		for i := slotOf(f, mask); k.slots[i] != nil; i = (i + 1) & mask {
			if k.slots[i].field == f {
				return k.slots[i]
			}
		}
	}
	return k.add(f)
}

// follow is find that first tries the field which came after this one last time: frames of a
// type have their fields in the same order.
func (k *keyTable) follow(prev *fieldKey, f *dissect.Field) *fieldKey {
	if next := prev.next; next != nil && next.field == f {
		return next
	}
	return k.learn(prev, f)
}

//go:noinline
func (k *keyTable) learn(prev *fieldKey, f *dissect.Field) *fieldKey {
	prev.next = k.find(f)
	return prev.next
}

//go:noinline
func (k *keyTable) add(f *dissect.Field) *fieldKey {
	if 2*(k.used+1) > len(k.slots) {
		k.grow()
	}
	fk := k.make(f)
	k.insert(fk)
	k.used++
	return fk
}

func (k *keyTable) grow() {
	old := k.slots
	k.slots = make([]*fieldKey, max(64, 2*len(old)))
	for _, fk := range old {
		if fk != nil {
			k.insert(fk)
		}
	}
}

func (k *keyTable) insert(fk *fieldKey) {
	mask := len(k.slots) - 1
	i := slotOf(fk.field, mask)
	for k.slots[i] != nil {
		i = (i + 1) & mask
	}
	k.slots[i] = fk
}

func (k *keyTable) make(f *dissect.Field) *fieldKey {
	name := f.Key()
	fk := &fieldKey{field: f, key: append([]byte{','}, quotedKey(name)...), id: k.id(name)}
	copy(fk.fixed[:], fk.key)
	fk.plain = f.Kind == dissect.Uint && f.Base <= dissect.Hex && len(f.Bits) == 0
	if len(f.Bits) > 0 {
		fk.flags = k.makeFlags(f, name+"_flags")
	}
	return fk
}

func (k *keyTable) makeFlags(f *dissect.Field, name string) *flagKey {
	fl := &flagKey{key: quotedKey(name), id: k.id(name)}
	seen := map[string]bool{}
	for _, b := range f.Bits {
		if seen[b.Name] {
			continue
		}
		seen[b.Name] = true
		fl.mask = append(fl.mask, b.Mask)
		fl.set = append(fl.set, append(quotedKey(b.Name), "true"...))
		fl.clear = append(fl.clear, append(quotedKey(b.Name), "false"...))
	}
	if f.Size == 1 {
		fl.byValue = make([][]byte, 256)
	}
	return fl
}

func quotedKey(name string) []byte { return append(AppendJSONString(nil, name), ':') }

// id numbers the keys.
func (k *keyTable) id(name string) int {
	if k.ids == nil {
		k.ids = map[string]int{}
	}
	id, ok := k.ids[name]
	if !ok {
		id = len(k.ids)
		k.ids[name] = id
	}
	return id
}

// appendFlags appends the object of a value's bits.
func (fl *flagKey) appendFlags(dst []byte, v uint64) []byte {
	if v >= uint64(len(fl.byValue)) {
		return fl.encode(dst, v)
	}
	if fl.byValue[v] == nil {
		fl.byValue[v] = fl.encode(nil, v)
	}
	return append(dst, fl.byValue[v]...)
}

func (fl *flagKey) encode(dst []byte, v uint64) []byte {
	dst = append(dst, '{')
	for i, m := range fl.mask {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v&m != 0 {
			dst = append(dst, fl.set[i]...)
		} else {
			dst = append(dst, fl.clear[i]...)
		}
	}
	return append(dst, '}')
}
