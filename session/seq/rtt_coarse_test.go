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
			lean.add(ns)
			full.add(ns)
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
