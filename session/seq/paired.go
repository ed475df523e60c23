package seq

// Paired enters the time, in nanoseconds, between one sending of a number that was sent
// several times and the acknowledgement of that very sending, which was captured at a time,
// for protocols whose acknowledgements let them be told apart. RTT leaves such numbers out.
func (d Trips) Paired(at, ns int64) {
	if !d.unpaired {
		d.ready()
		d.measured(Of(PairedTrip), at, ns, 1)
	}
}

// Unpair tells that sendings and acknowledgements can't be told apart after all: what
// Paired entered, and will enter, does not count.
func (d Trips) Unpair() {
	if d.unpaired = true; d.work != nil {
		d.times.Drop(PairedTrip)
	}
}

// PairedRTT summarises the times of Paired.
func (d Trips) PairedRTT() RTT { return d.Times(PairedTrip) }
