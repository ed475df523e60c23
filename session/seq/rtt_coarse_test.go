package seq

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Percentiles of a lean run are less than 1% off, and one of few samples is exact.
func TestCoarseRTT(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lean, full := rtts{lowMemory: true}, rtts{}
		most := rapid.SampledFrom([]int64{5000, 50e6, 20e9}).Draw(t, "most")
		for range rapid.IntRange(1, 1500).Draw(t, "n") {
			ns := rapid.Int64Range(0, most).Draw(t, "ns")
			lean.add(ns, 1)
			full.add(ns, 1)
		}
		a, b := lean.summary(), full.summary()
		if a.Samples != b.Samples || a.Min != b.Min || a.Max != b.Max {
			t.Fatalf("%v, want %v", a, b)
		}
		for _, p := range [][2]int64{{a.P50, b.P50}, {a.P95, b.P95}} {
			off := math.Abs(float64(p[0] - p[1]))
			if off > 0.01*float64(p[1])+1 || b.Samples <= rttLowMemory && off != 0 {
				t.Fatalf("%v, want %v", a, b)
			}
		}
	})
}

// TestCellOf: cells are numbered as fleets merge them: values below 64 by themselves, then 64 an
// octave, and the middle of each is less than 1% off.
func TestCellOf(t *testing.T) {
	for ns, want := range map[int64]Cell{0: 0, 63: 63, 64: 64, 65: 65, 127: 127, 128: 128, 129: 128, 130: 129, 1 << 20: 15 * 64, math.MaxInt64: 58*64 - 1} {
		if got := CellOf(ns); got != want {
			t.Errorf("%d ns are in cell %d, want %d", ns, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "ns")
		if c := CellOf(ns); math.Abs(float64(c.Middle()-ns)) > 0.01*float64(ns) || CellOf(c.Middle()) != c {
			t.Fatalf("%d ns are in cell %d, whose middle is %d", ns, c, c.Middle())
		}
	})
}
