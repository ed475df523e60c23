package seq

import "math"

// take is reach, and gives the number to write on, nil when it is too old.
func (w *Window) take(n Num, d *Direction) *unit {
	u, ok := w.makeRoom(n, d)
	if u == nil && ok {
		return w.at(n)
	}
	return u
}

// reach makes the window remember n and everything up to it, retiring the
// oldest numbers into d. It reports false when n is too old.
func (w *Window) reach(n Num, d *Direction) bool {
	_, ok := w.makeRoom(n, d)
	return ok
}

// makeRoom is reach, and gives the number where it has the place of the oldest.
func (w *Window) makeRoom(n Num, d *Direction) (u *unit, ok bool) {
	if n < w.top && n >= w.base {
		return nil, true
	}
	if n != w.top || w.base == w.top { // not the next one
		if w.units.table == nil {
			w.units.resize(leastRing, 0, 0)
			w.base, w.top = n, n
		}
		if n < w.base {
			return nil, w.extendDown(n)
		}
		if n >= w.top+w.limit() { // a jump beyond everything remembered
			w.retireAll(d)
			w.base, w.top = n, n
		}
	}
	for w.top <= n {
		if room := w.units.size() - (w.top - w.base); room > 0 {
			w.top = min(w.top+room, n+1)
			continue
		}
		u = w.units.find(w.base)
		if w.units.size() < w.limit() && w.wanted(u) {
			w.grow()
			continue
		}
		if u == nil || w.top < n {
			w.retire(u, n+1-w.top, d)
			continue
		}
		w.settle(u, d)
		*u = unit{time: w.now} // the next number has the place of the oldest
		w.units.renew(n)
		w.top++
		return u, true
	}
	return nil, true
}

// Fewer than answeredLeast numbers are remembered whether they were answered or not: rules look back at as many.
const answeredLeast = 4 * HistoryLimit

// leastRing is how many numbers the smallest ring has room for.
const leastRing = 16

// compact forgets the numbers below the highest captured, but for those from one on that
// was sent again unanswered: the connection may be given up for it.
func (w *Window) compact(d *Direction) {
	if !w.started {
		return
	}
	for w.base < w.highest && !w.see(w.base).inVain() {
		w.retire(w.units.find(w.base), w.highest-w.base, d)
	}
	size := Num(leastRing)
	for size < w.top-w.base {
		size *= 2
	}
	if size < w.units.size() {
		w.units.resize(size, w.base, w.top)
	}
}

// limit is how many numbers may be remembered.
func (w *Window) limit() Num { return max(w.limits.History, HistoryLimit) }

// wanted reports whether the oldest number may still be asked for; u is nil when it
// was skipped.
func (w *Window) wanted(u *unit) bool {
	size, since := w.units.size(), u
	if u == nil { // what was skipped is as old as what came instead
		u, since = &blankUnit, w.see(w.next(w.base, w.top))
	}
	age := w.now - since.time
	if w.lowMemory {
		return size < LowMemoryLeast || age < w.patience(u)
	}
	keep := w.limits.Keep
	if u.state&acked != 0 && w.limits.Answered > 0 && size >= answeredLeast {
		keep = w.limits.Answered
	}
	return size < HistoryLimit || age < keep
}

// inVain reports a number that is sent again and was not acknowledged.
func (u *unit) inVain() bool { return u.state&(captured|acked) == captured && u.sends > 1 }

// patience is for how long a number is remembered in a window of little memory, in ns.
func (w *Window) patience(u *unit) int64 {
	switch {
	case u.inVain() && w.limits.Keep == 0:
		return math.MaxInt64
	case u.state&acked == 0:
		return LowMemoryFor(int(w.units.size()), false)
	case w.limits.Keep > 0:
		return LowMemoryFor(int(w.units.size()), true) // retries are known by their numbers alone
	}
	return LowMemoryTime
}

// extendDown makes room for a number below the lowest remembered one while
// nothing was retired for lack of room.
func (w *Window) extendDown(n Num) bool {
	if w.top-n > w.limit() || w.gone && n < w.floor {
		return false
	}
	for w.top-n > w.units.size() {
		w.grow()
	}
	w.base = min(w.base, n)
	return true
}

// grow doubles the room. There is no more than the limit.
func (w *Window) grow() { w.units.resize(2*w.units.size(), w.base, w.top) }

// retire settles the oldest number, u, or, where that was skipped, those skipped with
// it, up to so many.
func (w *Window) retire(u *unit, most Num, d *Direction) {
	if u == nil {
		w.retireSkipped(most, d)
		return
	}
	n := w.base
	w.settle(u, d)
	w.units.blank(n)
}

// settle draws the conclusions about the oldest number and lets it go.
func (w *Window) settle(u *unit, d *Direction) {
	d.settling().settle(w.base, u, w)
	if w.past.limit > 0 {
		w.past.keep(w.base, u.state&acked != 0)
	}
	if u.copies > 1 { // else it has none
		delete(w.extra, w.base)
	}
	w.base++
	w.floor, w.gone = w.base, true
}

func (w *Window) retireSkipped(most Num, d *Direction) {
	end := w.next(w.base, min(w.base+most, w.top))
	d.settling().settleSkipped(w.base, end)
	if w.past.limit > 0 {
		w.past.skip(w.base, end-w.base)
	}
	w.base = end
	w.floor, w.gone = w.base, true
}

func (w *Window) retireAll(d *Direction) {
	for w.base < w.top {
		w.retire(w.units.find(w.base), w.top-w.base, d)
	}
}
