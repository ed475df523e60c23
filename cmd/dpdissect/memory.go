package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
)

// By how much the heap may grow in any case, and at most, in percent of what is in
// use.
const (
	leastGrowth = 15
	mostGrowth  = 100
)

// heapEvery is how many packets pass between two looks at the heap.
const heapEvery = 8192

// boundGarbage makes a run over files collect its garbage sooner when much is in use.
// GOGC, when it is set, stands.
func boundGarbage(r *pipeline.Run) {
	if os.Getenv("GOGC") != "" {
		return
	}
	before, packets, growth := r.Before, 0, mostGrowth
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	r.Before = func(p *capture.Packet) {
		if packets++; packets%heapEvery == 0 {
			metrics.Read(live)
			if want := growthOf(live[0].Value.Uint64()); want != growth {
				growth = want
				debug.SetGCPercent(want)
			}
		}
		if before != nil {
			before(p)
		}
	}
}

// growthOf is by how many percent a heap may grow of which so many bytes are in use,
// in steps of five.
func growthOf(live uint64) int {
	if live >= heapTarget {
		return leastGrowth
	}
	return max(leastGrowth, min(mostGrowth, int((heapTarget-live)*20/max(live, 1))*5))
}
