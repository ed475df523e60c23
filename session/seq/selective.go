package seq

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
)

// AcknowledgeOne applies an acknowledgement of a single number of this side; a
// says when and by which frame. It calls link for every captured frame that is
// acknowledged for the first time.
func (d *Direction) AcknowledgeOne(n Num, a *Acknowledgement, link func(Position)) (words dissect.Words) {
	d.ready()
	w := &d.win
	if !w.started || !w.holds(n) && (n < w.lowest || n > w.highest+w.ahead() || !w.reach(n, d)) {
		return 0
	}
	return d.acking().single(n, w.at(n), a, link)
}

// single applies an acknowledgement of a number that is remembered.
func (d acknowledging) single(n Num, u *unit, a *Acknowledgement, link func(Position)) (words dissect.Words) {
	if len(d.win.waiting) > 0 {
		d.settleCopies(n, a, link)
	}
	if u.state&acked != 0 {
		return d.confirm(u, a)
	}
	first := d.firstAcks
	words = d.ackOne(n, u, a, link)
	if a.Hearsay {
		u.state |= hearsay
		words &^= dissect.AckOfUncaptured
	}
	if d.firstAcks != first {
		words |= dissect.Ack
	}
	return words
}

// AcknowledgeRun is AcknowledgeOne for first+i of every bit i of a mask, whose
// acknowledgement is no hearsay. told, which may be nil, is given the words of each
// number of which it may be news.
func (d *Direction) AcknowledgeRun(first Num, mask uint64, a *Acknowledgement, link func(Position), told func(n Num, words dissect.Words)) (words dissect.Words) {
	w := &d.win
	if w.ignores(first, first+63) {
		return 0
	}
	for mask &^= w.known(first); mask != 0; mask &= mask - 1 {
		n, x := first+Num(bits.TrailingZeros64(mask)), dissect.Words(0)
		if w.holds(n) {
			x = d.acking().single(n, w.at(n), a, link)
		} else {
			x = d.AcknowledgeOne(n, a, link)
		}
		if words |= x; told != nil {
			told(n, x)
		}
		if w.holds(n) && w.see(n).state&(acked|hearsay) == acked {
			w.units.mark(n)
		}
	}
	return words
}

// ignores reports that no acknowledgement of the numbers from one to another can
// change anything.
func (w *Window) ignores(from, to Num) bool {
	return !w.started || from > w.highest+w.ahead() || to < w.base && w.top-to > w.limit()
}

// known gives the numbers from one on, as a mask, that were acknowledged by their
// own name and of which no copy waits for that.
func (w *Window) known(first Num) uint64 {
	from := max(first, w.base)
	if from >= w.top || from-first >= 64 {
		return 0
	}
	set := w.units.marks(from, min(w.top, first+64)) << uint(from-first)
	for i := range w.waiting {
		if k := w.waiting[i].num - first; k >= 0 && k < 64 {
			set &^= 1 << uint(k)
		}
	}
	return set
}

// confirm notes that a number known by hearsay is acknowledged by its own name.
func (d acknowledging) confirm(u *unit, a *Acknowledgement) dissect.Words {
	if a.Hearsay || u.state&hearsay == 0 {
		return 0
	}
	u.state &^= hearsay
	if u.state&captured == 0 {
		return dissect.AckOfUncaptured
	}
	return 0
}

// settleCopies acknowledges the copies of a number that were captured after it
// had been acknowledged.
func (d acknowledging) settleCopies(n Num, a *Acknowledgement, link func(Position)) {
	w := &d.win
	keep := w.waiting[:0]
	for _, c := range w.waiting {
		if c.num == n {
			d.settleCopy(c, a, link)
		} else {
			keep = append(keep, c)
		}
	}
	w.waiting = keep
}

// Deny notes that the peer reports a number of this side missing. A report that
// contradicts an acknowledgement captured long before shows that the peer's
// reports mean something else: nothing is claimed lost on their word.
func (d *Direction) Deny(n Num, a *Acknowledgement) {
	d.ready()
	w := &d.win
	if !w.started || a.Copy || !w.holds(n) {
		return
	}
	u := w.at(n)
	if u.state&(acked|hearsay) != acked {
		d.acking().noteMissing(u, a)
		return
	}
	if u.state&ackTimed != 0 && a.HasTime && a.Time-u.ackTime > CopyHorizon {
		d.distrusted = true
	}
}

// Gaps is when numbers of a side were last known to be missing in the capture.
type Gaps struct {
	firm   bool
	firmAt int64
}

// Told reports whether the latest gap was told at a time.
func (g Gaps) Told(at int64) bool { return g.firm && g.firmAt == at }

// KnownGaps gives what is known now.
func (d *Direction) KnownGaps() Gaps {
	d.ready()
	return Gaps{d.firmGap, d.firmGapAt}
}

// Suppose replaces what is known of gaps, for a question, and gives back what was.
func (d *Direction) Suppose(g Gaps) (known Gaps) {
	d.ready()
	known = d.KnownGaps()
	d.firmGap, d.firmGapAt = g.firm, g.firmAt
	return known
}

// Withdraw takes back the acknowledgement of a number that was not captured,
// which proved impossible: it is no evidence of a gap of the capture. before is
// what was known of such without it, at its time.
func (d *Direction) Withdraw(n Num, before Gaps, at int64) {
	d.ready()
	if d.KnownGaps().Told(at) {
		d.firmGap, d.firmGapAt = before.firm, before.firmAt
	}
	if w := &d.win; w.holds(n) {
		if u := w.see(n); u.state&captured == 0 && u != &blankUnit {
			u.state &^= acked | hearsay | ackTimed
			w.units.unmark(n)
		}
	}
}
