package seq

import (
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

// Carrier is the datagram with a number, which was sent in a frame.
func (d *Direction) Carrier(num Num, fr *dissect.Frame) Carrier {
	d.ready()
	c := Carrier{d: d, num: num, frame: fr.Frame, time: fr.Time, timed: fr.HasTime}
	if d.win.holds(num) {
		c.u = d.win.at(num)
	}
	return c
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
		c.u.loadUnit(unit)
	}
	return nil
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
	again, held := d.units.sentAgain(unit), append(make([]uint32, 0, maxCarriers), u.carrier)
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
	if n := s.size(); n < LowMemoryLeast || oldest != nil && s.wanted(oldest, d) && n < d.win.limit() {
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

// wanted reports whether the oldest unit may still be sent again.
func (s *units) wanted(u *carried, d *Direction) bool {
	age := d.win.now - u.time
	limits := &d.win.limits
	if d.win.lowMemory {
		return age < limits.UnitKeep/4*3
	}
	return s.size() < HistoryLimit || age < max(limits.UnitKeep, limits.Keep)
}

// compact forgets all units.
func (s *units) compact() {
	if s.table != nil {
		s.sparse, s.resent = sparse[carried]{}, nil
		s.base, s.floor, s.gone = s.top, s.top, true
	}
}
