package session

import (
	"math/bits"
	"slices"
)

// rttExact is how many round trips are kept as they are; with more of them, or
// with one that takes four seconds, the percentiles come from a histogram whose
// cells are at most 1/1024 of their value wide.
const rttExact = 4096

const (
	rttBits  = 10
	rttCells = 1 << rttBits
)

// RTT summarises round trips, in nanoseconds; percentiles by nearest rank.
type RTT struct {
	Samples            uint64
	Min, P50, P95, Max int64
}

type rtts struct {
	n        uint64
	lo, hi   int64
	exact    []uint32   // ns
	cells    *histogram // used once exact is full
	overflow bool
}

// A histogram counts durations. Its first row has a cell for each value below
// rttCells; every further row covers an octave.
type histogram [65]*[rttCells]uint32

func (r *rtts) add(ns int64) {
	if r.n == 0 || ns < r.lo {
		r.lo = ns
	}
	r.hi = max(r.hi, ns)
	r.n++
	if !r.overflow && len(r.exact) < rttExact && ns < 1<<32 {
		r.exact = append(r.exact, uint32(ns))
		return
	}
	if !r.overflow {
		r.overflow, r.cells = true, new(histogram)
		for _, v := range r.exact {
			r.cells.count(int64(v))
		}
		r.exact = nil
	}
	r.cells.count(ns)
}

// cell gives row and cell of a duration.
func cell(ns int64) (row, i int) {
	row = max(0, bits.Len64(uint64(ns))-rttBits)
	if row == 0 {
		return 0, int(ns)
	}
	return row, int(ns>>(row-1)) - rttCells
}

func (h *histogram) count(ns int64) {
	row, i := cell(ns)
	if h[row] == nil {
		h[row] = new([rttCells]uint32)
	}
	h[row][i]++
}

func (r *rtts) summary() RTT {
	s := RTT{Samples: r.n, Min: r.lo, Max: r.hi}
	if r.n == 0 {
		return s
	}
	if !r.overflow {
		sorted := slices.Clone(r.exact)
		slices.Sort(sorted)
		s.P50, s.P95 = int64(sorted[rank(r.n, 50)-1]), int64(sorted[rank(r.n, 95)-1])
		return s
	}
	s.P50, s.P95 = r.nth(rank(r.n, 50)), r.nth(rank(r.n, 95))
	return s
}

// rank is the nearest rank of a percentile, from 1.
func rank(n, percent uint64) uint64 { return max(1, (n*percent+99)/100) }

// nth is the middle of the cell that holds the k-th smallest sample.
func (r *rtts) nth(k uint64) int64 {
	for row, cells := range r.cells {
		if cells == nil {
			continue
		}
		for i, c := range cells {
			if uint64(c) >= k {
				return min(max(middle(row, i), r.lo), r.hi)
			}
			k -= uint64(c)
		}
	}
	return r.hi
}

// middle is the duration in the middle of a cell.
func middle(row, i int) int64 {
	if row == 0 {
		return int64(i)
	}
	return int64(i+rttCells)<<(row-1) + int64(1)<<(row-1)/2
}
