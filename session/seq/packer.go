package seq

import "encoding/binary"

// A Packer writes values in as few bytes as they need, or reads them again: one list of
// fields serves for both. Values that are zero take a bit.
type Packer struct {
	bytes []byte
	reads bool
	time  int64 // the latest, which the next is told from
	frame uint64
}

// Unpack reads what was packed.
func Unpack(packed string) *Packer { return &Packer{bytes: []byte(packed), reads: true} }

// Packed is what was written.
func (p *Packer) Packed() string { return string(p.bytes) }

// Reset makes the Packer write from the beginning, in the same memory.
func (p *Packer) Reset() { *p = Packer{bytes: p.bytes[:0]} }

func (p *Packer) uint(v uint64) uint64 {
	if p.reads {
		v, n := binary.Uvarint(p.bytes)
		p.bytes = p.bytes[n:]
		return v
	}
	p.bytes = binary.AppendUvarint(p.bytes, v)
	return v
}

func (p *Packer) int(v int64) int64 {
	u := p.uint(uint64(v<<1) ^ uint64(v>>63))
	return int64(u>>1) ^ -int64(u&1)
}

// Uints takes counters.
func (p *Packer) Uints(list ...*uint64) {
	some(p, list, func(v *uint64) { *v = p.uint(*v) })
}

// Ints takes numbers that may be negative.
func (p *Packer) Ints(list ...*int64) {
	some(p, list, func(v *int64) { *v = p.int(*v) })
}

// Times takes times, in ns.
func (p *Packer) Times(list ...*int64) {
	some(p, list, func(v *int64) {
		*v = p.int(*v-p.time) + p.time
		p.time = *v
	})
}

// Bools takes up to 64 flags.
func (p *Packer) Bools(list ...*bool) {
	some(p, list, func(v *bool) { *v = true })
}

// Text takes a text.
func (p *Packer) Text(s *string) {
	n := p.uint(uint64(len(*s)))
	if !p.reads {
		p.bytes = append(p.bytes, *s...)
		return
	}
	*s = string(p.bytes[:n])
	p.bytes = p.bytes[n:]
}

// Signs takes signs.
func (p *Packer) Signs(list ...*Sign) {
	some(p, list, func(s *Sign) {
		s.N = p.uint(s.N)
		s.Frame = uint64(p.int(int64(s.Frame-p.frame))) + p.frame
		p.frame = s.Frame
		p.Times(&s.Time)
	})
}

// some takes the values of a list that are not zero, 64 at most: which they are comes first.
func some[T comparable](p *Packer, list []*T, take func(*T)) {
	var zero T
	var which uint64
	if !p.reads {
		for i, v := range list {
			if *v != zero {
				which |= 1 << i
			}
		}
	}
	which = p.uint(which)
	for i, v := range list {
		if which>>i&1 != 0 {
			take(v)
		} else if p.reads {
			*v = zero
		}
	}
}
