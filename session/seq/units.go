package seq

import "slices"

// maxCarriers is how many of the latest numbers that carried a unit are
// remembered.
const maxCarriers = 3

// A carried unit is one that travels in numbered datagrams and keeps its own
// number when it is sent again in another one.
type carried struct {
	frame   uint64 // first captured datagram that carried it, 0 for none
	time    int64  // latest sending, or the first acknowledgement of what was sent once until then, ns
	carrier uint32 // latest; low bits of its number
	print   uint16 // of its content, 0 when that is not known
	sends   uint8  // captured, up to 255
	wait    wait
}

// A wait is what is known of how long a unit waited for its first acknowledgement.
type wait uint8

const (
	unknownWait wait = iota // when it was sent first is not known
	waits
	waited
)

// A resent is what is remembered of a unit that was sent again, beside what is of all.
type resent struct {
	unit   Num
	first  int64                   // first transmission, ns, valid while it waits
	before [maxCarriers - 1]uint32 // carriers before the latest, the latest of them first
	waits  bool                    // for its first acknowledgement
	acked  bool                    // a carrier that is no longer remembered was acknowledged
}

// units are the carried units of one side, in a ring like that of a Window.
type units struct {
	sparse[carried]
	base, top Num
	floor     Num
	gone      bool
	arrived   int32 `state:"-"` // so many of resent, from the first one on, do not wait

	resent  []resent
	verdict UnitVerdict `state:"-"` // the latest
}

// sentAgain gives what is remembered of a unit that was sent again, nil when it was not.
func (s *units) sentAgain(unit Num, u *carried) *resent {
	if u.sends == 1 {
		return nil
	}
	for i := len(s.resent) - 1; i >= 0; i-- {
		if s.resent[i].unit == unit {
			return &s.resent[i]
		}
	}
	return nil
}

// sendAgain is sentAgain for a unit that is sent again for the first time.
func (s *units) sendAgain(unit Num, u *carried) *resent {
	if len(s.resent) == cap(s.resent) {
		s.resent = slices.DeleteFunc(s.resent, func(x resent) bool { return x.unit < s.base || x.unit >= s.top || s.find(x.unit) == nil })
		s.arrived = 0
	}
	s.resent = append(s.resent, resent{unit: unit, first: u.time, waits: u.wait == waits})
	return &s.resent[len(s.resent)-1]
}

// stillWaiting are those sent again of which some may wait for their first acknowledgement.
func (s *units) stillWaiting() []resent {
	for int(s.arrived) < len(s.resent) && !s.resent[s.arrived].waits {
		s.arrived++
	}
	return s.resent[s.arrived:]
}
