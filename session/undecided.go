package session

import "github.com/dpdissect/dpdissect/dissect"

func (t *Table) forced(key flowKey) *Force {
	for i := range t.cfg.Force {
		r := &t.cfg.Force[i]
		if r.Lo <= key.lo.Port && key.lo.Port <= r.Hi || r.Lo <= key.hi.Port && key.hi.Port <= r.Hi {
			return r
		}
	}
	return nil
}

// addUndecided collects evidence. A datagram that makes the flow recognised is
// delivered behind those held before it.
func (t *Table) addUndecided(f *Flow, d *dissect.Datagram, side dissect.Dir) {
	if f.rest > 0 && f.sides>>side&1 != 0 && d.Kind == dissect.UDP && d.Time-f.last <= restSilence {
		t.passOver(f, d) // see would change nothing
		return
	}
	if f.last != 0 && d.HasTime && d.Time-f.last > HoldTime {
		t.release(f)
		if f.session != nil {
			t.deliver(f, d, side)
			return
		}
		f.released, f.sides = false, 0
		f.dropProbes(nil)
		f.join(single)
	}
	f.see(d, side)
	if f.rest > 0 && d.Time-f.last <= restSilence {
		t.passOver(f, d)
		return
	}
	f.last, f.rest = d.Time, 0
	if f.force == nil && (neighbours{t}).any(d, Undecided) || f.force != nil && (neighbours{t}).own(f, f.force.Protocol, d) {
		return
	}
	if f.probes == nil && f.force == nil && !f.told() && len(f.held) == 0 && f.hold(d) {
		return // most pairs that are not recognised are of one datagram
	}
	if f.wake(); d.Kind == dissect.UDP && f.session == nil {
		f.observe(d, side)
	} else if d.Kind == dissect.Unreachable {
		f.noticed(d)
	}
	switch {
	case f.session == nil && f.isForeign():
		t.release(f)
		f.dropProbes(nil)
		f.released = true
		t.plain(f, d)
	case f.session != nil:
		t.deliverHeld(f)
		t.deliver(f, d, side)
	case f.force != nil:
		if !f.hold(d) {
			t.release(f)
			t.deliver(f, d, side)
		}
	case f.hopeless: // its datagrams must not take the room of others
		t.release(f)
		t.plain(f, d)
		if t.undecided() > MaxHopeless && !f.told() {
			f.dropProbes(nil)
			f.join(foreign) // until it was silent, or a while later
		}
	case !f.hold(d):
		t.release(f)
		f.released = true
		t.plain(f, d)
	}
}

// A pair that looked like no protocol for foreignAfter datagrams rests: the next restFor are
// counted, and no probe looks at them. Then probes look at lookAgain more, sooner when the pair
// was silent for restSilence. Nearly every connection is recognised within 40 datagrams.
const (
	foreignAfter = 512  // datagrams that showed nothing at first …
	lookAgain    = 64   // … and later
	restFor      = 2048 // datagrams
	restSilence  = 1e9  // ns
)

// passOver takes a datagram of a pair that rests.
func (t *Table) passOver(f *Flow, d *dissect.Datagram) {
	f.last = d.Time
	f.rest--
	t.rested++
	t.plain(f, d)
}

// isForeign reports whether the probes of a pair may rest, and lets them. While a story of
// the pair is told, they look at everything.
func (f *Flow) isForeign() bool {
	if f.force != nil || f.told() || f.possible != "" {
		f.looked = 0
		return false
	}
	most := foreignAfter
	if f.rested {
		most = lookAgain
	}
	if f.looked++; f.looked < most {
		return false
	}
	f.looked, f.rest, f.rested = 0, restFor, true
	return true
}

// deliverHeld hands what was held of a flow to its session.
func (t *Table) deliverHeld(f *Flow) {
	var d dissect.Datagram
	for _, h := range f.takeHeld() {
		t.deliver(f, f.restore(&d, &h), h.side())
	}
}

// release shows what was held of a flow as plain UDP, or, when it is forced, as
// what it was said to be.
func (t *Table) release(f *Flow) {
	if !f.collects() {
		return
	}
	if f.wake(); f.session != nil {
		t.deliverHeld(f)
		return
	}
	f.explain()
	if f.force != nil {
		f.follow(f.force.Protocol, f.probes[0])
		t.deliverHeld(f)
	}
	t.leaveOut(f)
	t.showPlain(f)
}

// showPlain shows what was held of a flow as plain UDP.
func (t *Table) showPlain(f *Flow) {
	var d dissect.Datagram
	for _, h := range f.takeHeld() {
		t.plain(f, f.restore(&d, &h))
	}
}
