package seq

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
)

// An Acknowledgement is what one captured frame says about the numbers of the
// other side, unwrapped.
type Acknowledgement struct {
	Next    Num    // all numbers below are acknowledged
	Mask    uint64 // bit i: Base+i was received
	Base    Num    // number of bit 0
	Frame   uint64
	Time    int64
	HasTime bool
	Copy    bool // in a copy of an earlier frame: what it says is old
	Hearsay bool // by history bits, which implementations are known to set wrongly: no proof of a loss
}

// MaxAckExcess is how far an acknowledgement may run ahead of everything
// captured and still be taken for evidence of frames that were not captured;
// one that is further ahead is impossible and changes nothing. Limits may allow
// more.
const MaxAckExcess = 64

func (w *Window) ahead() Num { return max(w.limits.AckExcess, MaxAckExcess) }

// Acknowledge applies what the peer acknowledges of this side's numbers. It
// calls link for every captured frame that is acknowledged for the first time.
func (d *Direction) Acknowledge(a *Acknowledgement, link func(Position)) dissect.Words {
	d.ready()
	w := &d.win
	if !w.started || a.Next < w.base-w.ahead() {
		return 0
	}
	if a.Next > w.highest+1+w.ahead() {
		d.ahead.far++
		return 0
	}
	first, words := d.firstAcks, dissect.Words(0)
	if len(w.waiting) > 0 {
		d.acking().settleWaiting(a, link)
	}
	if !w.hasCum || a.Next > w.cum {
		words |= d.acking().ackBelow(a, link)
	}
	if a.Mask != 0 && d.contradictions < MaxContradictions {
		words |= d.acking().ackMask(a, link)
	}
	if d.firstAcks != first {
		words |= dissect.Ack
	}
	return words
}

// ackBelow acknowledges everything from the last cumulative acknowledgement up
// to a.Next.
func (d acknowledging) ackBelow(a *Acknowledgement, link func(Position)) (words dissect.Words) {
	w := &d.win
	from := w.base
	if w.hasCum {
		from = max(from, w.cum)
	}
	if a.Next-1 >= w.top && !w.reach(a.Next-1, d.Direction) {
		return 0
	}
	from = max(from, w.base)
	for n := from; n < a.Next; n++ {
		u := w.at(n)
		words |= d.ackOne(n, u, a, link)
		u.state &^= byMask
	}
	w.cum, w.hasCum = a.Next, true
	return words
}

// ackMask acknowledges the numbers of the mask and notes those it reports
// missing below its highest bit. Masks repeat themselves, so only bits that the
// mask before did not have are looked at.
func (d acknowledging) ackMask(a *Acknowledgement, link func(Position)) (words dissect.Words) {
	w := &d.win
	high := 63 - bits.LeadingZeros64(a.Mask)
	if top := a.Base + Num(high); top > w.highest+w.ahead() || !w.reach(top, d.Direction) {
		return 0
	}
	fresh := a.Mask
	if shift := a.Base - w.maskBase; shift >= 0 { // by 64 or more nothing is left of it
		fresh &^= w.mask >> uint(shift)
	}
	w.mask, w.maskBase = a.Mask, a.Base
	for m := fresh; m != 0; m &= m - 1 {
		if n := a.Base + Num(bits.TrailingZeros64(m)); w.holds(n) {
			u := w.at(n)
			words |= d.ackOne(n, u, a, link)
			if !w.hasCum || n >= w.cum { // a frame that was overtaken says no less of what is below
				u.state |= byMask
			}
		}
	}
	// A frame that was overtaken reports missing what has arrived since.
	if top := a.Base + Num(high); !a.Copy && top >= w.maskTop {
		w.maskTop = top
		d.noteHoles(a, high)
	}
	return words
}

// noteHoles notes the numbers a mask reports missing below its highest bit.
func (d acknowledging) noteHoles(a *Acknowledgement, high int) {
	w := &d.win
	if n := a.Base - 1; n >= a.Next && w.holds(n) {
		d.noteMissing(w.at(n), a)
	}
	for m := ^a.Mask & (1<<high - 1); m != 0; m &= m - 1 {
		if n := a.Base + Num(bits.TrailingZeros64(m)); w.holds(n) {
			d.noteMissing(w.at(n), a)
		}
	}
}

func (d acknowledging) ackOne(n Num, u *unit, a *Acknowledgement, link func(Position)) (words dissect.Words) {
	if u.state&acked != 0 {
		return 0
	}
	u.state |= acked
	if u.state&captured == 0 {
		if u.state&givenUp == 0 && d.win.started && n >= d.win.lowest && !d.disregarded.has(n) {
			words = dissect.AckOfUncaptured
			d.noteGap(a.Time, true)
			d.signs.Uncaptured.See(a.Frame, a.Time)
		}
		u.ackTime = a.Time
		return words
	}
	d.firstAcks++
	d.hears(u.time, a)
	d.signs.acked(u)
	if a.HasTime {
		if !d.accepts {
			d.accepts, d.acceptsAt = true, a.Time
		}
		if u.state&(reported|retried|givenUp) == reported {
			d.losses.late = max(d.losses.late, u.missingFor())
		}
		u.ackTime = a.Time
		u.state |= ackTimed
		if u.state&carries != 0 {
			d.unitsAcked(n, u, a.Time)
		}
		d.answered(u, a, u.state&retried != 0 && d.account != nil && d.needed(n, u, a))
	}
	if d.links {
		at := u.position()
		at.Hearsay = a.Hearsay
		link(at)
		if u.copies > 1 {
			for _, f := range d.win.extra[n] {
				f.Hearsay = a.Hearsay
				link(f)
			}
		}
	}
	return words
}

// settleWaiting acknowledges copies that were captured after their number had
// been acknowledged: the next frame that covers the number covers them.
func (d acknowledging) settleWaiting(a *Acknowledgement, link func(Position)) {
	w := &d.win
	keep := w.waiting[:0]
	for _, c := range w.waiting {
		i := c.num - a.Base
		if c.num >= a.Next && (i < 0 || i >= 64 || a.Mask>>uint(i)&1 == 0) {
			keep = append(keep, c)
			continue
		}
		d.settleCopy(c, a, link)
	}
	w.waiting = keep
}

// settleCopy acknowledges a copy that waited for it. A number whose first
// captured copy waited has its round trip from that one.
func (d acknowledging) settleCopy(c waitingCopy, a *Acknowledgement, link func(Position)) {
	if w := &d.win; w.holds(c.num) && a.HasTime {
		if u := w.see(c.num); u.position() == c.at {
			u.ackTime = a.Time
			u.state |= ackTimed
			if u.state&carries != 0 {
				d.unitsAcked(c.num, u, a.Time)
			}
		}
	}
	if d.links {
		link(c.at)
	}
}

// noteMissing keeps the evidence of an acknowledgement that reports a number
// missing while a later one had arrived. A number captured before the peer is
// known to accept any may have arrived and been discarded.
func (d acknowledging) noteMissing(u *unit, a *Acknowledgement) {
	switch {
	case u.state&(acked|givenUp) != 0:
	case u.state&captured == 0:
		u.state |= missedBefore
	case !a.HasTime || u.state&timed == 0 || u.state&retried != 0 || a.Next < d.win.cum:
	case d.hasRTT && d.accepts && u.time >= d.acceptsAt:
		u.state |= reported
		u.ackTime = a.Time
		if a.Time-u.time >= d.lateness() {
			u.state |= missedAfter
		}
	}
}

// lateness is how long after its capture a number must still be missing at the
// peer to be lost and not just late: the shortest round trip seen plus the
// reorder horizon, which is that of copies, half that round trip, or half as much
// again as frames of both sides were seen overtaken by (guard REORD).
func (d acknowledging) lateness() int64 {
	late := d.late
	if d.peer != nil {
		late += d.peer.late
	}
	return d.minRTT + max(CopyHorizon, d.minRTT/2, late*3/2)
}

// answered looks at how long a number waited for its first acknowledgement, where that is known; lost says
// that it most likely arrived only when it was sent again.
func (d acknowledging) answered(u *unit, a *Acknowledgement, lost bool) {
	const first = firstSending | timed
	took := a.Time - u.time
	if u.state&first != first || took < 0 {
		return
	}
	if u.state&(carries|givenUp) == 0 {
		d.latestWait(took, a.Time)
	}
	if u.state&again == 0 {
		d.noteRoundTrip(took, u, a)
	}
	if u.state&(givenUp|noAck) == 0 && !a.Hearsay && d.account != nil {
		d.waited(took, u, a, lost)
	}
}

// noteRoundTrip keeps the latest round trip and the shortest as soon as they are
// seen, before it is certain that no further copy of the number will show up.
func (d acknowledging) noteRoundTrip(rtt int64, u *unit, a *Acknowledgement) {
	if !d.hasRTT || rtt < d.minRTT {
		d.minRTT, d.hasRTT = rtt, true
	}
	d.signs.trip(rtt, u.frame(), u.time)
	if u.state&givenUp == 0 && !a.Hearsay {
		d.beat.trip(rtt, a.Frame, a.Time)
	}
}

// latestWait keeps the latest wait for a first acknowledgement.
func (d acknowledging) latestWait(ns, at int64) {
	if at != d.waitAt || ns > d.wait {
		d.wait, d.waitAt = ns, at
	}
}

// GiveUp notes that this side will not send a number again (DP8 send mask). The
// number may be above everything captured: its frame was lost on the way here.
func (d *Direction) GiveUp(n Num) {
	d.ready()
	w := &d.win
	if !w.started || n > w.highest+w.ahead() || n < w.top-w.limit() {
		return
	}
	if u := w.take(n, d); u != nil {
		if u.state&(missedAfter|acked|givenUp) == missedAfter {
			d.losses.suspect(n, u.missingFor(), 0)
		}
		u.state |= givenUp
	}
}

// Captured reports whether a copy of the number was captured; ok is false when
// the number is not remembered.
func (d *Direction) Captured(n Num) (yes, ok bool) {
	d.ready()
	if !d.win.started || !d.win.holds(n) {
		return false, false
	}
	return d.win.see(n).state&captured != 0, true
}

// Outstanding is how far the highest captured number is from the first that is not
// acknowledged cumulatively, that one included: how much of its window a side uses.
func (d *Direction) Outstanding() Num {
	d.ready()
	if !d.win.started || !d.win.hasCum {
		return 0
	}
	return d.win.highest + 1 - d.win.cum
}
