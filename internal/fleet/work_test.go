package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/dpdissect/dpdissect/internal/state"
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
		Ready: func(context.Context) error { return nil }, Fence: noFence, Forget: func(context.Context, string, string, int) error { return nil }, Tell: func(text string) { t.Log(text) },
		run: func(ctx context.Context, args []string) (outcome, error) {
			for _, a := range args {
				if path, ok := strings.CutPrefix(a, "--state-out="); ok {
					os.WriteFile(path, (&state.Head{}).Seal([]byte("state"), 0), 0o600)
				}
			}
			return run(ctx)
		}}
}

// noFence lets every attempt write.
func noFence(context.Context, string, string, int, int) (string, func(), error) {
	return "", func() {}, nil
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

// sleeper begins the first step as a worker that is paused does: no word of it comes to the server. wake lets it end its
// step so, and gives what became of it.
func sleeper(t *testing.T, q *Queue, o WorkOptions, end outcome) (wake func() string) {
	t.Helper()
	begun, sleep, results := make(chan bool, 1), make(chan bool), make(chan string, 1)
	write := o.run
	o.Workers, o.AckWait, o.Drain = 1, time.Hour, false
	o.run = func(ctx context.Context, args []string) (outcome, error) {
		begun <- true
		<-sleep
		write(ctx, args)
		return end, nil
	}
	o.Observe = func(e Event) { results <- e.Result }
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- q.Work(ctx, o) }()
	<-begun
	return func() string {
		close(sleep)
		result := <-results
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the late worker ends: %v", err)
		}
		return result
	}
}

// TestLateWorkerOfDeadStep: the place of a worker that sleeps is taken away before its step is declared dead and the rows of
// tries are removed; when it wakes it writes no row, and goes on.
func TestLateWorkerOfDeadStep(t *testing.T) {
	q, o := oneStep(t, func(context.Context) (outcome, error) { return outcome{}, nil })
	var did []string
	o.Fence = func(_ context.Context, _, _ string, _, attempt int) (string, func(), error) {
		did = append(did, fmt.Sprint("fence ", attempt))
		return "", func() {}, nil
	}
	o.Forget = func(context.Context, string, string, int) error {
		did = append(did, "forget")
		return nil
	}
	wake := sleeper(t, q, o, outcome{code: codeUsage, text: "no place"})
	o.Tries = 1
	if err := q.Work(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if s := wake(); s != "repeated" {
		t.Errorf("the late one is %q", s)
	}
	if want := []string{"fence 0", "fence 1", "forget"}; !slices.Equal(did, want) {
		t.Errorf("%q, want %q", did, want)
	}
	if r, _, _, err := q.record(context.Background(), "p", "c"); err != nil || r.Dead != 1 || r.Done != 0 || r.Attempt != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLateWorkerOfStepInWork: a worker that wakes while another one does its step neither settles the step nor lets the
// next one be given out.
func TestLateWorkerOfStepInWork(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	q, o := oneStep(t, func(context.Context) (outcome, error) { return outcome{}, nil })
	path := filepath.Join(o.Root, "y")
	os.WriteFile(path, []byte("y"), 0o600)
	inputs, err := Look(context.Background(), "", []string{path})
	if err == nil {
		_, _, err = q.Submit(context.Background(), "p", "c", [][]Input{inputs}, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	wake := sleeper(t, q, o, outcome{})
	write, times := o.run, atomic.Int32{}
	o.run = func(ctx context.Context, args []string) (outcome, error) {
		if times.Add(1) == 1 {
			begun <- true
			<-end
		}
		return write(ctx, args)
	}
	ended := make(chan error)
	go func() { ended <- q.Work(context.Background(), o) }()
	<-begun
	if s := wake(); s != "repeated" {
		t.Errorf("the late one is %q", s)
	}
	if r, _, _, err := q.record(context.Background(), "p", "c"); err != nil || r.next() != 0 || r.Attempt != 1 {
		t.Errorf("while it is done: %+v, %v", r, err)
	}
	time.Sleep(100 * time.Millisecond) // in which the next step could be given out
	if n := times.Load(); n != 1 {
		t.Errorf("%d steps are done", n)
	}
	close(end)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if r, _, _, err := q.record(context.Background(), "p", "c"); err != nil || r.Done != 2 || r.Dead != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRecordsAreForgotten: the record of a chain that is over has the time in it after which the server forgets it, that
// of one whose end is dead has none, and neither takes what comes after the end.
func TestRecordsAreForgotten(t *testing.T) {
	ctx := context.Background()
	for _, dead := range []bool{false, true} {
		q, o := oneStep(t, func(context.Context) (outcome, error) { return outcome{}, nil })
		if err := q.Work(ctx, o); err != nil {
			t.Fatal(err)
		}
		if _, _, err := q.Submit(ctx, "p", "c", nil, true); err != nil {
			t.Fatal(err)
		}
		if dead {
			o.run = func(context.Context, []string) (outcome, error) { return outcome{code: -1}, nil }
			o.Tries = 1
		}
		if err := q.Work(ctx, o); err != nil {
			t.Fatal(err)
		}
		st, err := q.js.Stream(ctx, "KV_dpd_chains")
		if err != nil {
			t.Fatal(err)
		}
		m, err := st.GetLastMsgForSubject(ctx, q.chainSubject("p.c"))
		if err != nil || (m.Header.Get(jetstream.MsgTTLHeader) == "720h0m0s") == dead {
			t.Errorf("dead %v: %v, %v", dead, m.Header, err)
		}
		if err := q.steps.Purge(ctx); err != nil { // as after 30 days
			t.Fatal(err)
		}
		path := filepath.Join(o.Root, "z")
		os.WriteFile(path, []byte("z"), 0o600)
		inputs, _ := Look(ctx, "", []string{path})
		if _, _, err := q.Submit(ctx, "p", "c", [][]Input{inputs}, false); err != ErrEnded {
			t.Errorf("dead %v: %v", dead, err)
		}
	}
}

// TestStatesOfDroppedEnd: the states of a chain whose end is dead wait until it is retried, also where the end is given
// out again. Once its letter is dropped the next worker forgets them, and the server the record in its time.
func TestStatesOfDroppedEnd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	q, o := oneStep(t, func(context.Context) (outcome, error) { return outcome{}, nil })
	write := o.run
	work := func(states, letters int) []*Letter {
		t.Helper()
		if err := q.Work(ctx, o); err != nil {
			t.Fatal(err)
		}
		all, err := q.states.List(ctx)
		if len(all) != states {
			t.Errorf("%d states, %v, want %d", len(all), err, states)
		}
		dead, err := q.Dead(ctx, "", "", -1)
		if err != nil || len(dead) != letters {
			t.Fatalf("%d letters, %v, want %d", len(dead), err, letters)
		}
		return dead
	}
	work(1, 0)
	if _, _, err := q.Submit(ctx, "p", "c", nil, true); err != nil {
		t.Fatal(err)
	}
	o.Tries = 1
	o.run = func(context.Context, []string) (outcome, error) { return outcome{code: -1}, nil }
	dead := work(1, 1)
	if err := q.queueEnd(ctx, dead[0], "repeated"); err != nil {
		t.Fatal(err)
	}
	work(1, 1)
	if err := q.Retry(ctx, dead[0]); err != nil {
		t.Fatal(err)
	}
	dead = work(1, 1)
	if err := q.Drop(ctx, dead[0]); err != nil {
		t.Fatal(err)
	}
	o.run = write
	work(0, 0)
	if r, _, _, err := q.record(ctx, "p", "c"); err != nil || !r.forgettable() || r.Done != 1 || r.waits() {
		t.Errorf("%+v, %v", r, err)
	}
	if st, err := q.objects.Info(ctx); err != nil || st.State.Msgs > 0 {
		t.Errorf("%d messages are left of the states, %v", st.State.Msgs, err)
	}
}
