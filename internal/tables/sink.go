package tables

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A sink takes what the tracker of a shard finds out.
type sink struct {
	engine   *Engine            `state:"-"`
	lines    *timeline.Timeline // of intervals, and of minutes where they fit into these
	minutes  *timeline.Timeline // nil where lines are enough
	of       map[*session.Conn]*listed
	messages bool `state:"-"`
}

// listed are the findings of a connection.
type listed struct {
	pipeline.Listing
	list []session.Finding
}

func (e *Engine) newSink() *sink {
	s := &sink{engine: e, of: map[*session.Conn]*listed{}, messages: e.has("messages")}
	length := int64(e.o.Interval)
	fits := minute%length == 0
	if e.has("intervals") || e.has("rollup") && fits {
		s.lines = timeline.New(length, nil)
		s.lines.Cells = true
	}
	if e.has("rollup") && !fits {
		s.minutes = timeline.New(minute, nil)
		s.minutes.Cells = true
	}
	return s
}

func (s *sink) lists() (all []*timeline.Timeline) {
	return slices.DeleteFunc([]*timeline.Timeline{s.lines, s.minutes}, func(t *timeline.Timeline) bool { return t == nil })
}

// Frame implements session.Sink.
func (s *sink) Frame(fr *dissect.Frame, c *session.Conn) {
	if c != nil {
		s.Recount(fr, c)
	}
}

// Acked implements session.Sink.
func (s *sink) Acked(seq.Position, uint64) {}

// Message implements session.Sink.
func (s *sink) Message(m *session.Message) {
	if s.messages {
		s.engine.writeMessage(m)
	}
}

// Finding implements session.Sink.
func (s *sink) Finding(f *session.Finding) {
	l := s.of[f.Conn]
	if l == nil {
		l = new(listed)
		s.of[f.Conn] = l
	}
	if f.Conn == nil || l.Lists(f) {
		l.list = append(l.list, *f)
	}
}

// take takes the findings of a connection out, or those of none.
func (s *sink) take(c *session.Conn) []session.Finding {
	l := s.of[c]
	delete(s.of, c)
	if l == nil {
		return nil
	}
	return l.list
}

// Recount implements session.Recounter.
func (s *sink) Recount(fr *dissect.Frame, c *session.Conn) {
	if s.lines != nil {
		s.lines.Recount(fr, c)
	}
	if s.minutes != nil {
		s.minutes.Recount(fr, c)
	}
}

// Measured implements session.Recounter.
func (s *sink) Measured(c *session.Conn, dir dissect.Dir, of seq.MeasureSet, at, ns int64) {
	if s.lines != nil {
		s.lines.Measured(c, dir, of, at, ns)
	}
	if s.minutes != nil {
		s.minutes.Measured(c, dir, of, at, ns)
	}
}

// Rest implements session.Recounter.
func (s *sink) Rest(c *session.Conn) {
	if s.lines != nil {
		s.lines.Rest(c)
	}
	if s.minutes != nil {
		s.minutes.Rest(c)
	}
}

// findingsAlone is a sink that takes nothing else, so that frames need not be shown to it.
type findingsAlone struct{ *sink }

// FindingsOnly implements session.FindingSink.
func (findingsAlone) FindingsOnly() {}

// findings takes those of a connection out.
func (e *Engine) findings(c *session.Conn) (all []session.Finding) {
	for _, s := range e.sinks {
		all = append(all, s.take(c)...)
	}
	return all
}

// takeIntervals writes the intervals that no later frame can change when the capture came to a
// time, in ns.
func (e *Engine) takeIntervals(now int64) {
	for _, s := range e.sinks {
		if s.lines != nil {
			s.lines.TakeUntil(now-session.SeenFor, e.writeInterval)
		}
		if s.minutes != nil {
			s.minutes.TakeUntil(now-session.SeenFor, e.rollup.add)
		}
	}
	var quiet []*session.Conn
	for _, c := range e.waiting {
		if c.Dir == nil && !e.drained[c] && c.LastTime <= now-session.SeenFor {
			quiet = append(quiet, c)
		}
	}
	for c := range session.Unpacked(quiet) {
		e.takeAll(c)
		e.drained[c] = true
	}
}

// takeAll writes the intervals of a connection that are left.
func (e *Engine) takeAll(c *session.Conn) {
	for _, s := range e.sinks {
		if s.lines != nil && s.lines.Follows(c) {
			s.lines.Take(c, func(dir dissect.Dir, v *timeline.Interval) { e.writeInterval(c, dir, v) })
		}
		if s.minutes != nil && s.minutes.Follows(c) {
			s.minutes.Take(c, func(dir dissect.Dir, v *timeline.Interval) { e.rollup.add(c, dir, v) })
		}
	}
}
