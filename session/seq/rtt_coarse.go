package seq

import (
	"math/bits"
	"slices"
)

// rttLowMemory is how many round trips are kept as they are where little is to be kept
// (Config.LowMemory). Behind that the cells are 1/64 of their value wide, so that a
// percentile is less than 1% off.
const rttLowMemory = 256

const (
	coarseBits  = 6
	coarseCells = 1 << coarseBits
)

// A coarse is a small histogram: row 0 has a cell for each value below coarseCells,
// every further row covers an octave.
type coarse struct {
	first int // row that rows[0] is
	rows  []*[coarseCells]uint32
}

// cell gives row and cell of a duration.
func (*coarse) cell(ns int64) (row, i int) {
	row = max(0, bits.Len64(uint64(ns))-coarseBits)
	if row == 0 {
		return 0, int(ns)
	}
	return row, int(ns>>(row-1)) - coarseCells
}

// A Cell is one of a histogram of times that are not negative, the coarse one of this package:
// values below 64 ns have one each, others share it with those within 1/64 of their value.
// Histograms are merged by adding the counts of their cells.
type Cell int32

// CellOf gives the cell of a time, in ns.
func CellOf(ns int64) Cell {
	row, i := (*coarse)(nil).cell(ns)
	return Cell(row*coarseCells + i)
}

// Middle is the time in the middle of the cell, in ns.
func (c Cell) Middle() int64 { return (*coarse)(nil).middle(int(c)/coarseCells, int(c)%coarseCells) }

func (h *coarse) count(ns int64, n int) {
	row, i := h.cell(ns)
	h.row(row)[i] += uint32(n)
}

// row gives the cells of a row.
func (h *coarse) row(row int) *[coarseCells]uint32 {
	if at := row - h.first; at < 0 || at >= len(h.rows) {
		h.cover(row)
	}
	cells := &h.rows[row-h.first]
	if *cells == nil {
		*cells = new([coarseCells]uint32)
	}
	return *cells
}

// pour adds the counts of another histogram.
func (h *coarse) pour(x *coarse) {
	for row, cells := range x.rows {
		if cells == nil {
			continue
		}
		into := h.row(x.first + row)
		for i, n := range cells {
			into[i] += n
		}
	}
}

// cover makes room for a row.
func (h *coarse) cover(row int) {
	if len(h.rows) == 0 {
		h.first = row
	}
	for ; row < h.first; h.first-- {
		h.rows = slices.Insert(h.rows, 0, nil)
	}
	for row-h.first >= len(h.rows) {
		h.rows = append(h.rows, nil)
	}
}

// nth is the middle of the cell that holds the k-th smallest sample, between lo and hi.
func (h *coarse) nth(k uint64, lo, hi int64) int64 {
	for row, cells := range h.rows {
		if cells == nil {
			continue
		}
		for i, c := range cells {
			if uint64(c) >= k {
				return min(max(h.middle(h.first+row, i), lo), hi)
			}
			k -= uint64(c)
		}
	}
	return hi
}

// middle is the duration in the middle of a cell.
func (*coarse) middle(row, i int) int64 {
	if row == 0 {
		return int64(i)
	}
	return int64(i+coarseCells)<<(row-1) + int64(1)<<(row-1)/2
}
