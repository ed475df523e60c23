package dp8

import "github.com/dpdissect/dpdissect/dissect"

// maxRecent is how many data frames of a side are remembered by their bytes alone.
const maxRecent = 512

// recent are the latest data frames of a side: a copy that the network made may come
// so late that its number means another one by then (guard DUP).
type recent struct {
	ring []uint32
	n    int
	// Bits of those of this round of the ring and of the one before: most frames show
	// there that they are none of them.
	bits, before []uint64
}

// recentBits is how many bits tell which marks are remembered.
const recentBits = 16 * maxRecent

func (c *conn) mark() uint32 {
	h := c.sent.Hash ^ uint64(c.fr.IPID)*0x9E3779B97F4A7C15
	return uint32(h ^ h>>32)
}

func (r *recent) add(x uint32) {
	if len(r.ring) < maxRecent {
		r.ring = append(r.ring, x)
	} else {
		r.ring[r.n&(maxRecent-1)] = x
	}
	if r.n >= filterFrom {
		r.filter(x)
	}
	r.n++
}

// filterFrom is from how many marks on the bits are worth their memory.
const filterFrom = 64

func (r *recent) filter(x uint32) {
	switch {
	case r.bits == nil:
		r.bits, r.before = make([]uint64, recentBits/64), make([]uint64, recentBits/64)
		for _, y := range r.ring {
			r.bits[y%recentBits/64] |= 1 << (y % 64)
		}
	case r.n&(maxRecent-1) == 0:
		r.bits, r.before = r.before, r.bits
		clear(r.bits)
	}
	r.bits[x%recentBits/64] |= 1 << (x % 64)
}

func (r *recent) has(x uint32) bool {
	if r.bits != nil && (r.bits[x%recentBits/64]|r.before[x%recentBits/64])>>(x%64)&1 == 0 {
		return false
	}
	for _, y := range r.ring {
		if x == y {
			return true
		}
	}
	return false
}

// overdue reports a data frame that is a copy of one sent long ago: its number is
// neither the next one nor that of a frame with these bytes.
func (c *conn) overdue(dir int, num int64) bool {
	s := &c.side[dir]
	if num == s.ledger.high+1 && s.ledger.started {
		return false
	}
	if f := s.mem.at(num); f != nil && (f.hash == c.sent.Hash || f.lastHash == c.sent.Hash) || !s.recent.has(c.mark()) {
		return false
	}
	c.fr.Words |= dissect.Duplicate
	c.c.Dir[dir].Duplicates++
	return true
}
