package seq

import (
	"encoding/binary"
	"math/bits"
)

// A Packer writes values in as few bytes as they need, or reads them again: one list of
// fields serves for both. Values that are zero take a bit.
type Packer struct {
	bytes []byte // that were written
	rest  string // to be read
	reads bool
	time  int64 // the latest, which the next is told from
	frame uint64
}

// Unpack reads what was packed.
func Unpack(packed string) *Packer { return &Packer{rest: packed, reads: true} }

// Packed is what was written.
func (p *Packer) Packed() string { return string(p.bytes) }

// Reset makes the Packer write from the beginning, in the same memory.
func (p *Packer) Reset() { *p = Packer{bytes: p.bytes[:0]} }

func (p *Packer) uint(v uint64) uint64 {
	if p.reads {
		return p.next()
	}
	p.bytes = binary.AppendUvarint(p.bytes, v)
	return v
}

// next reads a number as binary.Uvarint does.
func (p *Packer) next() (v uint64) {
	for i := range len(p.rest) {
		b := p.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			p.rest = p.rest[i+1:]
			return v
		}
	}
	return 0
}

func (p *Packer) int(v int64) int64 {
	u := p.uint(uint64(v<<1) ^ uint64(v>>63))
	return int64(u>>1) ^ -int64(u&1)
}

// Uints takes counters.
func (p *Packer) Uints(list ...*uint64) {
	for which := some(p, list); which != 0; which &= which - 1 {
		v := list[bits.TrailingZeros64(which)]
		*v = p.uint(*v)
	}
}

// Ints takes numbers that may be negative.
func (p *Packer) Ints(list ...*int64) {
	for which := some(p, list); which != 0; which &= which - 1 {
		v := list[bits.TrailingZeros64(which)]
		*v = p.int(*v)
	}
}

// Times takes times, in ns.
func (p *Packer) Times(list ...*int64) {
	for which := some(p, list); which != 0; which &= which - 1 {
		v := list[bits.TrailingZeros64(which)]
		*v = p.int(*v-p.time) + p.time
		p.time = *v
	}
}

// Bools takes up to 64 flags.
func (p *Packer) Bools(list ...*bool) {
	for which := some(p, list); which != 0; which &= which - 1 {
		*list[bits.TrailingZeros64(which)] = true
	}
}

// Text takes a text.
func (p *Packer) Text(s *string) {
	n := p.uint(uint64(len(*s)))
	if !p.reads {
		p.bytes = append(p.bytes, *s...)
		return
	}
	*s, p.rest = p.rest[:n], p.rest[n:]
}

// Signs takes signs.
func (p *Packer) Signs(list ...*Sign) {
	for which := some(p, list); which != 0; which &= which - 1 {
		s := list[bits.TrailingZeros64(which)]
		s.N = p.uint(s.N)
		s.Frame = uint64(p.int(int64(s.Frame-p.frame))) + p.frame
		p.frame = s.Frame
		p.Times(&s.Time)
	}
}

// some takes which values of a list are not zero, 64 at most, a bit each. Those that are read
// and are zero need nothing more.
func some[T comparable](p *Packer, list []*T) (which uint64) {
	var zero T
	if !p.reads {
		for i, v := range list {
			if *v != zero {
				which |= 1 << i
			}
		}
		return p.uint(which)
	}
	which = p.next()
	for i, v := range list {
		if which>>i&1 == 0 {
			*v = zero
		}
	}
	return which
}
