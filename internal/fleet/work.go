package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// WorkOptions say how steps are done.
type WorkOptions struct {
	Program []string // the command tables of this program
	Args    []string // its flags that are the same for all steps
	Layout  uint64   // of states that it reads
	Build   string
	Name    string // of the worker, for people
	Workers int    // steps at a time
	Root    string // the folder that inputs are below

	AckWait    time.Duration // after which a step whose worker is silent is given to another one
	Tries      int           // the delivery after them is not begun
	StepTime   time.Duration
	StepMemory int64 // bytes
	Refuse     bool  // states of another build end the worker
	Drain      bool  // end when nothing is left

	Ready   func(context.Context) error // whether rows can be written
	Fence   Fence
	Forget  func(ctx context.Context, point, chain string, step int) error // the rows of a step that is dead
	Observe func(Event)                                                    // nil for nobody
	Tell    func(text string)

	run   func(ctx context.Context, args []string) (outcome, error) // how a step is done; nil for a command
	grace time.Duration                                             // for the step of a worker that is to end; 0 for ten seconds
}

// A Fence gives an attempt at a step the place that its rows come from, and takes that of all attempts before
// it away: whoever still sleeps in one of them writes no row when it wakes. The worker leaves the place at its end.
type Fence func(ctx context.Context, point, chain string, step, attempt int) (place string, leave func(), err error)

// An Event is what became of a delivery of a step.
type Event struct {
	Result     string        // done, repeated, dead, handed_back
	Took       time.Duration // since it was taken
	StateBytes int           // of the state that it left
	Restarted  bool          // it began its chain again
}

// A Worker does steps.
type Worker struct {
	q     *Queue
	o     WorkOptions
	root  *os.Root
	parts *parts
	now   []*holding // what each does, for status
	mu    sync.Mutex
}

// A holding is what a worker does now.
type holding struct {
	step  *Step
	since time.Time
}

// A Fault is the worker's own: its options, its rights, its disk. The step is handed back, and the
// worker ends.
type Fault struct{ text string }

func (e *Fault) Error() string { return e.text }

const (
	grace   = 10 * time.Second // for the step of a worker that is to end
	minDisk = 1 << 30          // bytes, without which no step is taken
)

// Work does steps until the context ends, or with Drain until nothing is left.
func (q *Queue) Work(ctx context.Context, o WorkOptions) error {
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return err
	}
	w := &Worker{q: q, o: o, now: make([]*holding, o.Workers)}
	if w.root, err = os.OpenRoot(root); err != nil {
		return fmt.Errorf("--root: %w", err)
	}
	defer w.root.Close()
	if w.parts, err = q.openParts(ctx, o.AckWait); err != nil {
		return err
	}
	defer w.parts.close()
	stop, err := w.answer()
	if err != nil {
		return err
	}
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for i := range o.Workers {
		all.Go(func() {
			if err := w.loop(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// loop takes steps and does them, one by one.
func (w *Worker) loop(ctx context.Context, i int) error {
	for ctx.Err() == nil {
		m, part, err := w.parts.take(ctx, w.o.Drain, w.ready)
		if err != nil || m == nil {
			return noCancel(ctx, err)
		}
		err = w.deliver(ctx, i, m)
		w.parts.release(part)
		if err != nil {
			return noCancel(ctx, err)
		}
	}
	return nil
}

// noCancel leaves out the error of a context that was to end.
func noCancel(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// ready waits until there is room on the disk, and rows can be written.
func (w *Worker) ready(ctx context.Context) {
	told := false
	for {
		err := Room(os.TempDir())
		if err == nil {
			_, err = os.Stat(w.root.Name())
		}
		if err == nil {
			err = w.o.Ready(ctx)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		if !told {
			told = true
			w.o.Tell("no step is taken: " + err.Error())
		}
		pause(ctx, time.Second)
	}
}

// Room reports what is wrong with a folder where there is no room for a step.
func Room(dir string) error {
	free, err := freeBytes(dir)
	if err == nil && free < minDisk {
		err = fmt.Errorf("%s has %d MiB left, want %d", dir, free>>20, minDisk>>20)
	}
	return err
}

// pause waits for a while, or until a context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// deliver does a step that was taken. While it does the server hears of it, and a worker that is to end has
// some seconds left for it.
func (w *Worker) deliver(ctx context.Context, i int, m jetstream.Msg) error {
	begun := time.Now()
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		pause(work, cmp.Or(w.o.grace, grace))
		cancel()
	})()
	go func() {
		for tick := time.Tick(w.o.AckWait / 3); ; {
			select {
			case <-work.Done():
				return
			case <-tick:
				m.InProgress()
			}
		}
	}()
	t := &task{w: w, m: m}
	hold := func(s *Step) {
		w.mu.Lock()
		w.now[i] = nil
		if s != nil {
			w.now[i] = &holding{s, begun.UTC()}
		}
		w.mu.Unlock()
	}
	t.hold = hold
	err := t.do(work)
	hold(nil)
	if w.o.Observe != nil && t.event.Result != "" {
		t.event.Took = time.Since(begun)
		w.o.Observe(t.event)
	}
	return err
}
