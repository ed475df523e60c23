package seq

import "slices"

// loadUnits notes that a captured number is the first to carry units in a row, from one on. All that it carries first stand
// in a row, in any order.
func (u *unit) loadUnits(first Num, n int) {
	u.state |= carries
	off := int(int16(uint16(first) - u.loaded))
	switch {
	case u.load == 0:
		u.loaded, off = uint16(first), 0
	case off < 0 && int(u.load)-off <= 255:
		u.load, u.loaded, off = u.load+uint8(-off), uint16(first), 0
	}
	if off >= 0 && off < 255 {
		u.load = max(u.load, uint8(min(off+n, 255)))
	}
}

// unitsAcked enters how long the units waited that a number, which carries some, carries, when an
// acknowledgement captured at a time is its first.
func (d acknowledging) unitsAcked(carrier Num, u *unit, at int64) {
	s := d.units
	if s == nil || s.table == nil {
		return
	}
	first, alike := s.top+Num(int16(u.loaded-uint16(s.top))), 0
	for unit, end := max(first, s.base), min(first+Num(u.load), s.top); unit < end; unit++ {
		x := s.find(unit)
		switch {
		case x == nil || x.wait != waits:
		case x.sends == 1 && x.frame == u.frame() && x.carrier == uint32(carrier) && at >= u.time:
			x.wait, x.time = waited, at
			alike++
		default:
			d.unitAcked(unit, nil, carrier, u.frame(), at)
		}
	}
	if alike > 0 { // they waited as long as what carries them
		d.measured(1<<AckWait, at, at-u.time, alike)
		d.latestWait(at-u.time, at)
	}
	if u.state&carriesAgain == 0 {
		return
	}
	again := s.stillWaiting()
	for i := range again {
		if x := &again[i]; x.waits {
			d.unitAcked(x.unit, x, carrier, u.frame(), at)
		}
	}
}

// unitAcked enters how long a unit waited, where the number that is acknowledged is among the latest
// that carried it: where it is not the first, captured in its frame, the unit had to be sent again.
// again is what is remembered of one that was sent again, nil where that is to be looked up.
func (d acknowledging) unitAcked(unit Num, again *resent, carrier Num, frame uint64, at int64) {
	s := d.units
	if unit < s.base || unit >= s.top {
		return
	}
	u := s.find(unit)
	if u == nil || u.wait != waits {
		return
	}
	first, by := u.time, u.carrier == uint32(carrier)
	if u.sends > 1 {
		if again == nil {
			again = s.sentAgain(unit, u)
		}
		first, by = again.first, by || slices.Contains(again.before[:min(u.sends, maxCarriers)-1], uint32(carrier))
	}
	took := at - first
	if !by || took < 0 {
		return
	}
	d.measured(1<<AckWait, at, took, 1)
	d.latestWait(took, at)
	if u.frame != frame && d.hasRTT && Slowly(took, d.minRTT) {
		d.trouble(Waited, first, at, took, SignAt(u.frame, first))
	}
	if u.wait = waited; u.sends == 1 {
		u.time = at
	} else {
		again.waits = false
	}
}
