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

// carryAgain notes that a number carries a unit that was sent before.
func (s *units) carryAgain(c *Carrier, unit Num) {
	if c.u != nil {
		c.u.state |= carries | carriesAgain
	}
	if len(s.again) == mostFurther {
		s.again = append(s.again[:0], s.again[1:]...)
	}
	s.again = append(s.again, furtherCarrier{c.num, unit})
}

// unitsAcked enters how long the units that a number carries waited, when an acknowledgement
// captured at a time is its first.
func (d acknowledging) unitsAcked(carrier Num, u *unit, at int64) {
	s := &d.units
	if u.state&carries == 0 || s.table == nil {
		return
	}
	from := s.top + Num(int16(u.loaded-uint16(s.top)))
	for i := range Num(u.load) {
		d.unitAcked(from+i, carrier, u.frame, at)
	}
	if u.state&carriesAgain == 0 {
		return
	}
	keep := s.again[:0]
	for _, x := range s.again {
		if x.carrier == carrier {
			d.unitAcked(x.unit, carrier, u.frame, at)
		} else {
			keep = append(keep, x)
		}
	}
	s.again = keep
}

// unitAcked enters how long a unit waited: where the number that is acknowledged, captured in a
// frame, is not the first that carried it, it had to be sent again.
func (d acknowledging) unitAcked(unit, carrier Num, frame uint64, at int64) {
	s := &d.units
	if unit < s.base || unit >= s.top {
		return
	}
	u := s.find(unit)
	if u == nil || u.wait != waits || u.sends == 1 && u.carrier != uint32(carrier) {
		return
	}
	first := u.time
	if u.sends > 1 {
		if first = s.sentAgain(unit).first; !s.carriedBy(unit, u, uint32(carrier)) {
			return
		}
	}
	took := at - first
	if took < 0 {
		return
	}
	d.measured(1<<AckWait, at, took)
	d.latestWait(took, at)
	if u.frame != frame && d.hasRTT && Slowly(took, d.minRTT) {
		d.trouble(Waited, first, at, took, SignAt(u.frame, first))
	}
	if u.wait = waited; u.sends == 1 {
		u.time = at
	}
}

// carriedBy reports whether a number may have carried a unit: only the latest carriers are
// remembered.
func (s *units) carriedBy(unit Num, u *carried, carrier uint32) bool {
	list, n := s.carriers(unit, u)
	return slices.Contains(list[:n], carrier) || u.sends > maxCarriers
}
