package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/session/seq"
)

// Many frames carry a SACK mask, and most masks lack few bits below their highest: they are remembered in
// four bytes. Frames with other masks, and those with a send mask, are few.

// gaps are a SACK mask of which up to three bits are missing below the highest: how many bits it
// has, and the places of those that are missing, from 1, a byte each.
type gaps uint32

// gapsOf gives the gaps of a mask; ok is false where there are too many.
func gapsOf(mask uint64) (g gaps, ok bool) {
	n := bits.Len64(mask)
	g = gaps(n)
	missing := ^mask & (1<<n - 1)
	for at := 8; missing != 0 && at < 32; at += 8 {
		g |= gaps(bits.TrailingZeros64(missing)+1) << at
		missing &= missing - 1
	}
	return g, missing == 0
}

// mask is the mask that has the gaps.
func (g gaps) mask() uint64 {
	mask := uint64(1)<<(g&0xff) - 1
	for g >>= 8; g != 0; g >>= 8 {
		mask &^= 1 << (g&0xff - 1)
	}
	return mask
}

// masks are those of a first transmission.
type masks struct {
	sacks uint64 // bit i is Next+1+i
	drops uint64 // what all transmissions gave up: bit i is the number less 1+i
}

// setMasks notes what a number carried.
func (m *History) setMasks(f Record, x masks) {
	gaps, ok := gapsOf(x.sacks)
	if f.has &^= masked; ok && x.drops == 0 {
		f.sacks = gaps
		return
	}
	at := m.masks.At(f.num)
	if at == nil {
		at = m.masks.Put(f.num, m.isMasked)
	}
	*at = x
	f.has |= masked
}

// isMasked reports whether a number has masks.
func (m *History) isMasked(num seq.Num) bool { return m.At(num).is(masked) }

// Sacks is the SACK mask that its first transmission carried: bit i is Next+1+i.
func (m *History) Sacks(f Record) uint64 {
	if f.is(masked) {
		return m.masks.At(f.num).sacks
	}
	return f.sacks.mask()
}

// Drops is what all its transmissions gave up: bit i is the number less 1+i.
func (m *History) Drops(f Record) uint64 {
	if f.is(masked) {
		return m.masks.At(f.num).drops
	}
	return 0
}
