package main

import (
	"context"
	"time"

	"github.com/dpdissect/dpdissect/internal/fleet"
	"github.com/dpdissect/dpdissect/internal/metrics"
)

// standsEvery is how often a worker looks how the queue stands, for metrics.
const standsEvery = 15 * time.Second

// serveMetrics serves metrics of a worker until stop is called: it hears of each step by c.o.Observe.
func (c *workCommand) serveMetrics(q *fleet.Queue) (stop func(), err error) {
	w, err := metrics.StartWorker(c.metrics, build())
	if err != nil {
		return nil, err
	}
	c.o.Observe = func(e fleet.Event) { w.Step(e.Result, e.Took, e.StateBytes, e.Restarted) }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		watch := time.NewTicker(standsEvery)
		defer watch.Stop()
		for {
			w.Stands(standing(ctx, q))
			select {
			case <-ctx.Done():
				return
			case <-watch.C:
			}
		}
	}()
	return func() {
		cancel()
		<-done
		w.Close()
	}, nil
}

// standing is how the queue stands, nil where it does not answer.
func standing(ctx context.Context, q *fleet.Queue) *metrics.Queue {
	s, err := q.Status(ctx)
	if err != nil {
		return nil
	}
	at := &metrics.Queue{Queued: s.Queued, DeadLetters: s.Dead}
	if s.LagMS != nil {
		at.Lag = time.Duration(*s.LagMS) * time.Millisecond
	}
	return at
}
