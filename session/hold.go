package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// HoldLeast is the shortest time, in nanoseconds, a verdict is held for a later
// frame that may explain what looks broken; three round trips when they are
// longer. HoldSideFrames further frames of the same side must have come as well.
const (
	HoldLeast      = 500e6
	HoldSideFrames = 32
)

// maxHolds is how many verdicts of a connection may be held.
const maxHolds = 64

// A Settler tells what became of a case that was held. It is a value with a name, not a function, so that
// a table can be written down.
type Settler interface {
	Settle() (conform.Ruling, conform.Guard)
}

// Hold keeps a case open until a later frame had the time to explain it; settler,
// which may be nil, then tells whether one did.
func (l *Evaluation) Hold(x conform.Case, settler Settler) {
	l.HoldFor(x, l.HoldTime(), settler)
}

// HoldFor is Hold for a time of the rule's own, in ns.
func (l *Evaluation) HoldFor(x conform.Case, ns int64, settler Settler) {
	if l.doubt != conform.GuardNone && x.Blocked == conform.GuardNone && l.fr() != nil && x.Frame == l.fr().Frame {
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
	h := hold{x, settler, l.sight.now + ns, l.sight.frames[x.Dir] + HoldSideFrames}
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
			if len(keep) == i { // it stays where it is: a hold is large
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
	if h.settler != nil {
		r, g = h.settler.Settle()
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

// close settles what is still held. Where the connection is over, no later frame can explain a
// case. Where only the capture is over, one might have come: a case that was not held for its
// whole time ends without a verdict.
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

// orderFrames is how many further frames of its side such a case waits for.
const orderFrames = 3 * HoldSideFrames

// HoldOrder keeps a case open that follows from the order in which frames of the two sides
// were captured, until so many more came that differing clocks would show.
func (l *Evaluation) HoldOrder(x conform.Case) {
	l.HoldFor(x, 0, order{*l})
	l.holds[len(l.holds)-1].frames = l.sight.frames[x.Dir] + orderFrames
}

// An order settles what HoldOrder keeps.
type order struct{ l Evaluation }

// Settle implements Settler.
func (o order) Settle() (conform.Ruling, conform.Guard) {
	if o.l.ClocksDiffer() {
		return conform.Doubtful, conform.GuardClock
	}
	return conform.Failed, conform.GuardNone
}

// beginFrame makes a frame of a direction, copies included, the one at hand of the rules, and settles
// what waited for it.
func (l *evaluation) beginFrame(d *dissect.Datagram, dir dissect.Dir) {
	l.dir, l.doubt = dir, conform.GuardNone
	s := l.sight
	if d.Time-s.now > longPause {
		s.waiting = l.c.Dir[0].Due() || l.c.Dir[1].Due()
	}
	s.see(d, dir)
	if a := l.c.active; len(a.waits) > 0 {
		a.settleWaits() // before rules that ask what came of it
	}
	if len(l.holds) > 0 && l.ripe.maybe(s) {
		(&Evaluation{l}).ripen()
	}
	l.cases = 0 // those that were held are of other frames
}
