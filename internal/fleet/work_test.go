package fleet

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// oneStep queues a step, and gives options of workers that do it by run.
func oneStep(t *testing.T, run func(context.Context) (outcome, error)) (*Queue, WorkOptions) {
	t.Helper()
	ctx := context.Background()
	q, err := Connect(ctx, Options{Server: servers(t, 1), Prefix: "dpd", Create: true, Partitions: 2, Tell: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	root := t.TempDir()
	path := filepath.Join(root, "x")
	os.WriteFile(path, []byte("x"), 0o600)
	inputs, err := Look(ctx, "", []string{path})
	if err == nil {
		_, _, err = q.Submit(ctx, "p", "c", [][]Input{inputs}, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	return q, WorkOptions{Workers: 2, Root: root, AckWait: 300 * time.Millisecond, Tries: 3, StepTime: time.Minute, Drain: true,
		Ready: func(context.Context) error { return nil }, Forget: func(context.Context, string, string, int) error { return nil }, Tell: func(text string) { t.Log(text) },
		run: func(ctx context.Context, args []string) (outcome, error) {
			for _, a := range args {
				if path, ok := strings.CutPrefix(a, "--state-out="); ok {
					os.WriteFile(path, []byte("state"), 0o600)
				}
			}
			return run(ctx)
		}}
}

// TestInProgress: a step that takes several times as long as the server waits for a word of its worker is not
// given to another one.
func TestInProgress(t *testing.T) {
	t.Parallel()
	var times atomic.Int32
	q, o := oneStep(t, func(context.Context) (outcome, error) {
		times.Add(1)
		time.Sleep(2100 * time.Millisecond)
		return outcome{}, nil
	})
	o.AckWait = 700 * time.Millisecond // of which a busy machine may take two thirds
	if err := q.Work(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if n := times.Load(); n != 1 {
		t.Errorf("it was done %d times", n)
	}
}

// TestHandedBack: a worker that is to end hands back the step that does not end in time, which is no try.
func TestHandedBack(t *testing.T) {
	begun := make(chan bool, 1)
	q, o := oneStep(t, func(ctx context.Context) (outcome, error) {
		begun <- true
		<-ctx.Done()
		return outcome{code: -1, stopped: true}, nil
	})
	o.grace, o.Tries = 50*time.Millisecond, 1
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-begun
		cancel()
	}()
	if err := q.Work(ctx, o); err != nil {
		t.Fatal(err)
	}
	r, _, _, err := q.record(context.Background(), "p", "c")
	if err != nil || r.Returned != 1 || r.Done+r.Dead != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	o.run = func(_ context.Context, args []string) (outcome, error) {
		return outcome{code: codeInput, text: "no capture"}, nil
	}
	if err := q.Work(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	letters, err := q.Dead(context.Background(), "", "", -1)
	if err != nil || len(letters) != 1 || letters[0].Reason != "no capture" {
		t.Errorf("%+v, %v", letters, err)
	}
}

// TestLateWorker: a worker that slept through its step, and wakes when the chain went on long ago, changes neither the
// record nor the states.
func TestLateWorker(t *testing.T) {
	wake, slept := make(chan bool), make(chan bool, 1)
	var times atomic.Int32
	q, o := oneStep(t, func(context.Context) (outcome, error) {
		if times.Add(1) == 1 {
			slept <- true
			<-wake
		}
		return outcome{}, nil
	})
	ctx := context.Background()
	late := make(chan error)
	var results atomic.Value
	sleeper := o
	sleeper.Workers, sleeper.AckWait = 1, 300*time.Millisecond
	sleeper.Observe = func(e Event) { results.CompareAndSwap(nil, e.Result) }
	stop, cancel := context.WithCancel(ctx)
	go func() { late <- q.Work(stop, sleeper) }()
	<-slept
	r, revision, _, err := q.record(ctx, "p", "c")
	if err != nil {
		t.Fatal(err)
	}
	r.Done, r.State, r.Before = 1, stateName("p", "c", 0, make([]byte, 32)), "" // another worker was done
	if ok, err := q.put(ctx, "p", "c", &r, revision); !ok || err != nil {
		t.Fatal(err)
	}
	close(wake)
	for results.Load() == nil {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-late; err != nil {
		t.Fatal(err)
	}
	now, _, _, err := q.record(ctx, "p", "c")
	if err != nil || now != r {
		t.Errorf("%+v, %v, want %+v", now, err, r)
	}
	if s := results.Load(); s != "repeated" {
		t.Errorf("the late one is %v", s)
	}
	if all, err := q.states.List(ctx); err == nil && len(all) > 0 {
		t.Errorf("it left %d states", len(all))
	}
}
