package session

import (
	"github.com/dpdissect/dpdissect/dissect"
)

// Add takes the next datagram. Its payload may be reused after the call. It may panic
// by a fault of a protocol package: see Rescue.
func (t *Table) Add(d *dissect.Datagram) { t.AddAt(placeOf(d), d) }

// AddAt is Add for who knows a number of the address pair: one that both directions share, and that
// other pairs share seldom. Pairs are found sooner by it.
func (t *Table) AddAt(place uint8, d *dissect.Datagram) {
	d = t.timed(d)
	t.frameNow = d.Frame
	if t.clock.now > t.now {
		t.pass(t.clock.now)
	}
	f, side := t.find(place, d)
	if t.forgets {
		f = t.visit(f, d)
	}
	t.flowNow, t.given = f, d
	f.latest = d.Frame
	switch {
	case f.collects():
		t.addUndecided(f, d, side)
	case f.summedUp:
		t.countOnly(f, d)
	default:
		t.deliver(f, d, side)
	}
	t.flowNow = nil
	if t.open > MaxOpen {
		t.relieve()
	}
}

// timed gives a datagram the time of the table's clock.
func (t *Table) timed(d *dissect.Datagram) *dissect.Datagram {
	if d.HasTime && !t.clock.wants(d) {
		t.clock.now = d.Time
	} else {
		t.moved = *d
		d = &t.moved
		t.clock.set(d)
	}
	if t.clock.now > t.end {
		t.end = t.clock.now
	}
	return d
}

// deliver hands a datagram of a recognised flow, and of one of its sides, to its session.
func (t *Table) deliver(f *Flow, d *dissect.Datagram, side dissect.Dir) {
	switch {
	case f.session == nil:
		t.plain(f, d)
	case d.Kind == dissect.Unreachable:
		t.unreachable(f, d)
	case !(neighbours{t}).own(f, f.protocol, d):
		t.input(f, d, side)
	}
}

// inputOne hands a datagram to the session of its flow.
func (t *Table) inputOne(f *Flow, d *dissect.Datagram) {
	fr := t.frame(d, f.protocol.Name)
	c := f.session.Input(fr)
	if c != nil && t.cfg.Endings {
		c.remember(fr)
	}
	t.show(fr, c)
	fr.Datagram = nil // it is reused: what is judged later has no frame at hand
	if c != nil {
		c.endFrame()
	}
}

// input hands a datagram, or those it stands for, to the session of a flow.
func (t *Table) input(f *Flow, d *dissect.Datagram, side dissect.Dir) {
	if !f.offload.suspect(d, side) {
		t.inputOne(f, d)
		return
	}
	size := f.protocol.partSize(d, int(f.offload.size[side]))
	f.offload.note(d, side, size)
	if size == 0 {
		t.inputOne(f, d)
		return
	}
	parts(d, size, func(part *dissect.Datagram) {
		t.inputOne(f, part)
		t.apart++
	})
	t.apart--
}

// Apart is how many datagrams there are beyond the packets that stood for them.
func (t *Table) Apart() uint64 { return t.apart }
