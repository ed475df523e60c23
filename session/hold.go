package session

import (
	"math"

	"github.com/dpdissect/dpdissect/session/conform"
)

// HoldLeast is the shortest time, in nanoseconds, a verdict is held for a later
// frame that may explain what looks broken; three round trips when they are
// longer. HoldFrames further frames of the same side must have come as well.
const (
	HoldLeast      = 500e6
	HoldSideFrames = 32
)

// maxHolds is how many verdicts of a connection may be held.
const maxHolds = 64

type hold struct {
	conform.Case
	settle func() (conform.Ruling, conform.Guard)
	until  int64
	frames uint64 // of the side at fault
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

// Hold keeps a case open until a later frame had the time to explain it; settle,
// which may be nil, then tells whether one did.
func (l *Evaluation) Hold(x conform.Case, settle func() (conform.Ruling, conform.Guard)) {
	l.HoldFor(x, l.HoldTime(), settle)
}

// HoldFor is Hold for a time of the rule's own, in ns.
func (l *Evaluation) HoldFor(x conform.Case, ns int64, settle func() (conform.Ruling, conform.Guard)) {
	if l.doubt != conform.GuardNone && x.Blocked == conform.GuardNone && l.fr != nil && x.Frame == l.fr.Frame {
		x.Blocked = l.doubt
	}
	l.cases++
	if len(l.holds) == maxHolds {
		l.end(&l.holds[0], conform.Doubtful, conform.GuardHold)
		l.holds = append(l.holds[:0], l.holds[1:]...)
	}
	if len(l.holds) == 0 {
		l.ripe = never
	}
	h := hold{x, settle, l.sight.now + ns, l.sight.frames[x.Dir] + HoldSideFrames}
	l.ripe.await(&h, l.sight.now)
	l.holds = append(l.holds, h)
}

// HoldTime is for how long a verdict is held, in ns.
func (l *Evaluation) HoldTime() int64 { return max(HoldLeast, 3*l.roundTrip()) }

// ripen settles what was held long enough.
func (l *Evaluation) ripen() {
	keep := l.holds[:0]
	l.ripe = never
	for i := range l.holds {
		p := &l.holds[i]
		if l.sight.now < p.until || l.sight.frames[p.Dir] < p.frames {
			l.ripe.await(p, l.sight.now)
			if len(keep) == i {
				keep = keep[:i+1]
			} else {
				keep = append(keep, *p)
			}
			continue
		}
		h := *p
		l.settle(&h)
	}
	clear(l.holds[len(keep):])
	l.holds = keep
}

func (l *Evaluation) settle(h *hold) {
	r, g := conform.Failed, conform.GuardNone
	if h.settle != nil {
		r, g = h.settle()
	}
	l.end(h, r, g)
}

func (l *Evaluation) end(h *hold, r conform.Ruling, g conform.Guard) {
	switch r {
	case conform.Passed:
		l.Pass(h.Rule)
	case conform.Failed:
		l.Judge(h.Case)
	case conform.Doubtful:
		h.Blocked = g
		l.Judge(h.Case)
	}
}

// Close settles what is still held. At the end of a session nothing can come any
// more that would explain it; at the end of the capture something might have, for
// what was not held long enough.
func (l *Evaluation) close(end int64, over bool) {
	held := l.holds
	l.holds = nil
	for i := range held {
		if h := &held[i]; over || end >= h.until {
			l.settle(h)
		} else {
			l.end(h, conform.Doubtful, conform.GuardHold)
		}
	}
}

// ClocksDiffer reports that the two sides were captured with clocks that differ: nothing
// follows from the order of their frames, or from times between them.
func (l *Evaluation) ClocksDiffer() bool {
	return l.c.Dir[0].ClockDiffers() || l.c.Dir[1].ClockDiffers()
}

// orderFrames is how many further frames of its side such a case waits for.
const orderFrames = 3 * HoldSideFrames

// HoldOrder keeps a case open that follows from the order in which frames of the two sides
// were captured, until so many more came that differing clocks would show.
func (l *Evaluation) HoldOrder(x conform.Case) {
	l.HoldFor(x, 0, func() (conform.Ruling, conform.Guard) {
		if l.ClocksDiffer() {
			return conform.Doubtful, conform.GuardClock
		}
		return conform.Failed, conform.GuardNone
	})
	l.holds[len(l.holds)-1].frames = l.sight.frames[x.Dir] + orderFrames
}
