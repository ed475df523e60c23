package seq

import "slices"

// loadUnit notes that a captured number is the first to carry a unit. Units that are new stand in
// a row, in any order.
func (u *unit) loadUnit(unit Num) {
	u.state |= carries
	switch off := int16(uint16(unit) - u.loaded); {
	case u.load == 0:
		u.load, u.loaded = 1, uint16(unit)
	case off >= 0 && off < 255:
		u.load = max(u.load, uint8(off)+1)
	case off < 0 && int(u.load)-int(off) <= 255:
		u.load, u.loaded = u.load+uint8(-off), uint16(unit)
	}
}

// unitsAcked enters how long the units that a number carries waited, when an acknowledgement
// captured at a time is its first.
func (d acknowledging) unitsAcked(carrier Num, u *unit, at int64) {
	s := d.units
	if u.state&carries == 0 || s == nil || s.table == nil {
		return
	}
	from := s.top + Num(int16(u.loaded-uint16(s.top)))
	for i := range Num(u.load) {
		d.unitAcked(from+i, nil, carrier, u.frame(), at)
	}
	if u.state&carriesAgain == 0 {
		return
	}
	for i := range s.resent {
		if x := &s.resent[i]; x.waits {
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
			again = s.sentAgain(unit)
		}
		first, by = again.first, by || slices.Contains(again.before[:min(u.sends, maxCarriers)-1], uint32(carrier))
	}
	took := at - first
	if !by || took < 0 {
		return
	}
	d.measured(1<<AckWait, at, took)
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
