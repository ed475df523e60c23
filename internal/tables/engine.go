package tables

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

// Options say which rows are made, and where they go.
type Options struct {
	Tables   []*Table
	Format   Format
	Store    Store
	Point    string
	Chain    string
	Step     int           // of the rows that come first
	GoOn     bool          // a run that goes on from a state begins with the step after its last one instead
	Every    time.Duration // of the capture, after which the next step begins; 0 for one step alone
	Interval time.Duration // length of intervals
	Idle     time.Duration // after which silence a pair is closed out; 0 is never
	Build    string        // of this program
	Keys     *Keys         // replaces addresses, nil to leave them
}

// Kept gives pointers to what a later step needs to go on, for pipeline.State, once the run has
// made its sinks.
func (e *Engine) Kept() []any {
	all := []any{e}
	for _, s := range e.sinks {
		all = append(all, s)
		for _, t := range s.lists() {
			all = append(all, t)
		}
	}
	return all
}

// Types are what Kept points to.
func Types() []any { return []any{new(Engine), new(sink), new(timeline.Timeline)} }

// Resumed begins a step after those of the state that the run goes on from.
func (e *Engine) Resumed() {
	if e.step++; !e.o.GoOn {
		e.step = e.o.Step
	}
}

// minute is how often rows are looked for that became final, in ns of the capture. That it is a
// minute of the capture, and not of the clock, makes what is in a step depend on the packets alone.
const minute = int64(time.Minute)

// An Engine makes rows of a run while it goes on. What a later step needs to go on is in what it
// and the run point to.
type Engine struct {
	o     Options                `state:"-"`
	run   *pipeline.Run          `state:"-"`
	sinks [pipeline.Shards]*sink `state:"-"`
	spool *spool                 `state:"-"`
	step  int                    // of the rows that are made
	until int64                  // when the step ends, in ns; 0 before the first minute

	waiting []*session.Conn        // closed, and not written
	kept    []*session.Conn        // written; what comes later may say how they ended
	drained map[*session.Conn]bool // those of waiting whose intervals were taken
	past    explain.Past
	rollup  rollup
	err     error `state:"-"` // of writing
}

// Attach makes a run that is to begin fill tables.
func Attach(r *pipeline.Run, o Options) *Engine {
	e := &Engine{o: o, run: r, step: o.Step, drained: map[*session.Conn]bool{}, spool: newSpool(o.Store.Temporary())}
	e.rollup.init()
	cfg := &r.Config
	cfg.Silence, cfg.Pack, cfg.Endings = int64(o.Idle), true, true
	if e.has("messages") {
		cfg.Messages = session.HashMessages
	}
	r.Workers = 1
	r.Sink = func(shard int) session.Sink {
		e.sinks[shard] = e.newSink()
		if e.sinks[shard].lines == nil && !e.has("messages") {
			return findingsAlone{e.sinks[shard]}
		}
		return e.sinks[shard]
	}
	r.KeepEnded(func() []*session.Conn { return slices.Concat(e.waiting, e.kept) })
	r.EveryCaptured(minute, e.pass)
	return e
}

func (e *Engine) has(name string) bool {
	return slices.ContainsFunc(e.o.Tables, func(t *Table) bool { return t.Name == name })
}

// pass writes what is final when the capture came to a time, in ns.
func (e *Engine) pass(now int64) error {
	ended := false
	if e.err == nil && e.until != 0 && now >= e.until {
		if e.err = e.flush(); e.err == nil {
			e.step++
			ended = true
		}
	}
	if every := int64(e.o.Every); every > 0 && now >= e.until {
		e.until = now - now%every + every
	}
	if ended {
		e.err = e.run.Snapshot()
	}
	heard := e.run.Tick(now)
	e.waiting = append(e.waiting, e.run.TakeClosed()...)
	all := e.all()
	session.JudgeMovesUntil(all, now)
	e.takeIntervals(now)
	e.rollup.writeUntil(e, all, now-max(session.SeenFor, e.slack()))
	e.write(all, e.due(all, now), heard)
	e.run.ForgetStories(heard - 2*session.SeenFor - e.slack())
	return e.err
}

// slack is how much longer connections wait, in ns: until then what fell silent is closed, and
// minutes that they were open in are written.
func (e *Engine) slack() int64 { return int64(e.o.Idle) + 2*minute }

// all are the connections that something is known of, by their first frames, with their numbers.
func (e *Engine) all() []*session.Conn {
	all := slices.Concat(e.run.Open(), e.waiting, e.kept)
	slices.SortFunc(all, func(a, b *session.Conn) int { return cmp.Compare(a.FirstFrame, b.FirstFrame) })
	for _, c := range all {
		c.ID = int(c.FirstFrame)
	}
	return all
}

// due are the connections of whose rows nothing can change any more.
func (e *Engine) due(all []*session.Conn, now int64) (due []*session.Conn) {
	for _, c := range e.waiting {
		if c.Dir == nil && c.LastTime <= now-session.SeenFor-e.slack() && !session.Awaited(c, all) {
			due = append(due, c)
		}
	}
	return due
}

// write writes the rows of connections, and forgets what no other needs of them.
func (e *Engine) write(all, due []*session.Conn, heard int64) {
	for _, s := range e.sinks {
		if s != nil {
			e.writeFindings(nil, s.take(nil))
		}
	}
	if len(due) == 0 {
		return
	}
	story := e.past.Tell(all, e.run.Stories(), heard)
	written := make(map[*session.Conn]bool, len(due))
	for c := range session.Unpacked(due) {
		e.writeConn(c, story)
		written[c] = true
	}
	for _, c := range due {
		e.writeFindings(c, e.findings(c))
		delete(e.drained, c)
	}
	e.waiting = slices.DeleteFunc(e.waiting, func(c *session.Conn) bool { return written[c] })
	e.forget(slices.Concat(e.kept, due), story)
}

// forget keeps of connections that were written those that tell how others ended.
func (e *Engine) forget(written []*session.Conn, story *explain.Story) {
	needs := map[*session.Conn]bool{}
	for _, c := range slices.Concat(e.run.Open(), e.waiting) {
		needs[c] = true
	}
	keep := map[*session.Conn]bool{}
	for range explain.Before { // what stood before it, and before that
		for _, c := range written {
			if c.Next != nil && (needs[c.Next] || keep[c.Next]) || needs[story.MovedTo(c)] {
				keep[c] = true
			}
		}
	}
	e.kept = nil
	for _, c := range written {
		if keep[c] {
			e.kept = append(e.kept, c)
		} else {
			e.past.Forget(c)
			delete(e.rollup.counted, c)
		}
	}
}

// End writes all rows that are left, of a run that is over, and the files of its last step. heard
// is until when the capture listened, in ns since 1970.
func (e *Engine) End(heard int64) error {
	cut := e.run.TakeClosed()
	for _, c := range cut {
		e.rollup.cut[c] = c.State < session.Closed
	}
	e.waiting = append(e.waiting, cut...)
	all := e.all()
	if e.err == nil {
		for c := range session.Unpacked(e.waiting) {
			e.takeAll(c)
		}
		e.rollup.writeUntil(e, all, math.MaxInt64)
		e.write(all, slices.Clone(e.waiting), heard)
	}
	if e.err == nil {
		e.err = e.flush()
	}
	e.spool.clear()
	return e.err
}

// Rest writes the files of the step: what is not final waits for the next piece.
func (e *Engine) Rest() error {
	if e.err == nil {
		e.err = e.flush()
	}
	e.spool.clear()
	return e.err
}

// Abandon removes what is not written yet.
func (e *Engine) Abandon() { e.spool.clear() }

// flush writes the files of the step.
func (e *Engine) flush() error { return e.spool.flush(&e.o, e.step) }
