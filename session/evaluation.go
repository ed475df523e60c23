package session

import (
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// An Evaluation judges one connection by the rules of its protocol. Every opportunity
// ends in one verdict: Pass, or what Broken, Judge and Hold make of a case. What
// the guards of a rule ask for that shows on the connection itself is looked at
// here (see blocked); the rest is the business of the code that calls.
type Evaluation struct{ *evaluation } // nil once the connection is closed

type evaluation struct {
	c       *Conn
	flow    *Flow
	tallies *tallySet
	dir     dissect.Dir // its sender
	sight   *sight
	doubt   conform.Guard // not satisfied for the frame at hand, whatever the rule
	cases   int           // judged since it is at hand
	holds   []hold
	ripe    ripeness

	rules  []conform.Rule
	habits []*habit
}

// fr is the frame at hand, nil when none is.
func (l *evaluation) fr() *dissect.Frame { return l.c.active.fr }

// A habit is a rule that was broken and is reported once a side (conform.Rule.Summed).
type habit struct {
	rule, dir int32
	times     uint64
}

// again counts a breach of such a rule, and reports whether the side was told of it
// before; times is where further ones are counted.
func (l *Evaluation) again(rule int, dir dissect.Dir) (times *uint64, told bool) {
	for _, h := range l.habits {
		if int(h.rule) == rule && dissect.Dir(h.dir) == dir {
			h.times++
			return &h.times, true
		}
	}
	h := &habit{int32(rule), int32(dir), 1}
	l.habits = append(l.habits, h)
	return &h.times, false
}

// tallySet are the tallies of one table of rules, for all connections of a Table.
type tallySet struct {
	tally []conform.Tally
	sets  []uint64 // frames that passed a whole set of rules
	room  any      // Flow.Room
}

func newTallySet(rules []conform.Rule, sets [][]int) *tallySet {
	return &tallySet{tally: make([]conform.Tally, len(rules)), sets: make([]uint64, len(sets))}
}

type hold struct {
	conform.Case
	settler Settler // nil for none
	until   int64
	frames  uint64 // of the side at fault
}

// ripeness is before what nothing that is held can be settled, so that most frames
// need not look at any of it.
type ripeness struct {
	at     int64     // the earliest time
	frames [2]uint64 // the fewest frames of a side, of what was held for its time
}

func (r *ripeness) maybe(s *sight) bool {
	return s.now >= r.at || s.frames[0] >= r.frames[0] || s.frames[1] >= r.frames[1]
}

// never is what nothing that is held waits for.
var never = ripeness{math.MaxInt64, [2]uint64{math.MaxUint64, math.MaxUint64}}

// await adds what a case that is still held waits for.
func (r *ripeness) await(h *hold, now int64) {
	if now < h.until {
		r.at = min(r.at, h.until)
	} else {
		r.frames[h.Dir] = min(r.frames[h.Dir], h.frames)
	}
}
