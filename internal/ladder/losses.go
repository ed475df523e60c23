package ladder

import (
	"sync"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// losses keep what is concluded about the numbers of a connection while it is not known yet
// which one is drawn. Shards conclude at the same time.
type losses struct {
	mu     sync.Mutex
	of     map[*session.Conn]*[2]series
	passed map[*session.Conn]bool // are not drawn
	chosen *session.Conn
	held   int
}

// A series is what is concluded about the numbers of a side, in ascending order.
type series struct {
	all    []seq.Settled // that may be losses
	before []uint64      // by place in all: the first captured frame with this number or one of the next
	open   int           // place of the first for which an earlier frame may be found
}

// overtaking is by how many numbers frames may be out of order to be looked at: a loss
// shows at the first frame after it, whichever number that has.
const overtaking = 16

func newLosses() *losses {
	return &losses{of: map[*session.Conn]*[2]series{}, passed: map[*session.Conn]bool{}}
}

// hear takes a conclusion (session.Config.Settled).
func (l *losses) hear(c *session.Conn, dir dissect.Dir, x seq.Settled) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.chosen != nil && c != l.chosen || l.passed[c] {
		return
	}
	s := l.of[c]
	if s == nil && !x.Suspects() {
		return
	}
	if s == nil {
		s = new([2]series)
		l.of[c] = s
	}
	if l.held += s[dir].add(x); l.held > MaxFrames {
		l.held = MaxFrames + 1
	}
}

// add takes the conclusion about the next number and gives how many more are kept.
func (s *series) add(x seq.Settled) int {
	if x.Frame != 0 {
		for i := s.open; i < len(s.all); i++ {
			if at := &s.before[i]; *at == 0 || x.Frame < *at {
				*at = x.Frame
			}
		}
		for s.open < len(s.all) && x.Num-s.all[s.open].Num >= overtaking {
			s.open++
		}
	}
	if !x.Suspects() {
		return 0
	}
	s.all, s.before = append(s.all, x), append(s.before, x.Frame)
	return 1
}

// pass drops a connection that is not drawn.
func (l *losses) pass(c *session.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.of[c]; s != nil {
		l.held -= len(s[0].all) + len(s[1].all)
		delete(l.of, c)
	}
	l.passed[c] = true
}

// choose keeps one connection and drops all others.
func (l *losses) choose(c *session.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.chosen, l.passed, l.held = c, nil, 0
	for other, s := range l.of {
		if other != c {
			delete(l.of, other)
		} else {
			l.held = len(s[0].all) + len(s[1].all)
		}
	}
}

// tooMany reports whether more is kept than may be.
func (l *losses) tooMany() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held > MaxFrames
}

// rows are the losses of the connection that its numbers count, one row each. The run is
// over.
func (l *losses) rows(c *session.Conn) (rows []Row) {
	s := l.of[c]
	if s == nil {
		return nil
	}
	for dir := range dissect.Dirs {
		before := map[seq.Num]uint64{}
		for i := range s[dir].all {
			before[s[dir].all[i].Num] = s[dir].before[i]
		}
		for _, x := range c.Dir[dir].Lost().Claims(s[dir].all) {
			r := Row{Kind: Loss, From: dir, Lost: x.Place, Num: x.Num, Before: before[x.Num]}
			if x.Place == seq.AfterCapture {
				r.Before = x.Frame
			} else {
				r.Again = x.Frame
			}
			rows = append(rows, r)
		}
	}
	return rows
}
