package metrics

import (
	"sync"
	"time"
)

// Results are the ways in which a step of the queue can end.
var Results = []string{"done", "repeated", "dead", "handed_back"}

// A Worker makes pages about a worker of the queue and the queue itself. Several goroutines may
// use it.
type Worker struct {
	server  *Server
	version string

	mu        sync.Mutex
	results   map[string]uint64
	took      Histogram
	bytes     int
	restarted uint64
	queue     *Queue
}

// A Queue is the state of a queue.
type Queue struct {
	Queued, DeadLetters int
	Lag                 time.Duration // age of the oldest step that waits, 0 where none does
}

// StartWorker begins to answer at an address (Address). version is that of the program.
func StartWorker(addr, version string) (*Worker, error) {
	s, err := listen(addr)
	if err != nil {
		return nil, err
	}
	w := newWorker(s, version)
	w.Stands(nil)
	return w, nil
}

func newWorker(s *Server, version string) *Worker {
	return &Worker{server: s, version: version, results: map[string]uint64{}, took: newHistogram(0.1, 0.3, 1, 3, 10, 30, 100, 300)}
}

// Close ends what StartWorker began.
func (w *Worker) Close() { w.server.Close() }

// Step counts a step: one of Results, how long it took, the bytes of the state that it left, 0 for
// none, and whether it began its chain again.
func (w *Worker) Step(result string, took time.Duration, bytes int, restarted bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.results[result]++
	w.took.Observe(int64(took))
	if bytes > 0 {
		w.bytes = bytes
	}
	if restarted {
		w.restarted++
	}
	w.publish()
}

// Stands publishes the state of the queue, nil while it is not known. A worker calls it every few
// seconds, which also shows that it is alive.
func (w *Worker) Stands(q *Queue) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = q
	w.publish()
}

func (w *Worker) publish() {
	p := new(Page)
	steps := p.Counter("dpdissect_fleet_steps_total", "Steps that this worker took, by what became of them.")
	for _, r := range Results {
		steps.Set(float64(w.results[r]), "result", r)
	}
	p.Histogram("dpdissect_fleet_step_seconds", "Time that these steps took.", &w.took)
	p.Gauge("dpdissect_fleet_state_bytes", "Bytes of the latest state that a step of this worker left.").Set(float64(w.bytes))
	p.Counter("dpdissect_fleet_restarted_total", "Chains that this worker began again, for their state could not be read.").Set(float64(w.restarted))
	if q := w.queue; q != nil {
		p.Gauge("dpdissect_fleet_queued", "Steps that wait in the queue.").Set(float64(q.Queued))
		p.Gauge("dpdissect_fleet_lag_seconds", "Age of the oldest step that waits.").Set(q.Lag.Seconds())
		p.Gauge("dpdissect_fleet_dead_letters", "Steps that could not be done.").Set(float64(q.DeadLetters))
	}
	p.Gauge("dpdissect_build_info", "1, with the version of the program.").Set(1, "version", w.version)
	w.server.Publish(p)
}
