package pipeline

import (
	"slices"
	"sync"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// A crew tracks batches with several goroutines, of which the calling one reads, and
// tracks while it has nothing to read into. What a batch holds of one shard is a task: who
// is free takes the oldest task of a shard that nobody tracks, so that the packets of a
// shard are tracked in order whoever does it. A shard of which nearly all packets cost less
// than handing them over is tracked by the reader as it reads.
type crew struct {
	run  *Run
	kept kept

	mu      sync.Mutex
	work    *sync.Cond       // tasks were added, or nobody adds more
	done    *sync.Cond       // a batch was tracked
	tasks   [Shards][]*batch // that wait, oldest first
	busy    [Shards]bool     // somebody tracks the shard
	weights [Shards]weight   // of the latest task of the shard
	ready   []uint8          // shards with a task that nobody tracks
	by      [Shards]int      // the goroutine that tracked the shard last
	pending int              // batches that are not tracked yet
	free    []*batch
	most    int // packets of the next batch
	over    bool
	wg      sync.WaitGroup
}

// crewBatches is how many batches there are: one that is filled, and enough to keep all
// busy meanwhile.
const crewBatches = 5

// reader is the calling goroutine among those that track; the others count from 1.
const reader = 0

// newCrew starts all goroutines but the calling one.
func newCrew(r *Run) *crew {
	w := &crew{run: r, most: firstPackets}
	w.work, w.done = sync.NewCond(&w.mu), sync.NewCond(&w.mu)
	for range crewBatches {
		w.free = append(w.free, newBatch())
	}
	for i := range r.Workers - 1 {
		w.wg.Go(func() { w.serve(i + 1) })
	}
	return w
}

// end waits until all that was given is tracked and the goroutines are gone.
func (w *crew) end() {
	w.drain()
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	w.work.Broadcast()
	w.wg.Wait()
}

// serve tracks until nobody adds more.
func (w *crew) serve(who int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.ready) == 0 && !w.over {
			w.work.Wait()
		}
		if len(w.ready) == 0 {
			return
		}
		w.step(who)
	}
}

// step does one of the tasks that are ready. One of a shard that the same goroutine tracked last
// goes first: what the shard remembers is in its cache. The lock is held before and after.
func (w *crew) step(who int) {
	i := max(0, slices.IndexFunc(w.ready, func(shard uint8) bool { return w.by[shard] == who }))
	shard := w.ready[i]
	w.ready = slices.Delete(w.ready, i, i+1)
	w.by[shard] = who
	b := w.tasks[shard][0]
	w.tasks[shard] = append(w.tasks[shard][:0], w.tasks[shard][1:]...)
	w.busy[shard] = true
	w.mu.Unlock()
	weight := w.run.track(b, shard)
	w.mu.Lock()
	w.busy[shard], w.weights[shard] = false, weight
	if len(w.tasks[shard]) > 0 {
		w.ready = append(w.ready, shard)
	}
	if b.tasks--; b.tasks == 0 {
		w.finish(b)
	}
}

// finish takes back a batch that was tracked.
func (w *crew) finish(b *batch) {
	b.reset()
	w.free = append(w.free, b)
	w.pending--
	w.done.Signal()
}

// give adds a filled batch to the work.
func (w *crew) give(b *batch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending++
	for shard := range b.of {
		if len(b.of[shard]) == 0 {
			continue
		}
		b.tasks++
		w.tasks[shard] = append(w.tasks[shard], b)
		if len(w.tasks[shard]) == 1 && !w.busy[shard] {
			w.ready = append(w.ready, uint8(shard))
			w.work.Signal()
		}
	}
	if b.tasks == 0 {
		w.finish(b)
	}
}

// empty gives a batch to fill. It tracks until there is one.
func (w *crew) empty() *batch {
	w.help(func() bool { return len(w.free) > 0 })
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.free) - 1
	b := w.free[n]
	w.free = w.free[:n]
	b.most, w.most = w.most, min(2*w.most, batchPackets)
	w.keep()
	return b
}

// drain tracks until all that was given is tracked.
func (w *crew) drain() { w.help(func() bool { return w.pending == 0 }) }

// help does tasks, or waits for others to do theirs, until a condition holds.
func (w *crew) help(until func() bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !until() {
		if len(w.ready) > 0 {
			w.step(reader)
		} else {
			w.done.Wait()
		}
	}
}

// fill reads a batch, and tracks what is of the reader's own shards. It reports whether
// there may be more, and whether a source that waits has nothing to give now.
func (w *crew) fill(b *batch) (more, waits bool) {
	defer b.seal()
	for more = true; more && !waits && !b.full(); {
		var n int
		n, more, waits = w.run.readOn()
		for next := 0; next < n; {
			next = w.share(b, next, n)
		}
	}
	return more, waits
}

// share tracks each of ahead[from:n] whose shard the reader keeps, and adds the others to the
// batch. It gives the index to go on with, as trackOn does.
func (w *crew) share(b *batch, from, n int) (next int) {
	r, i, shard := w.run, from, 0
	defer func() {
		if reason := recover(); reason != nil {
			r.rescue(shard, reason)
			next = i + 1
		}
	}()
	for ; i < n; i++ {
		p := &r.ahead[i]
		b.see(p)
		if p.Class != capture.UDP && p.Class != capture.Unreachable {
			continue
		}
		at, place := r.spread.of(&p.Datagram)
		shard = at
		if k := &w.kept[shard]; k.is {
			k.track(r, shard, place, p)
		} else {
			b.add(p, shard, place)
		}
	}
	return n
}
