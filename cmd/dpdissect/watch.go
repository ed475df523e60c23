package main

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/liveview"
	"github.com/dpdissect/dpdissect/internal/metrics"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/session"
)

// Intervals of reports where --interval is not given.
const (
	viewInterval   = time.Second
	recordInterval = 10 * time.Second
)

// A watcher reports on a run while it goes on.
type watcher struct {
	*job
	live    bool
	fresh   func() []session.Finding
	all     func() []session.Finding
	forget  func(gone map[*session.Conn]bool)
	chosen  *selection // by -Y, or nil
	sampler sampler.Sampler
	started time.Time
	view    *view // nil where nobody watches
	clock   captureClock
	gone    [3]uint64 // findings on connections that have left
	record  []byte    // of the latest interval
}

// watches reports whether a run is reported on while it goes on: it captures live,
// or it waits for packets and was asked to, or somebody looks at the terminal.
func (c *analyze) watches(j *job) bool {
	switch {
	case c.Live():
		return true
	case !j.run.Source.Waits(), c.span.given():
		return false
	}
	return c.interval != 0 || c.Follow || c.onTerminal(j)
}

// watch analyses a source that waits for packets and reports at intervals; what it
// gives is the report of the whole run.
func (c *analyze) watch(j *job, kept *keptCapture) (*report.Analysis, error) {
	w := &watcher{job: j, live: c.Live(), started: time.Now()}
	w.sampler.Names = j.nameOf()
	finish := w.attach()
	m, err := metrics.Start(&j.run, c.metrics, buildVersion().Version, "")
	if err != nil {
		return nil, err
	}
	defer m.Close()
	w.bounds = pipeline.NewWatch(&j.run)
	w.bounds.Forget = w.forget
	kept.attach(w.bounds, &j.run)
	tell, interval := w.reporter(c)
	if c.interval != 0 {
		interval = time.Duration(c.interval)
	}
	if tell != nil {
		w.bounds.Every(interval, tell)
	}
	if c.onTerminal(j) {
		w.view = newView(w)
		if w.live {
			w.view.offer(w.sampler.Snapshot(w.status(w.started), nil))
		}
	}
	err = j.run.Do()
	w.view.close()
	j.stop()
	if err == nil {
		err = finish()
	}
	conns, forgotten := w.bounds.All()
	all := slices.Clone(conns)
	a := w.analysis(conns, w.all())
	a.Story = w.story(all, a)
	a.Totals.LeftOut = forgotten
	a.CountUnlisted()
	m.Finish()
	return a, err
}

// attach makes findings arrive, and with -Y frames.
func (w *watcher) attach() (finish func() error) {
	if w.job.show == nil {
		f := new(pipeline.Findings)
		f.Watch(w.live)
		f.Attach(&w.run)
		w.fresh, w.all, w.forget = f.Fresh, f.All, f.Forget
		return func() error { return nil }
	}
	w.chosen = newSelection(w.job.show, nil)
	w.chosen.display.Configure(&w.run.Config)
	q := pipeline.NewQueue(w.out, w.chosen)
	q.Attach(&w.run)
	q.PrintWithin(&w.run, maxWait)
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
	case c.format.Value == "ndjson":
		return w.tellRecord, recordInterval
	case c.format.Value != "text":
		return nil, 0
	case c.onTerminal(w.job):
		return w.offer, viewInterval
	case c.quiet:
		return nil, 0
	}
	return w.tellText, recordInterval
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
	w.view.offer(w.snapshot(now))
	return nil
}

func (w *watcher) snapshot(now time.Time) *sampler.Snapshot {
	for _, f := range w.fresh() {
		w.sampler.Note(&f)
	}
	a := w.analysis(w.bounds.Record(), nil)
	st := w.status(now)
	st.Packets, st.Decoded, st.Findings, st.Ended = a.Totals.Packets, a.Totals.Decoded, w.gone, w.bounds.Counts()
	if !w.live {
		for i := range a.Captures {
			st.Dropped += a.Captures[i].Dropped
		}
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

// status is what is known of the run without its connections.
func (w *watcher) status(now time.Time) sampler.Status {
	st := sampler.Status{Now: now.UnixNano(), Started: w.started.UnixNano(), Interfaces: w.Interfaces}
	if w.live {
		st.Dropped = w.run.Source.Dropped()
		return st
	}
	st.Now = w.clock.at(w.bounds.Latest(), now)
	st.Started = st.Now - int64(now.Sub(w.started))
	for _, in := range w.run.Source.Infos() {
		st.Interfaces = append(st.Interfaces, inputs.Name(in.Path))
	}
	return st
}

// A captureClock goes on from the time of the latest packet, whatever the clock says
// where it was captured, and when that was.
type captureClock struct {
	latest int64
	seen   time.Time // when latest was new
}

// at is the time of the capture, in ns.
func (c *captureClock) at(latest int64, now time.Time) int64 {
	if latest != c.latest || c.seen.IsZero() {
		c.latest, c.seen = latest, now
	}
	if latest == 0 {
		return now.UnixNano() // there was no packet
	}
	return latest + int64(now.Sub(c.seen))
}
