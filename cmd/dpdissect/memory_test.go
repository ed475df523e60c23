package main

import "testing"

// The heap stays below its target while what is in use allows that, and is never
// collected for less than leastGrowth.
func TestGrowthOfTheHeap(t *testing.T) {
	for _, tc := range []struct {
		live uint64
		want int
	}{{0, 100}, {1 << 20, 100}, {80 << 20, 100}, {96 << 20, 80}, {128 << 20, 35}, {150 << 20, 15}, {176 << 20, 15}, {1 << 30, 15}} {
		got := growthOf(tc.live)
		if got != tc.want {
			t.Errorf("%d bytes in use may grow by %d %%, want %d", tc.live, got, tc.want)
		}
		if peak := tc.live + tc.live*uint64(got)/100; got > leastGrowth && peak > heapTarget {
			t.Errorf("%d bytes in use may grow to %d", tc.live, peak)
		}
	}
}
