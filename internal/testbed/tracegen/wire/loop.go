package wire

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A loop runs the clock of endpoints along the real one and hands them what their
// sockets receive.
type loop struct {
	clock      sim.Clock
	start      time.Time
	resolution time.Duration // look at sockets and clock so often; 0: whenever there is something
	in         inbox
	spare      []arrival
	routes     map[route]*track
	looked     time.Duration // when in was looked at last, by the real clock
	mostLag    time.Duration // the most the clock was slower than the real one
	still      atomic.Int64  // for how long it stood still, ns
	strays     int           // arrivals that nobody here sent
	err        error
}

func newLoop(resolution time.Duration) *loop {
	return &loop{start: time.Now(), resolution: resolution, in: inbox{wake: make(chan struct{}, 1)}, routes: map[route]*track{}}
}

// elapsed is the time of the endpoints: the real one without what the clock stood
// still.
func (l *loop) elapsed() time.Duration { return time.Since(l.start) - time.Duration(l.still.Load()) }

// fail ends the run with an error.
func (l *loop) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// idle is the longest the loop sleeps.
const idle = 50 * time.Millisecond

// run runs until stop says so, the context ends or a socket fails.
func (l *loop) run(ctx context.Context, stop func() bool) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		l.turn()
		if l.err != nil || stop() {
			return l.err
		}
		wake := l.in.wake
		if l.resolution > 0 {
			wake = nil
		}
		timer.Reset(l.pause())
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		case <-timer.C:
		}
	}
}

// A clock that is slower by more than a process that runs can be stood still
// meanwhile: on a machine that is too busy the endpoints are slow. They lose nothing
// that only waits to be looked at, and never hurry to send what is overdue.
const (
	tooLate = 2 * idle
	step    = 5 * time.Millisecond
)

// turn does what is to be done now.
func (l *loop) turn() {
	l.looked = l.elapsed()
	end := l.looked
	if lag := l.looked - l.clock.Now(); lag > tooLate {
		l.mostLag = max(l.mostLag, lag)
		l.still.Add(int64(lag - step))
		end = l.clock.Now() + step
		l.looked = end
	}
	list := l.in.take(l.spare)
	for _, a := range list {
		l.clock.Advance(min(a.at, end))
		if t := l.routes[route{a.on, a.from}]; t == nil || !t.receive(a) {
			l.strays++
		}
	}
	clear(list)
	l.spare = list
	l.clock.Advance(end)
}

// pause is how long there is nothing to do.
func (l *loop) pause() time.Duration {
	if l.resolution > 0 {
		return l.resolution
	}
	next, ok := l.clock.Next()
	if !ok {
		return idle
	}
	return max(0, min(next-l.elapsed(), idle))
}
