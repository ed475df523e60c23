package seq

// A Pulse is how one side of a connection does now, for who watches it live.
// Reading one costs a look at the numbers that wait for their acknowledgement and
// changes nothing that counts; it must come from the goroutine of the tracker.
type Pulse struct {
	Frames, Bytes uint64 // as in Direction
	Numbers       uint64 // distinct numbers captured
	Missing       uint64 // as Direction.Missing; it falls when a gap is filled

	// Ping is the smoothed time, in ns, between a frame of this side and the news
	// that it arrived, as seen at the capture point: seven eighths of what it was
	// and one eighth of the newest (RFC 6298). Of the frames that one
	// acknowledgement confirms the latest counts, which waited least. Where the
	// protocol's acknowledgements wait for others its own pings are taken instead.
	Ping    int64
	Jitter  int64  // ns, smoothed distance of the samples from Ping, as RTTVAR of RFC 6298; 0 with one sample
	Samples uint64 // of Ping; 0 when there is none
	PingAt  int64  // time of the newest sample, ns

	// Wait is the latest time, in ns, from the first transmission of a number to its first
	// acknowledgement (AckWait), known as soon as it ends: of the numbers that one frame
	// acknowledges that of the one that waited longest. WaitAt is when that frame was
	// captured, 0 for none.
	Wait, WaitAt int64

	// InFlight is what waits for its acknowledgement; valid when the capture shows
	// acknowledgements of this side.
	InFlight    Flight
	HasInFlight bool

	Last    int64 // time of the latest frame of this side, ns
	HasLast bool
}

// Pulse says how the side does now; once it is closed, only what was counted. Last is the
// caller's to fill in.
func (d *Direction) Pulse() Pulse {
	p := Pulse{Frames: d.Frames, Bytes: d.Bytes, Missing: d.Missing()}
	if !d.IsOpen() {
		return p
	}
	p.Numbers = d.distinct
	beat := d.beat
	if d.echo != nil && d.echo.any {
		beat = *d.echo
	}
	if beat.any {
		beat.fold()
		p.Ping, p.Jitter, p.Samples, p.PingAt = beat.smooth, beat.vary, beat.n, beat.at
	}
	p.Wait, p.WaitAt = d.wait, d.waitAt
	p.InFlight, p.HasInFlight = d.InFlight()
	return p
}

// Echoed enters, as soon as it is seen, the time in ns between a ping of this side, in a
// frame asked, and the reply in the frame at hand. Pinged enters it once it is certain.
func (d *Direction) Echoed(ns int64, asked, frame uint64, at int64) {
	if ns >= 0 {
		if d.echo == nil {
			d.echo = new(beat)
		}
		d.echo.trip(ns, frame, at)
		if d.hasRTT && Slowly(ns, d.minRTT) {
			d.trouble(Slow, at-ns, at, ns, SignAt(asked, at-ns))
		}
	}
}
