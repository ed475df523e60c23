package seq

import "slices"

// A SpellKind is what went wrong on the way of what a side sends, or with it.
type SpellKind uint8

const (
	Slow      SpellKind = iota // acknowledgements far later than the least round trip, of what nothing shows to be lost
	Waited                     // the same, of numbers and units that most likely arrived only when they were sent again
	Missed                     // numbers that were lost, or most likely were
	Overtaken                  // first transmissions captured after later ones
	Copied                     // copies made by the network or the capture
	Needless                   // retries of what had been acknowledged
	NSpells
)

// A Spell is a time in which one kind of trouble came again before long, from the first to
// the last moment of it.
type Spell struct {
	From, To int64 // ns
	N        uint64
	Most     int64 // longest wait, or time by which a frame came late, ns; 0 for other kinds
	Worst    Sign  // where that was, else the first
	// Counted is how many frames of the side had been captured at its first moment and at its
	// last; 0 where trouble is told when frames have come since.
	Counted [2]uint64
}

// Share is of how many frames, from the first to the last of a spell, its trouble is; ok is
// false when that is not known. What began the spell does not count.
func (x *Spell) Share() (share float64, ok bool) {
	frames := x.Counted[1] - x.Counted[0]
	if x.Counted[0] == 0 || frames == 0 {
		return 0, false
	}
	return float64(x.N-1) / float64(frames), true
}

// Spells are those of one side, by kind and in the order of time.
type Spells [NSpells][]Spell

const (
	SpellGap  = 3e9 // ns without trouble that end a spell
	maxSpells = 32  // of a kind: where there are more, the two that are the closest become one

	// An acknowledgement is slow that takes so many times the least round trip, and so much
	// longer, in ns.
	slowFactor = 3
	slowBy     = 150e6
)

// Slowly reports whether an acknowledgement that took so long, where the least is known,
// came far too late; in ns.
func Slowly(took, least int64) bool { return took >= slowFactor*least && took-least >= slowBy }

// note enters trouble that lasted from one time to another; worst is where it shows, and
// how many numbers or frames it is of. counted is how many frames of the side had been
// captured, 0 where some came since.
func (s *Spells) note(kind SpellKind, from, to, most int64, worst Sign, counted uint64) {
	if worst.Time == 0 || worst.N == 0 {
		return
	}
	list := s[kind]
	i := len(list)
	if i > 0 && from >= list[i-1].From && from-list[i-1].To <= SpellGap { // it goes on, most of the time
		list[i-1].Add(&Spell{From: from, To: to, N: worst.N, Most: most, Worst: worst, Counted: [2]uint64{counted, counted}})
		return
	}
	for i > 0 && list[i-1].From > from {
		i--
	}
	list = slices.Insert(list, i, Spell{From: from, To: to, N: worst.N, Most: most, Worst: worst, Counted: [2]uint64{counted, counted}})
	if list = joined(list, i); len(list) > maxSpells {
		list = joinClosest(list)
	}
	s[kind] = list
}

// joined joins the spell at a place with those that it is close to.
func joined(list []Spell, i int) []Spell {
	for i > 0 && list[i].From-list[i-1].To <= SpellGap {
		i--
		list = join(list, i)
	}
	for i+1 < len(list) && list[i+1].From-list[i].To <= SpellGap {
		list = join(list, i)
	}
	return list
}

// join makes one spell of that at a place and the next one.
func join(list []Spell, i int) []Spell {
	list[i].Add(&list[i+1])
	return slices.Delete(list, i+1, i+2)
}

// Add makes one spell of two, of which y began later.
func (x *Spell) Add(y *Spell) {
	if y.Most > x.Most {
		x.Most, x.Worst = y.Most, y.Worst
	}
	x.To, x.N = max(x.To, y.To), x.N+y.N
	x.Counted[1] = max(x.Counted[1], y.Counted[1])
}

func joinClosest(list []Spell) []Spell {
	closest := 0
	for i := 1; i+1 < len(list); i++ {
		if list[i+1].From-list[i].To < list[closest+1].From-list[closest].To {
			closest = i
		}
	}
	return join(list, closest)
}

// arrived takes back one of the numbers that were taken for missed before a time, for it came.
func (s *Spells) arrived(at int64) {
	list := s[Missed]
	for i := len(list) - 1; i >= 0; i-- {
		if x := &list[i]; x.From > at {
			continue
		} else if x.N--; x.N == 0 {
			s[Missed] = slices.Delete(list, i, i+1)
		}
		return
	}
}

// arrived notes that a number that was passed over came after all.
func (d *Direction) arrived(s *Sending) {
	if x := d.account; x != nil && x.Spells != nil {
		x.Spells.arrived(s.Time)
	}
}

// Clone is a copy that nobody else changes, nil of nil.
func (s *Spells) Clone() *Spells {
	if s == nil {
		return nil
	}
	out := new(Spells)
	for kind, list := range s {
		out[kind] = slices.Clone(list)
	}
	return out
}

// trouble enters a spell of a side whose trouble is kept.
func (d *Direction) trouble(kind SpellKind, from, to, most int64, worst Sign) {
	if d.account == nil {
		return
	}
	if d.account.Spells == nil {
		d.account.Spells = new(Spells)
	}
	counted := d.Frames
	if from != to || kind == Missed {
		counted = 0
	}
	d.account.Spells.note(kind, from, to, most, worst, counted)
}

// waited looks for trouble in how long a number waited for its first acknowledgement.
func (d acknowledging) waited(took int64, u *unit, a *Acknowledgement, lost bool) {
	kind := Slow
	if lost {
		kind = Waited
	} else {
		d.account.Swell.see(took, a, d.Bytes, bytesOf(d.peer))
	}
	if d.hasRTT && Slowly(took, d.minRTT) {
		d.trouble(kind, u.time, a.Time, took, SignAt(u.frame(), u.time))
	}
}

// needless enters a retry of what had been acknowledged.
func (d *Direction) needless(frame uint64, at int64) {
	d.signs.Unneeded.See(frame, at)
	d.trouble(Needless, at, at, 0, SignAt(frame, at))
}
