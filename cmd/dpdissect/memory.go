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
	before, packets, bound := r.Before, 0, garbage(mostGrowth)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	r.Before = func(p *capture.Packet) {
		if packets++; packets%heapEvery == 0 {
			metrics.Read(live)
			bound.adjust(live[0].Value.Uint64(), debug.SetGCPercent)
		}
		if before != nil {
			before(p)
		}
	}
}

// garbage is by how many percent the heap may grow until it is collected.
type garbage int

// adjust sets it for so many bytes in use. To set it stops the program, so that what stays
// as it is is left alone.
func (g *garbage) adjust(live uint64, set func(percent int) int) {
	if want := garbage(growthOf(live)); want != *g {
		*g = want
		set(int(want))
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
