package seq

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// nearestRank is the definition: the smallest sample that at least percent of
// all samples do not exceed.
func nearestRank(sorted []int64, percent float64) int64 {
	return sorted[max(1, int(math.Ceil(percent/100*float64(len(sorted)))))-1]
}

func TestRTT(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples []int64
		want    RTT
	}{
		{"none", nil, RTT{}},
		{"one", []int64{7}, RTT{1, 7, 7, 7, 7}},
		{"zero", []int64{0}, RTT{1, 0, 0, 0, 0}},
		{"two", []int64{9, 3}, RTT{2, 3, 3, 9, 9}},
		{"three", []int64{9, 3, 5}, RTT{3, 3, 5, 9, 9}},
		{"twenty", []int64{20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, RTT{20, 1, 10, 19, 20}},
		{"twenty-one", []int64{21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, RTT{21, 1, 11, 20, 21}},
	} {
		var r rtts
		for _, s := range c.samples {
			r.add(s, 1)
		}
		if got := r.summary(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Up to rttExact samples the percentiles are exact, else
// they are off by at most 1/256; smallest and largest are always exact.
func TestRTTAgainstSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(rttExact-2, rttExact+2), rapid.IntRange(rttExact, 3*rttExact)).Draw(t, "n")
		top := rapid.SampledFrom([]int64{3, 300, 1e6, 5e9, math.MaxInt64}).Draw(t, "top")
		all := rapid.SliceOfN(rapid.Int64Range(0, top), n, n).Draw(t, "samples")
		var r rtts
		for _, s := range all {
			r.add(s, 1)
		}
		slices.Sort(all)
		got := r.summary()
		if got.Samples != uint64(n) || got.Min != all[0] || got.Max != all[n-1] {
			t.Fatalf("%+v, want %d samples from %d to %d", got, n, all[0], all[n-1])
		}
		for _, p := range []struct {
			got, want int64
		}{{got.P50, nearestRank(all, 50)}, {got.P95, nearestRank(all, 95)}} {
			off := max(p.got-p.want, p.want-p.got)
			if n <= rttExact && off != 0 || off > p.want/256 {
				t.Fatalf("%d samples: %d, want %d", n, p.got, p.want)
			}
		}
	})
}

// Cells follow the order of durations, and the middle of each is no further from them than half of its width.
func TestRTTCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.OneOf(rapid.Int64Range(0, 3*rttCells), rapid.Int64Range(0, math.MaxInt64-1)).Draw(t, "ns")
		row, i := cell(ns)
		if off := max(middle(row, i)-ns, ns-middle(row, i)); off > ns/(2*rttCells) {
			t.Fatalf("%d counts as %d", ns, middle(row, i))
		}
		if row < 0 || row >= len(histogram{}) || i < 0 || i >= rttCells {
			t.Fatalf("%d falls in cell %d of row %d", ns, i, row)
		}
		if row2, i2 := cell(ns + 1); row2 < row || row2 == row && i2 < i || row2 > row && i2 != 0 {
			t.Fatalf("cells of %d and the next are %d, %d and %d, %d", ns, row, i, row2, i2)
		}
	})
}
