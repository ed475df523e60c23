package wire

import (
	"context"
	"time"

	"github.com/dpdissect/dpdissect/internal/tracegen/sim"
)

// A loop runs the clock of endpoints along the real one and hands them what their
// sockets receive.
type loop struct {
	clock  sim.Clock
	start  time.Time
	grain  time.Duration // look at sockets and clock so often; 0: whenever there is something
	in     inbox
	spare  []arrival
	routes map[route]*track
	strays int // arrivals that nobody here sent
	err    error
}

func newLoop(grain time.Duration) *loop {
	return &loop{start: time.Now(), grain: grain, in: inbox{wake: make(chan struct{}, 1)}, routes: map[route]*track{}}
}

func (l *loop) elapsed() time.Duration { return time.Since(l.start) }

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
		if l.grain > 0 {
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

// turn does what is to be done now.
func (l *loop) turn() {
	list := l.in.take(l.spare)
	for _, a := range list {
		l.clock.Advance(a.at)
		if t := l.routes[route{a.on, a.from}]; t == nil || !t.receive(a) {
			l.strays++
		}
	}
	clear(list)
	l.spare = list
	l.clock.Advance(l.elapsed())
}

// pause is how long there is nothing to do.
func (l *loop) pause() time.Duration {
	if l.grain > 0 {
		return l.grain
	}
	next, ok := l.clock.Next()
	if !ok {
		return idle
	}
	return max(0, min(next-l.elapsed(), idle))
}
