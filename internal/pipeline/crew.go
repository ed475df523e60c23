package pipeline

import "sync"

// A crew tracks batches with several goroutines, of which the calling one reads, and
// tracks while it has nothing to read into. What a batch holds of one shard is a task: who
// is free takes the oldest task of a shard that nobody tracks, so that the packets of a
// shard are tracked in order whoever does it.
type crew struct {
	run *Run

	mu      sync.Mutex
	work    *sync.Cond       // tasks were added, or nobody adds more
	done    *sync.Cond       // a batch was tracked
	tasks   [Shards][]*batch // that wait, oldest first
	busy    [Shards]bool     // somebody tracks the shard
	ready   []uint8          // shards with a task that nobody tracks
	pending int              // batches that are not tracked yet
	free    []*batch
	over    bool
	wg      sync.WaitGroup
}

// crewBatches is how many batches there are: one that is filled, and enough to keep all
// busy meanwhile.
const crewBatches = 5

// newCrew starts all goroutines but the calling one.
func newCrew(r *Run) *crew {
	w := &crew{run: r}
	w.work, w.done = sync.NewCond(&w.mu), sync.NewCond(&w.mu)
	for range crewBatches {
		w.free = append(w.free, new(batch))
	}
	for range r.Workers - 1 {
		w.wg.Go(w.serve)
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
func (w *crew) serve() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.ready) == 0 && !w.over {
			w.work.Wait()
		}
		if len(w.ready) == 0 {
			return
		}
		w.step()
	}
}

// step does one task of those that are ready. The lock is held before and after.
func (w *crew) step() {
	n := len(w.ready) - 1
	shard := w.ready[n]
	w.ready = w.ready[:n]
	b := w.tasks[shard][0]
	w.tasks[shard] = append(w.tasks[shard][:0], w.tasks[shard][1:]...)
	w.busy[shard] = true
	w.mu.Unlock()
	w.run.track(b, shard)
	w.mu.Lock()
	w.busy[shard] = false
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
	return b
}

// drain tracks until all that was given is tracked.
func (w *crew) drain() { w.help(func() bool { return w.pending == 0 }) }

// help tracks, or waits for others, until something is so.
func (w *crew) help(until func() bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !until() {
		if len(w.ready) > 0 {
			w.step()
		} else {
			w.done.Wait()
		}
	}
}
