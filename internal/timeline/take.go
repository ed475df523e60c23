package timeline

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TakeUntil takes the intervals out that end at a time or before, in ns, of the connections that
// frames may still come of, but for the last of each side. What comes off later, see settled,
// comes off those that are left, and what becomes known later is in the first of these.
func (t *Timeline) TakeUntil(end int64, take func(c *session.Conn, dir dissect.Dir, v *Interval)) {
	for c, x := range t.conns {
		for dir := range dissect.Dirs {
			l := &x.dir[dir]
			n := 0
			for n < len(l.list)-1 && l.list[n].To <= end {
				n++
			}
			if n == 0 {
				continue
			}
			if c.Dir != nil && c.Dir[dir].Times(seq.PairedTrip).Samples == 0 {
				for _, v := range l.list[:n] {
					v.drop(seq.PairedTrip)
				}
			}
			l.comeOff(n)
			t.intervals -= n
			for _, v := range l.list[:n] {
				for i := range v.Counts {
					l.taken[i] += v.Counts[i]
				}
				if !v.empty() {
					take(c, dir, v)
				}
			}
			l.floor = l.list[n-1].To
			l.list = slices.Delete(l.list, 0, n)
			l.at = 0
		}
	}
}

// Take takes all intervals of a connection out that nothing follows any more.
func (t *Timeline) Take(c *session.Conn, take func(dir dissect.Dir, v *Interval)) {
	for dir := range dissect.Dirs {
		for _, v := range t.Direction(c, dir) {
			take(dir, v)
		}
	}
	if x := t.linesOf(c); x != nil {
		t.intervals -= len(x.dir[0].list) + len(x.dir[1].list)
	}
	delete(t.conns, c)
	delete(t.packed, c)
	if t.last == c {
		t.last, t.lastLines = nil, nil
	}
}

// comeOff lets what was taken back in later intervals come off the first n, as far as none
// between has it.
func (l *line) comeOff(n int) {
	for c := range measure.Counters {
		var debt, moved int64
		for i, v := range slices.Backward(l.list) {
			had := v.Counts[c]
			sum := had + debt
			if i < n {
				v.Counts[c] = max(sum, 0)
				moved += had - v.Counts[c]
			}
			debt = min(sum, 0)
		}
		l.pay(n, c, moved)
	}
}

// pay takes from the debts of the intervals from n on what came off those before, or gives the
// next one the debt that they could not pay.
func (l *line) pay(n int, c measure.Counter, paid int64) {
	for _, v := range l.list[n:] {
		if due := min(paid, -v.Counts[c]); due > 0 {
			v.Counts[c] += due
			paid -= due
		}
	}
	l.list[n].Counts[c] += paid
}
