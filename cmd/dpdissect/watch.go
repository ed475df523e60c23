package main

import (
	"context"
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/dpdissect/dpdissect/internal/liveview"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
)

// Intervals of reports where --interval is not given.
const (
	viewInterval   = time.Second
	recordInterval = 10 * time.Second
)

// A watcher reports on a live run while it goes on.
type watcher struct {
	*job
	fresh   func() []session.Finding
	all     func() []session.Finding
	forget  func(gone map[*session.Conn]bool)
	chosen  *selection // by -Y, or nil
	sampler liveview.Sampler
	started time.Time
	feed    liveview.Feed
	gone    [3]uint64 // findings on connections that have left
	record  []byte    // of the latest interval
}

// watch analyses a live source and reports at intervals; what it gives is the
// report of the whole run.
func (c *analyze) watch(j *job) (*report.Analysis, error) {
	w := &watcher{job: j, started: time.Now()}
	finish := w.attach()
	w.bounds = pipeline.NewWatch(&j.run)
	w.bounds.Forget = w.forget
	tell, interval := w.reporter(c)
	if c.interval != 0 {
		interval = time.Duration(c.interval)
	}
	if tell != nil {
		w.bounds.Every(interval, tell)
	}
	stop := w.show(c)
	err := j.run.Do()
	stop()
	j.stop()
	if err == nil {
		err = finish()
	}
	conns, forgotten := w.bounds.All()
	a := w.analysis(conns, w.all())
	a.Totals.LeftOut = forgotten
	return a, err
}

// attach makes findings arrive, and with -Y frames.
func (w *watcher) attach() (finish func() error) {
	if w.job.show == nil {
		f := new(pipeline.Findings)
		f.Live()
		f.Attach(&w.run)
		w.fresh, w.all, w.forget = f.Fresh, f.All, f.Forget
		return func() error { return nil }
	}
	w.chosen = newSelection(w.job.show)
	w.chosen.display.Configure(&w.run.Config)
	q := pipeline.NewQueue(w.out, w.chosen)
	q.Attach(&w.run)
	q.Hasten(&w.run, patience)
	w.fresh, w.all = q.Fresh, q.Findings
	w.forget = func(gone map[*session.Conn]bool) {
		q.Forget(gone)
		w.chosen.forget(gone)
	}
	return q.Finish
}

// analysis is the report on some connections with some findings. With -Y those
// without a match are left out.
func (w *watcher) analysis(conns []*session.Conn, findings []session.Finding) *report.Analysis {
	if w.chosen != nil {
		conns = slices.DeleteFunc(conns, func(c *session.Conn) bool { return !w.chosen.has(c) })
		findings = slices.DeleteFunc(findings, func(f session.Finding) bool { return !w.chosen.has(f.Conn) })
	}
	return w.report(conns, findings)
}

// reporter chooses what is told at intervals; nil is nothing.
func (w *watcher) reporter(c *analyze) (func(time.Time) error, time.Duration) {
	switch {
	case c.format.value == "ndjson":
		return w.tellRecord, recordInterval
	case c.format.value != "text":
		return nil, 0
	case c.onTerminal(w.job):
		return w.offer, viewInterval
	case c.quiet:
		return nil, 0
	}
	return w.tellText, recordInterval
}

// onTerminal reports whether there is somebody to look and to press keys.
func (c *analyze) onTerminal(j *job) bool {
	return c.format.value == "text" && !c.quiet && j.screen.terminal && term.IsTerminal(int(os.Stdin.Fd()))
}

// tellRecord writes the record of an interval: the connections that are followed and
// those that ended since the record before, with the findings since then.
func (w *watcher) tellRecord(time.Time) error {
	a := w.analysis(w.bounds.Record(), w.fresh())
	w.record = append(report.AppendRecord(w.record[:0], a), '\n')
	_, err := w.out.Write(w.record)
	return err
}

// tellText writes a table.
func (w *watcher) tellText(now time.Time) error {
	s := w.snapshot(now)
	_, err := w.out.Write(liveview.AppendRecord(nil, s, liveview.TextOptions{Palette: w.screen.palette, Width: w.screen.width}))
	return err
}

// offer gives the terminal something new to show.
func (w *watcher) offer(now time.Time) error {
	w.feed.Offer(w.snapshot(now))
	return nil
}

func (w *watcher) snapshot(now time.Time) *liveview.Snapshot {
	for _, f := range w.fresh() {
		w.sampler.Note(&f)
	}
	a := w.analysis(w.bounds.Record(), nil)
	st := liveview.Status{
		Now: now.UnixNano(), Started: w.started.UnixNano(), Interfaces: w.interfaces,
		Packets: a.Totals.Packets, Decoded: a.Totals.Decoded, Findings: w.gone, Ended: w.bounds.Counts(),
		Dropped: w.run.Source.Dropped(),
	}
	for _, c := range a.Conns {
		if c.Closed() {
			st.Ended--
			for i, n := range c.Findings {
				w.gone[i] += n
			}
		}
	}
	return w.sampler.Snapshot(st, a.Conns)
}

// show begins the view on a terminal. What it gives ends it. When the user quits,
// the capture ends.
func (w *watcher) show(c *analyze) (stop func()) {
	if !c.onTerminal(w.job) {
		return func() {}
	}
	w.feed = liveview.NewFeed()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		err := liveview.Run(ctx, os.Stdin, w.out, w.feed, liveview.Options{Color: w.screen.palette.Heading.Start != ""})
		w.run.Source.Stop()
		done <- err
	}()
	w.feed.Offer(w.sampler.Snapshot(liveview.Status{Now: w.started.UnixNano(), Started: w.started.UnixNano(), Interfaces: w.interfaces}, nil))
	return func() {
		cancel()
		<-done
	}
}
