package seq

// Lost is what in-band evidence proves lost: never more than was.
type Lost struct {
	BeforeCapture uint64
	AfterCapture  uint64
	NotCaptured   uint64
}

// Lost gives the proven losses. A loss before the capture point is claimed only
// while nothing shows that the capture itself lost frames: both
// look alike from here.
func (d *Direction) Lost() Lost {
	if d.part != nil {
		return d.part.Lost
	}
	return lossesOf(d)
}

// lossesOf is Lost whether a part of the numbers is reported or all.
func lossesOf(d *Direction) Lost {
	l := Lost{NotCaptured: d.notCaptured}
	if !d.distrusted { // else its masks are, from which the rest comes
		l.NotCaptured += d.byMaskOnly
		l.AfterCapture, l.BeforeCapture = lostAfter(d), lostBefore(d, l.NotCaptured)
	}
	if d.offloaded {
		l.NotCaptured = 0
	}
	return l
}

func lostAfter(d *Direction) uint64 {
	switch {
	case d.noAfter:
		return 0
	case d.IsOpen():
		return d.end.lostBehind + d.losses.proven()
	}
	return d.end.lostBehind
}

func lostBefore(d *Direction, notCaptured uint64) uint64 {
	if d.noBefore || d.offloaded || notCaptured > 0 || d.peer != nil && d.peer.notCaptured > 0 {
		return 0
	}
	return d.lostBefore
}

// ProvesLoss reports whether losses before and behind the capture point can be
// told at all: acknowledgements were captured, they are of a kind that can prove
// them, and, before the capture point, the capture itself lost no frames. Where something was sent again without being acknowledged, and no loss
// is proven, there may have been one.
func (d *Direction) ProvesLoss() (before, after, captured bool) {
	heard := d.heard || d.IsOpen() && d.acknowledged() || d.Lost() != Lost{}
	heard = heard && (d.part == nil || !d.part.LossUnknown)
	return heard && !d.noBefore && !d.offloaded && lossesOf(d).NotCaptured == 0, heard && !d.noAfter && (!d.resentUnanswered || d.Lost().AfterCapture > 0), heard && !d.offloaded
}

// acknowledged reports whether an acknowledgement of what this side sends was
// captured.
func (w *work) acknowledged() bool { return w.win.hasCum || w.firstAcks > 0 || w.hasRTT }

// Missing is how many numbers between the lowest and the highest captured were
// never captured, as far as that can be told.
func (d *Direction) Missing() uint64 {
	if d.part != nil {
		return d.part.Missing
	}
	if !d.IsOpen() {
		return d.end.missing
	}
	if !d.win.started || d.offloaded {
		return 0
	}
	span, seen := uint64(d.win.highest-d.win.lowest+1), d.distinct
	if x := d.disregarded; x != nil && len(x.numbers) > 0 {
		seen += x.inside + x.count(d.win.lowest, d.win.highest)
	}
	if span > seen {
		return span - seen
	}
	return 0
}

// Transmissions is of how many transmissions the retries are a share: those of what is sent
// again, retries included. That is data frames, and keepalives where these are sent
// again, too; or, where datagrams carry what is sent again, these units.
func (d *Direction) Transmissions() uint64 {
	switch {
	case d.part != nil:
		return d.part.Transmissions
	case d.over:
		return d.end.sendings
	case d.work == nil:
		return d.DataFrames
	case d.carried > 0:
		return max(d.carried, d.Retries)
	}
	return max(d.DataFrames, d.distinct-min(d.distinct, d.signs.AsRetry.N)+d.Retries)
}

// RTT summarises the time between this side's frames and their acknowledgement.
func (d *Direction) RTT() RTT { return d.Times(RoundTrip) }

// Pinged enters the time, in nanoseconds, between a ping of this side and the reply that
// names it, which was captured at a time, for protocols whose acknowledgements wait for
// others.
func (d Trips) Pinged(at, ns int64) {
	if ns >= 0 {
		d.ready()
		d.measured(Of(PingTrip), at, ns, 1)
	}
}

// PingRTT summarises the times of Pinged.
func (d Trips) PingRTT() RTT { return d.Times(PingTrip) }

// MinRTT is the shortest round trip seen so far, in nanoseconds, 0 when none.
func (d *Direction) MinRTT() int64 {
	if !d.IsOpen() {
		return d.end.minRTT
	}
	return d.minRTT
}

// CountMessage is Deliver where nothing but the counters matters.
func (d *Direction) CountMessage(complete bool, size int) {
	if complete {
		d.Messages++
		d.MessageBytes += uint64(size)
	} else {
		d.IncompleteMessages++
	}
}

// Distinct is how many numbers were captured.
func (d Quality) Distinct() uint64 {
	d.ready()
	return d.distinct
}

// Uncaptured is how many numbers were acknowledged and never captured, as far as that is
// concluded yet.
func (d Quality) Uncaptured() uint64 { return d.notCaptured + d.byMaskOnly }

// HasRTT reports whether MinRTT is known.
func (d *Direction) HasRTT() bool { return d.IsOpen() && d.hasRTT }

// RoundTrips is how many round trips RTT summarises so far.
func (d Quality) RoundTrips() uint64 {
	d.ready()
	return d.times.Samples(RoundTrip)
}

// Delivered gives the index of the next message handed on, from 0.
func (d *Direction) Delivered() uint64 {
	d.delivered++
	return d.delivered - 1
}

// Window is what is remembered of this side's numbers, to be read only; nothing once
// it is closed.
func (d *Direction) Window() *Window {
	if d.over {
		return new(Window)
	}
	d.ready()
	return &d.win
}
