package seq

import "cmp"

// sample is what a number has of which a time is told.
const sample = captured | acked | ackTimed | timed

// settle draws the conclusions about a number that is about to be forgotten.
func (d settling) settle(n Num, u *unit, w *Window) {
	if u.state&(sample|givenUp) == sample && u.ackTime >= u.time {
		d.measured(u.measures(), u.ackTime, u.ackTime-u.time, 1)
	}
	if d.links && u.state&(captured|acked) == captured {
		d.listener.Never(u.position())
		for _, f := range w.extra[n] {
			d.listener.Never(f)
		}
	}
	if u.state&(captured|acked|givenUp|noAck|timed) == captured|timed && u.time < d.signs.LatestAcked && d.account != nil {
		l := &d.account.Losses
		l.lose(&l.Unacked, n, u)
		d.trouble(Missed, u.time, u.time, 0, SignAt(u.frame(), u.time))
	}
	inside := w.hasOrigin && n >= w.origin && n >= w.lowest && n <= w.highest
	if inside {
		d.paths.settle(u.state&(captured|acked|givenUp|hearsay) == acked)
	}
	if u.state&(captured|missedBefore|missedAfter) != captured || d.settles {
		d.conclude(n, u, inside)
	}
}

// conclude tells losses from what the capture missed. A number that was captured and never
// reported missing is neither.
func (d settling) conclude(n Num, u *unit, inside bool) {
	x := Settled{Num: n, Frame: u.frame(), Time: u.time}
	switch {
	case u.state&captured == 0 && u.state&(acked|givenUp|hearsay) == acked && inside && !d.disregarded.has(n):
		x.NotCaptured, x.Masked, x.Time = true, u.state&byMask != 0, cmp.Or(u.ackTime, u.time)
		if x.Masked {
			d.byMaskOnly++
		} else {
			d.notCaptured++
		}
	case u.state&missedBefore != 0 && u.state&firstSending == 0 && inside:
		x.Before = true
		d.lostBefore++
	case u.state&missedAfter != 0:
		x.Missing, x.After = d.losses.settle(n, ackedAt(u), d.minRTT)
	}
	if d.settles {
		d.listener.Settled(x)
	}
}

// measures are those which the time from the number's first captured transmission to its first
// acknowledgement belongs to.
func (u *unit) measures() (of MeasureSet) {
	if u.state&again == 0 {
		of = 1 << RoundTrip
	}
	if u.state&(firstSending|carries) == firstSending {
		of |= 1 << AckWait
	}
	return of
}

// settleSkipped is settle for numbers below end of which nothing was heard.
func (d settling) settleSkipped(from, end Num) {
	if w := &d.win; w.hasOrigin {
		d.paths.skip(min(end, w.highest+1) - max(from, w.origin, w.lowest))
	}
	if d.settles {
		for n := from; n < end; n++ {
			d.listener.Settled(Settled{Num: n})
		}
	}
}

// Settled is what was concluded about a number, for who wants to compare it with
// the truth. Lost says how many of these are claimed in the end: those before the
// capture point all or none, those behind it that were missing longest, those not
// captured without the masked ones when masks are not to be trusted.
type Settled struct {
	Num     Num
	Frame   uint64 // first captured, 0 for none
	Time    int64  // ns since 1970: of Frame, or of the acknowledgement of what was not captured, or else of the latest sending when it was heard of
	Missing int64  // how long it was missed behind the capture point, ns

	Before, After, NotCaptured bool
	Masked                     bool // only a mask acknowledged it
}

// ackedAt is when a number was acknowledged, 0 for never.
func ackedAt(u *unit) int64 {
	if u.state&(acked|ackTimed) == acked|ackTimed {
		return u.ackTime
	}
	return 0
}
