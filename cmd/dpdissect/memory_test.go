package main

import (
	"slices"
	"testing"
)

// The heap stays below its target while what is in use allows that, and is never
// collected for less than leastGrowth.
func TestGrowthOfTheHeap(t *testing.T) {
	for _, tc := range []struct {
		live uint64
		want int
	}{{0, 400}, {1 << 20, 400}, {4 << 20, 300}, {8 << 20, 100}, {80 << 20, 100}, {96 << 20, 80}, {128 << 20, 35}, {150 << 20, 15}, {176 << 20, 12}, {1 << 30, 12}} {
		got := growthOf(tc.live)
		if got != tc.want {
			t.Errorf("%d bytes in use may grow by %d %%, want %d", tc.live, got, tc.want)
		}
		if peak := tc.live + tc.live*uint64(got)/100; got > leastGrowth && peak > heapTarget {
			t.Errorf("%d bytes in use may grow to %d", tc.live, peak)
		}
	}
}

// TestHeapIsBoundWhileMuchIsInUse: the collector is told when the growth changes, and only
// then. Were it not, a run over a large capture would take twice the memory that it needs.
func TestHeapIsBoundWhileMuchIsInUse(t *testing.T) {
	var told []int
	bound := garbage(mostGrowth)
	for _, live := range []uint64{0, 1 << 20, heapTarget, 2 * heapTarget, 32 << 20, 0} {
		bound.adjust(live, func(percent int) int {
			told = append(told, percent)
			return 0
		})
	}
	if want := []int{leastGrowth, usualGrowth, mostGrowth}; !slices.Equal(told, want) {
		t.Errorf("the collector was told %v, want %v", told, want)
	}
}
