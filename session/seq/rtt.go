package seq

import (
	"math/bits"
	"slices"
)

// rttExact is how many round trips are kept as they are; with more of them the
// percentiles come from a histogram whose cells are at most 1/1024 of their value
// wide.
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
	n         uint64
	lo, hi    int64
	exact     []uint32 // ns, see room
	overflow  bool
	lowMemory bool
	coarse    *coarse // used instead of cells where little is to be kept

	long  []int64    // those that take more than exact can hold
	cells *histogram // used once exact is full
}

// A histogram counts durations. Its first row has a cell for each value below
// rttCells; every further row covers an octave.
type histogram [65]*[rttCells]uint32

// add enters n times that are the same.
func (r *rtts) add(ns int64, n int) {
	if r.n == 0 || ns < r.lo {
		r.lo = ns
	}
	r.hi = max(r.hi, ns)
	r.n += uint64(n)
	switch {
	case r.cells != nil:
		r.cells.count(ns, n)
		return
	case r.coarse != nil:
		r.coarse.count(ns, n)
		return
	}
	for range n {
		if ns < 1<<32 {
			if len(r.exact) == cap(r.exact) {
				r.room()
			}
			r.exact = append(r.exact, uint32(ns))
		} else {
			r.long = append(r.long, ns)
		}
	}
	if r.full() {
		r.spill()
	}
}

// room makes room for more times: half as much again, for what doubles leaves a third of its room unused, and as much
// to be collected.
func (r *rtts) room() {
	n := len(r.exact)
	r.exact = append(make([]uint32, 0, n+max(2, n/2)), r.exact...)
}

// pour adds the times of another one, in which as much is kept.
func (r *rtts) pour(x *rtts) {
	if x.n == 0 {
		return
	}
	if r.n == 0 || x.lo < r.lo {
		r.lo = x.lo
	}
	r.hi = max(r.hi, x.hi)
	r.n += x.n
	r.exact, r.long = append(r.exact, x.exact...), append(r.long, x.long...)
	if !r.overflow && (x.overflow || r.full()) || r.overflow && !x.overflow {
		r.spill()
	}
	switch {
	case x.coarse != nil:
		r.coarse.pour(x.coarse)
	case x.cells != nil:
		r.cells.pour(x.cells)
	}
}

// full reports that there are more times than are kept as they are.
func (r *rtts) full() bool { return r.n > rttExact || r.lowMemory && r.n > rttLowMemory }

// spill moves what was kept as it is to a histogram.
func (r *rtts) spill() {
	exact, long := r.exact, r.long
	r.overflow, r.exact, r.long = true, nil, nil
	count := r.countAll()
	for _, v := range exact {
		count(int64(v), 1)
	}
	for _, v := range long {
		count(v, 1)
	}
}

// countAll begins a histogram where there is none.
func (r *rtts) countAll() func(ns int64, n int) {
	if r.lowMemory {
		if r.coarse == nil {
			r.coarse = new(coarse)
		}
		return r.coarse.count
	}
	if r.cells == nil {
		r.cells = new(histogram)
	}
	return r.cells.count
}

// cell gives row and cell of a duration.
func cell(ns int64) (row, i int) {
	row = max(0, bits.Len64(uint64(ns))-rttBits)
	if row == 0 {
		return 0, int(ns)
	}
	return row, int(ns>>(row-1)) - rttCells
}

func (h *histogram) count(ns int64, n int) {
	row, i := cell(ns)
	if h[row] == nil {
		h[row] = new([rttCells]uint32)
	}
	h[row][i] += uint32(n)
}

// pour adds the counts of another histogram.
func (h *histogram) pour(x *histogram) {
	for row, cells := range x {
		if cells == nil {
			continue
		}
		if h[row] == nil {
			h[row] = new([rttCells]uint32)
		}
		for i, n := range cells {
			h[row][i] += n
		}
	}
}

func (r *rtts) summary() RTT {
	if r == nil {
		return RTT{}
	}
	s := RTT{Samples: r.n, Min: r.lo, Max: r.hi}
	if r.n == 0 {
		return s
	}
	if r.coarse != nil {
		s.P50, s.P95 = r.coarse.nth(rank(r.n, 50), r.lo, r.hi), r.coarse.nth(rank(r.n, 95), r.lo, r.hi)
		return s
	}
	if !r.overflow {
		s.P50, s.P95 = r.sorted()
		return s
	}
	s.P50, s.P95 = r.nth(rank(r.n, 50)), r.nth(rank(r.n, 95))
	return s
}

// sorted gives the percentiles of what is kept as it is.
func (r *rtts) sorted() (p50, p95 int64) {
	short, long := slices.Clone(r.exact), slices.Clone(r.long)
	slices.Sort(short)
	slices.Sort(long)
	at := func(i uint64) int64 {
		if i <= uint64(len(short)) {
			return int64(short[i-1])
		}
		return long[i-1-uint64(len(short))]
	}
	return at(rank(r.n, 50)), at(rank(r.n, 95))
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
