package seq

import (
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// A UnitVerdict is what the engine makes of a carried unit that was captured before.
type UnitVerdict struct {
	Words   dissect.Words
	RetryOf uint64 // first captured frame that carried the unit, when this one sends it again
	Other   bool   // its content is another one than that of the transmission before
	Acked   Num    // carrier that had been acknowledged, valid with UnneededRetry; -1 when it is forgotten
	AckedAt int64  // when that was, ns, where it is the only carrier; 0 when it is not known
	Before  int64  // time of the transmission before, or of its acknowledgement, ns
}

// A Carrier is a datagram of a side that carries units, while it is at hand: until another number is sent.
type Carrier struct {
	d     *Direction
	u     *unit // what is remembered of its number, nil for nothing
	num   Num
	frame uint64
	time  int64 // ns
	timed bool
}

// Of makes it the datagram of a side with a number, which was sent in a frame.
func (c *Carrier) Of(d *Direction, num Num, fr *dissect.Frame) {
	d.ready()
	if c.d != d {
		c.d = d
	}
	c.u, c.num, c.frame, c.time, c.timed = nil, num, fr.Frame, fr.Time, fr.HasTime
	if d.win.holds(num) {
		c.u = d.win.at(num)
	}
}

// SendUnit judges a unit that travels in the datagram. Only a further carrier is a retry; what
// is a copy of a datagram was judged by Send. The retry is unneeded when an earlier carrier had
// been acknowledged. print is of the unit's content, 0 when that is not known. The verdict,
// valid until the next one, is nil for the first captured sending of the unit.
func (c *Carrier) SendUnit(unit Num, print uint16) *UnitVerdict {
	d := c.d
	if d.units == nil {
		d.units = new(units)
	}
	u := d.units.reach(unit, d)
	if u == nil || u.frame != 0 {
		return d.sending().sendUnitAgain(c, u, unit, print)
	}
	u.frame, u.time, u.sends, u.print = c.frame, c.time, 1, print
	if u.carrier = uint32(c.num); c.timed {
		u.wait = waits
	}
	d.carried++
	if c.u != nil {
		c.u.loadUnits(unit, 1)
	}
	return nil
}

// SendUnits is SendUnit for units in a row, from one on, up to the first that was captured before: it gives how many were not,
// and the verdict on that one.
func (c *Carrier) SendUnits(first Num, prints []uint16) (fresh int, again *UnitVerdict) {
	for fresh = c.sendNew(first, prints); fresh < len(prints); fresh++ {
		if again = c.SendUnit(first+Num(fresh), prints[fresh]); again != nil {
			break
		}
	}
	return fresh, again
}

// sendNew takes units in a row while each stands above all others, and needs no more than a free place or that of the oldest.
// It gives how many it has taken.
func (c *Carrier) sendNew(first Num, prints []uint16) (n int) {
	d := c.d
	s := d.units
	if s == nil || s.table == nil || first != s.top {
		return 0
	}
	room, since, wait := s.size()-(s.top-s.base), s.since(d), unknownWait
	if c.timed {
		wait = waits
	}
	for u := (*carried)(nil); n < len(prints); n++ {
		if Num(n) < room {
			u, _ = s.use(first + Num(n))
		} else if u = s.find(first + Num(n)); u == nil || u.time > since {
			break
		}
		*u = carried{frame: c.frame, time: c.time, carrier: uint32(c.num), print: prints[n], sends: 1, wait: wait}
	}
	s.top += Num(n)
	if past := Num(n) - room; past > 0 {
		s.base += past
		s.floor, s.gone = s.base, true
	}
	if d.carried += uint64(n); c.u != nil && n > 0 {
		c.u.loadUnits(first, n)
	}
	return n
}

// sendUnitAgain judges a unit that was captured before; u is nil where it is forgotten, for it was
// sent long ago.
func (d sending) sendUnitAgain(c *Carrier, u *carried, unit Num, print uint16) *UnitVerdict {
	v := &d.units.verdict
	if u == nil {
		d.carried++
		d.Retries++
		*v = UnitVerdict{Words: dissect.Retry}
		return v
	}
	*v = UnitVerdict{RetryOf: u.frame, Before: u.time, Other: print != 0 && u.print != 0 && print != u.print}
	again, held := d.units.sentAgain(unit, u), append(make([]uint32, 0, maxCarriers), u.carrier)
	if again != nil {
		held = append(held, again.before[:min(u.sends, maxCarriers)-1]...)
	}
	if slices.Contains(held, uint32(c.num)) {
		return v
	}
	if v.Other {
		u.print = print // the next one is compared with this
	}
	d.carried++
	d.Retries++
	v.Words = dissect.Retry
	by, acked := d.win.anyAcked(held)
	if u.sends == 1 && u.wait == waited {
		v.AckedAt = u.time
	}
	if again == nil {
		again = d.units.sendAgain(unit, u)
	}
	if again.acked || acked {
		v.Acked = by
		d.UnneededRetries++
		d.needless(c.frame, c.time)
		d.signs.MostUnneeded = max(d.signs.MostUnneeded, uint8(len(held)+1))
		v.Words |= dissect.UnneededRetry
	}
	if !again.acked && !acked && d.account != nil {
		d.account.Losses.starve(unit, u, c.time)
	}
	if len(held) == maxCarriers {
		_, acked := d.win.anyAcked(held[maxCarriers-1:])
		again.acked = again.acked || acked
	}
	copy(again.before[:], held)
	u.carrier, u.sends = uint32(c.num), u.sends+min(1, 255-u.sends)
	if c.u != nil {
		c.u.state |= carries | carriesAgain
	}
	u.time = max(u.time, c.time)
	return v
}

// anyAcked gives the first of the numbers, of which the low bits are given, that was
// acknowledged; -1 and false when none was.
func (w *Window) anyAcked(numbers []uint32) (number Num, yes bool) {
	for _, low := range numbers {
		n := w.highest + Num(int32(low-uint32(w.highest)))
		if w.holds(n) && w.see(n).state&acked != 0 || !w.holds(n) && w.past.acked(n) {
			return n, true
		}
	}
	return -1, false
}

// reach gives the place of a unit, nil when it is forgotten.
func (s *units) reach(n Num, d *Direction) *carried {
	if s.table == nil {
		s.resize(leastRing, 0, 0)
		if !s.gone {
			s.base, s.top = n, n
		}
	}
	switch limit := d.win.limit(); {
	case n < s.base:
		if s.gone && n < s.floor || s.top-n > limit {
			return nil
		}
		for s.top-n > s.size() { // a lower one, captured later
			s.resize(2*s.size(), s.base, s.top)
		}
		s.base = n
	case n >= s.top+limit:
		s.clear()
		s.resent = nil
		s.base, s.top, s.floor, s.gone = n, n, s.top, true
	}
	for s.top <= n {
		if room := s.size() - (s.top - s.base); room > 0 {
			s.top = min(s.top+room, n+1)
		} else if u := s.makeRoom(n+1-s.top, d); u != nil {
			*u = carried{time: d.win.now} // the next unit has the place of the oldest
			s.top++
			return u
		}
	}
	u, fresh := s.use(n)
	if fresh {
		*u = carried{time: d.win.now}
	}
	return u
}

// makeRoom makes place for one more unit, or, where units were skipped, for some
// more, up to so many. It gives the place of the oldest when that is all it takes.
func (s *units) makeRoom(most Num, d *Direction) *carried {
	first, oldest := s.base, s.find(s.base)
	if oldest == nil { // those skipped are as old as what came instead
		if first = s.next(s.base, s.top); first < s.top {
			oldest = s.find(first)
		}
	}
	if n := s.size(); n < LowMemoryLeast || oldest != nil && oldest.time > s.since(d) {
		s.resize(2*n, s.base, s.top)
		return nil
	}
	if first == s.base {
		first++
		if most > 1 {
			s.blank(s.base)
			oldest = nil
		}
	} else {
		oldest = nil
	}
	s.base = min(first, s.base+most)
	s.floor, s.gone = s.base, true
	return oldest
}

// since is a time, in ns: the oldest unit keeps its place where it was sent later than that, for it may be sent again.
func (s *units) since(d *Direction) int64 {
	switch n := s.size(); {
	case n >= d.win.limit():
		return math.MaxInt64
	case n < LowMemoryLeast:
		return math.MinInt64
	case d.win.lowMemory:
		return d.win.now - d.win.limits.UnitKeep/4*3
	case n < HistoryLimit:
		return math.MinInt64
	}
	return d.win.now - max(d.win.limits.UnitKeep, d.win.limits.Keep)
}

// compact forgets all units.
func (s *units) compact() {
	if s.table != nil {
		s.sparse, s.resent = sparse[carried]{}, nil
		s.base, s.floor, s.gone = s.top, s.top, true
	}
}
