package sampler

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
)

// DefaultLinger is for how long a connection is shown after its end.
const DefaultLinger = 10 * time.Second

// Bounds of what a Sampler keeps besides the connections it is given.
const (
	maxNotes = 8   // latest findings of a connection
	maxGone  = 256 // connections shown after their end that are no longer in the list
)

// A Sampler makes snapshots of a run. Snapshot is for the goroutine of the tracker,
// while it tracks nothing; Note may be called by several.
type Sampler struct {
	Window time.Duration                 // 0 for DefaultWindow
	Linger time.Duration                 // 0 for DefaultLinger
	Names  func(dissect.Endpoint) string // shown for addresses; "" for none, nil for no names at all

	conns  map[*session.Conn]*track
	gone   []Row  // ended, and no longer in the list
	keys   uint64 // given so far
	round  uint64 // number of the snapshot
	trails int    // that conns have
	last   Status
	any    bool // last is valid

	mu    sync.Mutex
	notes map[*session.Conn][]Note // since the snapshot before
}

// A track is what is kept of a connection from one snapshot to the next.
type track struct {
	key     uint64
	history history
	notes   []Note // never written to again: snapshots share it
	trail   *trail // nil while too many others have one
	row     Row
	round   uint64 // of the latest snapshot that had it
	endedAt int64  // when it was first seen to be over, 0 while it is not
	name    [2]string
	player  [2]string
	proto   string
	dialect string
	version uint32
}

// Note keeps a finding, to be shown with its connection.
func (s *Sampler) Note(f *session.Finding) {
	if f.Conn == nil || !f.Failed() {
		return
	}
	n := Note{f.Severity, f.Rule.ID, terminal.Escaped(f.Message), f.Dir, f.Frame, f.Time, f.HasTime}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.notes == nil {
		s.notes = make(map[*session.Conn][]Note)
	}
	list := append(s.notes[f.Conn], n)
	if len(list) > 2*maxNotes {
		list = append(list[:0], list[len(list)-maxNotes:]...)
	}
	s.notes[f.Conn] = list
}

// Snapshot gives the state of the run. Connections that are no longer in the list
// have ended.
func (s *Sampler) Snapshot(st Status, conns []*session.Conn) *Snapshot {
	window, linger := cmp.Or(int64(s.Window), int64(DefaultWindow)), cmp.Or(int64(s.Linger), int64(DefaultLinger))
	out := &Snapshot{
		Time: st.Now, Elapsed: max(0, st.Now-st.Started), Window: window,
		Packets: st.Packets, Dropped: st.Dropped, Decoded: st.Decoded,
		Findings: st.Findings, Ended: st.Ended,
	}
	for _, name := range st.Interfaces {
		out.Interfaces = append(out.Interfaces, terminal.Escaped(name))
	}
	if span := st.Now - s.last.Now; s.any && span > 0 {
		out.PacketsPerSec = float64(less(st.Packets, s.last.Packets)) / (float64(span) / 1e9)
		out.DroppedLately = less(st.Dropped, s.last.Dropped)
	}
	s.last, s.any = st, true
	s.sample(out, conns, linger)
	return out
}

// sample takes the rows of a snapshot.
func (s *Sampler) sample(out *Snapshot, conns []*session.Conn, linger int64) {
	s.mu.Lock()
	notes := s.notes
	s.notes = nil
	s.mu.Unlock()
	s.round++
	if s.conns == nil {
		s.conns = make(map[*session.Conn]*track)
	}
	s.trails = s.countTrails()
	out.Rows = make([]Row, 0, len(s.conns)+len(s.gone)+16)
	for _, c := range conns {
		for i, n := range c.Findings {
			out.Findings[i] += n
		}
		over := c.Over()
		if over {
			out.Ended++
		} else {
			out.Live++
		}
		t := s.conns[c]
		if over && t.since(c, out.Time) > linger {
			delete(s.conns, c)
			continue
		}
		if t == nil {
			s.keys++
			t = &track{key: s.keys}
			s.conns[c] = t
		}
		t.round = s.round
		t.take(c, out, notes[c], s.Names)
		s.follow(t, out.Time)
		out.Rows = append(out.Rows, t.row)
	}
	s.bury(out, linger)
	byKey := func(a, b Row) int { return cmp.Compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(out.Rows, byKey) {
		stable.Sort(out.Rows, byKey)
	}
}

// bury shows for a while what left the list.
func (s *Sampler) bury(out *Snapshot, linger int64) {
	for c, t := range s.conns {
		if t.round == s.round {
			continue
		}
		delete(s.conns, c)
		if len(s.gone) < maxGone {
			t.row.Over = true
			s.gone = append(s.gone, t.row)
		}
	}
	s.gone = slices.DeleteFunc(s.gone, func(r Row) bool {
		age := out.Time - r.Last
		return age > linger || age < -linger // the clock was set back
	})
	for _, r := range s.gone {
		r.Idle = max(0, out.Time-r.Last)
		out.Rows = append(out.Rows, r)
	}
}

// countTrails is of how many connections the moments are kept.
func (s *Sampler) countTrails() (n int) {
	for _, t := range s.conns {
		if t.trail != nil {
			n++
		}
	}
	return n
}

// follow keeps how a connection does now, unless too many are followed.
func (s *Sampler) follow(t *track, now int64) {
	if t.trail == nil {
		if s.trails >= maxTrails {
			return
		}
		s.trails++
		t.trail = newTrail(&t.row, now)
	}
	if !t.row.Over {
		t.trail.add(&t.row, now)
	}
	t.row.Trail = t.trail.latest()
}
