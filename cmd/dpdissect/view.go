package main

import (
	"context"
	"io"
	"os"

	"github.com/dpdissect/dpdissect/internal/liveview"
	"github.com/dpdissect/dpdissect/internal/sampler"
)

// onTerminal reports whether there is somebody to look and to press keys.
func (c *analyze) onTerminal(j *job) bool {
	if c.format.Value != "text" || c.quiet || !j.screen.terminal {
		return false
	}
	keys, done, err := openKeys()
	if err != nil {
		return false
	}
	defer done()
	return isTerminal(keys)
}

// openKeys opens what keys are read from: the terminal itself where standard input is
// something else.
func openKeys() (keys *os.File, done func(), err error) {
	if isTerminal(os.Stdin) {
		return os.Stdin, func() {}, nil
	}
	in, out, err := liveview.OpenTerminal()
	if err != nil {
		return nil, nil, err
	}
	return in, func() {
		in.Close()
		if out != in {
			out.Close()
		}
	}, nil
}

// A view is the table on a terminal. Of a live run it opens at once; of a pipe or a file
// that grows with the first report, so that short ones show their result alone.
type view struct {
	w      *watcher
	feed   liveview.Feed
	cancel context.CancelFunc // nil while it is not open
	done   chan struct{}
}

func newView(w *watcher) *view { return &view{w: w, feed: liveview.NewFeed()} }

// open shows the table. When the user quits, the run ends.
func (v *view) open() {
	keys, done, err := openKeys()
	if err != nil {
		return // the terminal is gone
	}
	var ctx context.Context
	ctx, v.cancel = context.WithCancel(context.Background())
	v.done = make(chan struct{})
	go func() {
		defer close(v.done)
		defer done()
		_ = liveview.Run(ctx, io.Reader(keys), v.w.out, v.feed, liveview.Options{Color: v.w.screen.colored()})
		v.w.run.Source.Stop()
	}()
}

// offer gives it something new to show.
func (v *view) offer(s *sampler.Snapshot) {
	if v.cancel == nil {
		v.open()
	}
	v.feed.Offer(s)
}

// close ends it; the terminal is as it was then.
func (v *view) close() {
	if v != nil && v.cancel != nil {
		v.cancel()
		<-v.done
	}
}
