package session

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// maxCarriers is how many of the latest numbers that carried a unit are
// remembered.
const maxCarriers = 3

// A carried unit is one that travels in numbered datagrams and keeps its own
// number when it is sent again in another one.
type carried struct {
	frame    uint64              // first captured datagram that carried it, 0 for none
	time     int64               // latest sending, ns
	carriers [maxCarriers]uint32 // latest first; low bits of their numbers
	n        uint8               // carriers remembered
	acked    bool                // a carrier that is no longer remembered was acknowledged
}

// units are the carried units of one side, in a ring like that of a Window.
type units struct {
	ring      []carried
	base, top int64
	floor     int64
	gone      bool
	keep      int64 // Limits.UnitKeep
	lean      bool
}

// A UnitVerdict is what the engine makes of a carried unit.
type UnitVerdict struct {
	Words   dissect.Words
	RetryOf uint64 // first captured frame that carried the unit, when this one sends it again
	New     bool   // the first captured sending of the unit
}

// SendUnit judges a unit that travels in the datagram with number carrier. Only
// a further carrier is a retry; what is a copy of a datagram was judged by Send.
// The retry is unneeded when an earlier carrier had been acknowledged.
func (d *Direction) SendUnit(unit, carrier int64, fr *dissect.Frame) UnitVerdict {
	d.ready()
	u := d.units.reach(unit, d)
	if u == nil { // forgotten: it was sent long ago
		d.Retries++
		return UnitVerdict{Words: dissect.Retry}
	}
	if u.frame == 0 {
		u.frame, u.time, u.n = fr.Frame, fr.Time, 1
		u.carriers[0] = uint32(carrier)
		return UnitVerdict{New: true}
	}
	v := UnitVerdict{RetryOf: u.frame}
	if slices.Contains(u.carriers[:u.n], uint32(carrier)) {
		return v
	}
	d.Retries++
	v.Words = dissect.Retry
	if u.acked || d.anyAcked(u.carriers[:u.n]) {
		d.UnneededRetries++
		d.signs.unneeded.see(fr.Frame, fr.Time)
		v.Words |= dissect.UnneededRetry
	}
	u.carry(carrier, d)
	u.time = max(u.time, fr.Time)
	return v
}

// anyAcked reports whether one of the numbers, of which the low bits are given,
// was acknowledged.
func (d *Direction) anyAcked(numbers []uint32) bool {
	w := &d.win
	for _, low := range numbers {
		n := w.highest + int64(int32(low-uint32(w.highest)))
		if w.holds(n) && w.at(n).state&acked != 0 || !w.holds(n) && w.past.acked(n) {
			return true
		}
	}
	return false
}

// carry remembers a further carrier.
func (u *carried) carry(carrier int64, d *Direction) {
	if u.n == maxCarriers {
		u.acked = u.acked || d.anyAcked(u.carriers[maxCarriers-1:])
		u.n--
	}
	copy(u.carriers[1:], u.carriers[:u.n])
	u.carriers[0] = uint32(carrier)
	u.n++
}

func (s *units) at(n int64) *carried { return &s.ring[n&int64(len(s.ring)-1)] }

// reach gives the place of a unit, nil when it is forgotten.
func (s *units) reach(n int64, d *Direction) *carried {
	limit := d.win.limit()
	if s.ring == nil {
		s.ring = make([]carried, leastRing)
		if !s.gone {
			s.base, s.top = n, n
		}
	}
	switch {
	case s.gone && n < s.floor:
		return nil
	case n < s.base && s.top-n > limit:
		return nil
	case n >= s.top+limit:
		s.base, s.top, s.floor, s.gone = n, n, s.top, true
	}
	for s.base > n { // a lower one, captured later
		for s.top-s.base >= int64(len(s.ring)) {
			s.grow()
		}
		s.base--
		*s.at(s.base) = carried{time: d.win.now}
	}
	for s.top <= n {
		s.makeRoom(limit, d)
		*s.at(s.top) = carried{time: d.win.now}
		s.top++
	}
	return s.at(n)
}

// makeRoom makes place for one more unit.
func (s *units) makeRoom(limit int64, d *Direction) {
	n := int64(len(s.ring))
	switch {
	case s.top-s.base < n:
	case n < LeanLeast || n < limit && s.wanted(s.at(s.base), d):
		s.grow()
	default:
		s.base++
		s.floor, s.gone = s.base, true
	}
}

// wanted reports whether the oldest unit may still be sent again.
func (s *units) wanted(u *carried, d *Direction) bool {
	age := d.win.now - u.time
	if s.lean {
		return age < s.keep/4*3
	}
	return len(s.ring) < HistoryLimit || age < max(s.keep, d.win.keep)
}

// doze forgets all units.
func (s *units) doze() {
	if s.ring != nil {
		s.ring, s.base, s.floor, s.gone = nil, s.top, s.top, true
	}
}

func (s *units) grow() {
	old := s.ring
	s.ring = make([]carried, 2*len(old))
	for n := s.base; n < s.top; n++ {
		*s.at(n) = old[n&int64(len(old)-1)]
	}
}
