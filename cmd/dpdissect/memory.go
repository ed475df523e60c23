package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// By how much the heap may grow in any case, usually, and at most, in percent of what is in
// use.
const (
	leastGrowth = 12
	usualGrowth = 100
	mostGrowth  = 400
)

// smallHeap is what a heap may come to before garbage is collected, in bytes: to look through
// less takes longer than the memory is worth. Go begins to at a quarter of it.
const smallHeap = 16 << 20

// boundGarbage makes a command that reads files collect its garbage sooner while much is in
// use, and later again once less is. GOGC, when it is set, stands.
var boundGarbage = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(mostGrowth)
		(&collection{new(garbage(mostGrowth))}).await()
	}
})

// A collection is garbage itself: once the collector has found it, the heap is looked at.
type collection struct{ bound *garbage }

func (c *collection) await() {
	runtime.SetFinalizer(c, func(c *collection) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		c.bound.adjust(live[0].Value.Uint64(), debug.SetGCPercent)
		c.await()
	})
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

// growthOf is by how many percent a heap may grow of which so many bytes are in use.
func growthOf(live uint64) int {
	wanted := max(usualGrowth, min(mostGrowth, growthTo(smallHeap, live)))
	return max(leastGrowth, min(wanted, growthTo(heapTarget, live)))
}

// growthTo is by how many percent a heap of which so many bytes are in use may grow until it has
// a size, in steps of five.
func growthTo(size, live uint64) int {
	return int((size-min(size, live))*20/max(live, 1)) * 5
}
