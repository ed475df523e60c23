package pipeline

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/session"
)

// MaxEnded bounds the ended connections that a live run keeps for its last report, the
// latest; older ones are counted.
const MaxEnded = 1024

// manyConnections is from how many connections on at a time less is remembered of
// each further one (session.Config.LowMemory). With fewer the numbers are those of a file.
const manyConnections = 256

// tickEvery is how often a live run looks for what fell silent.
const tickEvery = time.Second

// A Watch looks at a run while it goes on, and keeps one without end bounded:
// connections that ended leave the tracker, and the latest of them are kept. Of other
// runs, of pipes and files that grow, it changes nothing. It is used in the goroutine of
// the run.
type Watch struct {
	// Forget, when not nil, is told of connections that are counted only from now on:
	// what else is kept of them must go.
	Forget func(gone map[*session.Conn]bool)
	Keep   int // connections that ended, for All; 0 is MaxEnded

	run       *Run
	ends      bool            // the run has an end
	ended     []*session.Conn // by end, the latest last
	fresh     int             // how many of ended came since Record
	forgotten uint64
	closed    uint64
	compact   bool
	nextID    int
	ticked    time.Time
	tasks     []task
}

// A task is called at intervals.
type task struct {
	every time.Duration
	next  time.Time
	do    func(now time.Time) error
}

// NewWatch looks at a run that is to begin.
func NewWatch(r *Run) *Watch {
	w := &Watch{run: r, ends: !r.Source.Live()}
	if w.ends {
		w.Keep = math.MaxInt
	} else if r.Config.Idle == 0 {
		r.Config.Idle = session.DefaultIdle
	}
	r.ended = func() []*session.Conn { return w.ended }
	first := r.Idle
	r.Idle = func() error {
		if first != nil {
			if err := first(); err != nil {
				return err
			}
		}
		return w.look(time.Now())
	}
	return w
}

// Every makes f be called at intervals of d, in the goroutine of the run, while no
// packet is tracked. Its error ends the run.
func (w *Watch) Every(d time.Duration, f func(now time.Time) error) {
	w.tasks = append(w.tasks, task{d, time.Now().Add(d), f})
}

// look does what is due, and lets the source wake up for what is next.
func (w *Watch) look(now time.Time) error {
	if !w.ends {
		if now.Sub(w.ticked) >= tickEvery {
			w.ticked = now
			w.tick(cmp.Or(w.run.Source.Heard(), w.run.latest))
		}
		w.run.Source.WakeAt(w.ticked.Add(tickEvery))
	}
	for i := range w.tasks {
		t := &w.tasks[i]
		if !now.Before(t.next) {
			if t.next = t.next.Add(t.every); t.next.Before(now) {
				t.next = now.Add(t.every)
			}
			if err := t.do(now); err != nil {
				return err
			}
		}
		w.run.Source.WakeAt(t.next)
	}
	return nil
}

// Latest is the time of the latest packet, in ns.
func (w *Watch) Latest() int64 { return w.run.latest }

// tick lets time pass where no packets come, until when all were heard, and takes over
// what ended.
func (w *Watch) tick(now int64) {
	open := 0
	for _, t := range w.run.tables {
		t.Latest(w.run.latest)
		t.Tick(now)
		n, _, _ := t.Live()
		open += n
	}
	if w.collect() {
		w.run.judgeMoves()
	}
	if open >= manyConnections && !w.compact {
		w.compact = true // for good: what was not remembered can't be asked for later
		for _, t := range w.run.tables {
			t.SaveMemory()
		}
	}
}

// collect takes the connections that ended from the tracker, and reports whether there
// were any.
func (w *Watch) collect() bool {
	first := len(w.ended)
	w.ended = append(w.ended, w.run.TakeClosed()...)
	fresh := w.ended[first:]
	slices.SortFunc(fresh, byFirstFrame)
	w.closed += uint64(len(fresh))
	w.fresh += len(fresh)
	if over := len(w.ended) - cmp.Or(w.Keep, MaxEnded); over > 0 {
		w.forgotten += uint64(over)
		w.forget(w.ended[:over])
		w.ended = slices.Delete(w.ended, 0, over)
		w.fresh = min(w.fresh, len(w.ended))
	}
	return len(fresh) > 0
}

func (w *Watch) forget(conns []*session.Conn) {
	if w.Forget == nil {
		return
	}
	gone := make(map[*session.Conn]bool, len(conns))
	for _, c := range conns {
		gone[c] = true
	}
	w.Forget(gone)
}

func byFirstFrame(a, b *session.Conn) int { return cmp.Compare(a.FirstFrame, b.FirstFrame) }

// Open are the connections that are followed, and those that ended and are still
// looked after for what comes late.
func (w *Watch) Open() []*session.Conn { return w.run.open() }

// Record are the connections for the report of an interval, with their ids: those
// followed, and those that ended since the call before.
func (w *Watch) Record() []*session.Conn {
	w.collect()
	conns := append(w.Open(), w.ended[len(w.ended)-w.fresh:]...)
	w.fresh = 0
	slices.SortFunc(conns, byFirstFrame)
	w.number(conns)
	return conns
}

// number gives ids to those that have none: in the order of their first frames,
// distance all given before.
func (w *Watch) number(conns []*session.Conn) {
	for _, c := range conns {
		if c.ID < 0 {
			c.ID = w.nextID
			w.nextID++
		}
	}
}

// All are the connections for the last report, when the run has ended: every one
// unless there were more than MaxEnded. forgotten says how many are not among them.
// They are numbered by their first frames, whatever reports of intervals said.
func (w *Watch) All() (conns []*session.Conn, forgotten uint64) {
	w.collect()
	conns = slices.Clone(w.ended)
	session.Number(conns)
	return conns, w.forgotten
}

// Counts gives how many connections ended so far.
func (w *Watch) Counts() (closed uint64) { return w.closed }
