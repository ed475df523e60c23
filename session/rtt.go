package session

import (
	"math/bits"
	"slices"
)

// rttExact is how many round trips are kept as they are; with more of them the
// percentiles come from a histogram whose cells are at most 1/256 wide.
const rttExact = 512

const rttCells = 256

// RTT summarises round trips, in nanoseconds; percentiles by nearest rank.
type RTT struct {
	Samples            uint64
	Min, P50, P95, Max int64
}

type rtts struct {
	n        uint64
	lo, hi   int64
	exact    []int64
	octaves  [64]*[rttCells]uint32 // used when exact overflows
	overflow bool
}

func (r *rtts) add(ns int64) {
	if r.n == 0 || ns < r.lo {
		r.lo = ns
	}
	r.hi = max(r.hi, ns)
	r.n++
	if !r.overflow && len(r.exact) < rttExact {
		r.exact = append(r.exact, ns)
		return
	}
	if !r.overflow {
		r.overflow = true
		for _, v := range r.exact {
			r.count(v)
		}
		r.exact = nil
	}
	r.count(ns)
}

// cell gives octave and cell of a duration: values below rttCells have a cell
// each, every further octave is split in rttCells/2.
func cell(ns int64) (octave, i int) {
	octave = max(0, bits.Len64(uint64(ns))-8)
	return octave, int(ns >> octave)
}

func (r *rtts) count(ns int64) {
	o, i := cell(ns)
	if r.octaves[o] == nil {
		r.octaves[o] = new([rttCells]uint32)
	}
	r.octaves[o][i]++
}

func (r *rtts) summary() RTT {
	s := RTT{Samples: r.n, Min: r.lo, Max: r.hi}
	if r.n == 0 {
		return s
	}
	if !r.overflow {
		sorted := slices.Clone(r.exact)
		slices.Sort(sorted)
		s.P50, s.P95 = sorted[rank(r.n, 50)-1], sorted[rank(r.n, 95)-1]
		return s
	}
	s.P50, s.P95 = r.nth(rank(r.n, 50)), r.nth(rank(r.n, 95))
	return s
}

// rank is the nearest rank of a percentile, from 1.
func rank(n, percent uint64) uint64 { return max(1, (n*percent+99)/100) }

// nth is the middle of the cell that holds the k-th smallest sample.
func (r *rtts) nth(k uint64) int64 {
	for o := range r.octaves {
		if r.octaves[o] == nil {
			continue
		}
		for i, c := range r.octaves[o] {
			if uint64(c) >= k {
				width := int64(1) << o
				return min(max(int64(i)<<o+width/2, r.lo), r.hi)
			}
			k -= uint64(c)
		}
	}
	return r.hi
}
