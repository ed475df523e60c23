package session

import (
	"cmp"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/stable"
)

// A class is what an address pair that is not recognised has shown so far. Each class has
// room of its own, in pairs and in bytes, so that pairs which show little never push out
// pairs which show more: whoever floods a capture competes with what is like the flood.
type class uint8

const (
	decided  class = iota // recognised, or in no class any more
	single                // one datagram
	oneWay                // several of one side
	answered              // datagrams of both sides
	foreign               // looks like no protocol: no evidence is collected until it was silent
	classes
)

// roomOf is the number of pairs of each class in a table, and heldIn the bytes that may be
// held back of them.
var (
	roomOf = [classes]int{single: MaxSingle, oneWay: MaxOneWay, answered: MaxAnswered, foreign: MaxForeign}
	heldIn = [classes]int{single: HoldBytes / 4, oneWay: HoldBytes / 4, answered: HoldBytes / 2}
)

// leftOf is the part of a full class that stays when pairs are given up: with more room the
// search for the next ones is needed less often.
func leftOf(room int) int { return room * 3 / 4 }

// collects reports whether evidence is collected of a pair.
func (f *Flow) collects() bool { return single <= f.class && f.class <= answered }

// see puts a pair into the class that a further datagram shows it to be of. Notices are no
// datagrams of the pair.
func (f *Flow) see(d *dissect.Datagram, side dissect.Dir) {
	sides := f.sides
	if d.Kind == dissect.UDP {
		sides |= 1 << side
	}
	switch first := f.sides == 0; {
	case sides == 0b11:
		f.join(answered)
	case !first:
		f.join(oneWay)
	}
	f.sides = sides
}

// join puts a pair into a class. When that is full, those of it that were silent the
// longest are given up.
func (f *Flow) join(c class) {
	if f.class == c {
		return
	}
	t, held := f.table, f.heldBytes()
	t.inClass[f.class]--
	t.held[f.class] -= held
	f.class = c
	t.inClass[c]++
	t.held[c] += held
	if c != decided && t.inClass[c] > roomOf[c] {
		t.relieveClass(c)
	}
}

// looksForeign reports whether nothing that the pair sent told of any protocol.
func (f *Flow) looksForeign() bool { return f.hopeless || f.rested }

// undecided is the number of pairs that evidence is collected of.
func (t *Table) undecided() int { return t.inClass[single] + t.inClass[oneWay] + t.inClass[answered] }

// relieveClass gives up the pairs of a class that were silent the longest, when there are
// too many. The one at hand is not among them.
func (t *Table) relieveClass(c class) {
	list := t.idlest(func(f *Flow) bool { return f.class == c })
	for _, f := range list[:max(0, len(list)-leftOf(roomOf[c]))] {
		t.guard(f, func() { t.crowdOut(f) })
	}
	clear(t.cache[:])
}

// relieveHeld makes room in what is held back of a class, with those pairs first of which
// most is held. Pairs of one datagram are given up, others are shown as plain UDP as far as
// they came while evidence goes on being collected.
func (t *Table) relieveHeld(c class) {
	type holding struct {
		*Flow
		bytes int
	}
	var list []holding
	for _, f := range t.flows {
		if f.class == c && len(f.held) > 0 {
			list = append(list, holding{f, f.heldBytes()})
		}
	}
	stable.Sort(list, func(a, b holding) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.seq, b.seq)) })
	for _, f := range list {
		if t.held[c] <= leftOf(heldIn[c]) {
			break
		}
		t.guard(f.Flow, func() {
			if c == single {
				t.crowdOut(f.Flow)
			} else {
				t.showHeld(f.Flow)
			}
		})
	}
	clear(t.cache[:])
}

// showHeld shows what was held of a pair as plain UDP, for lack of room. What comes later
// may still show what it speaks, but not how it began.
func (t *Table) showHeld(f *Flow) {
	n := len(f.held)
	if t.release(f); f.session != nil {
		return
	}
	f.released = true
	f.crowdedOut += uint32(n)
}

// heldBytes is the size of what is held of a pair, see HoldBytes.
func (f *Flow) heldBytes() (n int) {
	for i := range f.held {
		n += f.held[i].bytes()
	}
	return n
}
