package track

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// maxRecent is how many data frames of a side are remembered by their bytes alone,
// fewRecent where little is to be kept and numbers come round slowly.
const (
	maxRecent = 512
	fewRecent = 128
)

// recent are the latest data frames of a side: a copy that the network made may come
// so late that its number means another one by then (guard DUP).
type recent struct {
	ring []uint32
	n    int
	// Bits of those of this round of the ring and of the one before: most frames show
	// there that they are none of them.
	bits, before []uint64
	lean         bool
}

// size is how many are remembered.
func (r *recent) size() int {
	if r.lean {
		return fewRecent
	}
	return maxRecent
}

// place is where a mark has its bit.
func (r *recent) place(x uint32) (word uint32, bit uint32) {
	return x / 64 & uint32(len(r.bits)-1), x % 64
}

func (c *conn) mark() uint32 {
	h := c.sent.Hash ^ uint64(c.fr.IPID)*0x9E3779B97F4A7C15
	return uint32(h ^ h>>32)
}

func (r *recent) add(x uint32) {
	if len(r.ring) < r.size() {
		r.ring = append(r.ring, x)
	} else {
		r.ring[r.n&(len(r.ring)-1)] = x
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
		words := 16 * r.size() / 64 // 16 bits a mark
		r.bits, r.before = make([]uint64, words), make([]uint64, words)
		for _, y := range r.ring {
			word, bit := r.place(y)
			r.bits[word] |= 1 << bit
		}
	case r.n&(r.size()-1) == 0:
		r.bits, r.before = r.before, r.bits
		clear(r.bits)
	}
	word, bit := r.place(x)
	r.bits[word] |= 1 << bit
}

// widen makes that as many are remembered as there may be.
func (r *recent) widen() {
	if len(r.ring) == fewRecent {
		at := r.n & (fewRecent - 1)
		r.ring = slices.Concat(r.ring[at:], r.ring[:at]) // the oldest first
	}
	r.n, r.bits, r.before, r.lean = len(r.ring), nil, nil, false
}

func (r *recent) has(x uint32) bool {
	if r.bits != nil {
		if word, bit := r.place(x); (r.bits[word]|r.before[word])>>bit&1 == 0 {
			return false
		}
	}
	for _, y := range r.ring {
		if x == y {
			return true
		}
	}
	return false
}

// overdue reports a data frame that is a copy of one sent long ago: its number is
// neither the next one nor that of a frame with these bytes. Without IPv4
// identification such a frame is no copy: retries repeat their bytes, too.
func (c *conn) overdue(dir int, num int64) bool {
	s := &c.side[dir]
	if c.fr.IPID == 0 || num == s.sequence.high+1 && s.sequence.started {
		return false
	}
	f := s.history.at(num)
	if f != nil && (f.hash == c.sent.Hash || f.lastHash == c.sent.Hash) || !s.recent.has(c.mark()) {
		return false
	}
	c.fr.Words |= dissect.Duplicate
	c.c.Dir[dir].Duplicates++
	return true
}
