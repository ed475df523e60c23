package session

// diagnoseSide says what most likely troubled what one side sent.
func (c *Conn) diagnoseSide(dir int) {
	d := &c.Dir[dir]
	s := &d.signs
	if d.Retries > 0 && s.largestAcked > 0 {
		u := &s.stuck
		hole := u.sends >= 3 && u.size > s.largestAcked && u.others > 0 && !d.ackedAfter(u.num)
		c.observe(rFldMtu, dir, sign{1, u.frame, u.time}, when(hole, "%d bytes were sent %d times and never acknowledged, while up to %d bytes were: a path with a smaller MTU", u.size, u.sends, s.largestAcked))
	}
	if d.Retries >= fewest {
		share := float64(d.UnneededRetries) / float64(d.Retries)
		many := d.UnneededRetries >= fewest
		c.observe(rFldSpurious, dir, s.unneeded, when(many && share >= spuriousShare, "%d of %d retries were of what had been acknowledged", d.UnneededRetries, d.Retries))
		c.observe(rFldAckloss, dir, s.unneeded, when(many && share >= 0.5, "%d of %d retries were of what had been acknowledged: acknowledgements are lost rather than data, or the timer is too short", d.UnneededRetries, d.Retries))
		c.observe(rFldOneway, dir, s.unneeded, when(many && share >= 0.9 && s.deaf >= 4, "%d retries although acknowledgements pass: the sender does not hear its peer", d.UnneededRetries))
	}
	if d.Missing() >= fewest && c.Rules.sight.lost.n == 0 { // what the capture lost came in bursts, too
		mean := float64(s.passedOver) / float64(max(s.holes.n, 1))
		c.observe(rFldBurst, dir, s.holes, when(mean >= burstLength, "%d numbers passed over in %d runs, the longest of %d: losses come in bursts", s.passedOver, s.holes.n, s.longest))
	}
	if s.firstTrip > 0 && s.slowTrip > 0 {
		grown := s.slowTrip > shiftFactor*s.firstTrip && s.slowTrip-s.firstTrip > shiftLeast
		c.observe(rFldRttshift, dir, s.slowAt, when(grown, "the time until acknowledgement grows from %s to %s", millis(s.firstTrip), millis(s.slowTrip)))
	}
	c.diagnoseLosses(dir)
}

// diagnoseLosses tells on which side of the capture point losses happened.
func (c *Conn) diagnoseLosses(dir int) {
	l := c.Dir[dir].Lost()
	all := l.BeforeCapture + l.AfterCapture
	if all < fewest {
		return
	}
	where, n := "before", l.BeforeCapture
	if l.AfterCapture > n {
		where, n = "behind", l.AfterCapture
	}
	c.observe(rFldSide, dir, sign{1, c.FirstFrame, c.FirstTime}, when(float64(n) >= 0.9*float64(all), "%d of %d losses happened %s the capture point", n, all, where))
}

// ackedAfter reports whether a number was acknowledged in the end.
func (d *Direction) ackedAfter(n int64) bool {
	w := &d.win
	if w.hasCum && n < w.cum {
		return true
	}
	return w.holds(n) && w.see(n).state&acked != 0 || w.past.acked(n)
}

// diagnoseGiveUp names the unit whose missing acknowledgement ended the connection.
func (c *Conn) diagnoseGiveUp(dir int) {
	if c.State != TimedOut {
		return
	}
	if u, text := c.unanswered(dir); u != nil {
		c.observe(rFldGiveup, dir, sign{1, u.frame, u.time}, text+": the connection was given up")
	}
}

// unanswered is the first unit of a side that was sent again and never acknowledged,
// nil when there is none, and says so.
func (c *Conn) unanswered(dir int) (u *unit, text string) {
	w := &c.Dir[dir].win
	for n := w.next(w.base, w.top); n < w.top; n = w.next(n+1, w.top) {
		u := w.see(n)
		if u.state&(captured|acked|givenUp) == captured && u.sends >= 2 {
			return u, when(true, "reliable packet %d, size %d, not acknowledged after %s, %d resends", n, u.size, millis(c.LastTime-u.time), u.sends-1)
		}
	}
	return nil, ""
}

// diagnose says what most likely troubled the connection as a whole.
func (c *Conn) diagnose() {
	s := &c.Rules.sight
	alone := s.frames[1] == 0
	if alone && s.frames[0] >= 2 && c.Complete {
		x := Case{Rule: rFldNoreply, Frame: c.FirstFrame, Time: c.FirstTime, HasTime: c.HasTime}
		x.Message = when(true, "%d attempts, no answer", s.frames[0])
		if c.State == Refused {
			x.Message += ": the port is unreachable (ICMP)"
		} else {
			x.Blocked = GuardBidir // the answers may have passed elsewhere
		}
		c.quality.Judge(x)
	}
	if n := s.frames[0] + s.frames[1]; n >= busyFrames && !alone {
		pause := (s.now - s.firstAt - s.silence) / int64(n)
		dark := s.silence >= blackout && pause < busyPause && !s.back && c.State != TimedOut
		c.observe(rFldBlackout, 0, s.wokenBy, when(dark, "both directions are silent for %.1f s, then go on", float64(s.silence)/1e9))
	}
}

// Unreadable says that the connection is encrypted: nothing inside can be judged.
func (c *Conn) Unreadable() {
	c.observe(rFldDtls, 0, sign{1, c.FirstFrame, c.FirstTime}, "the payload is DTLS: nothing inside can be judged")
}

// suspectInjection looks at a frame that was just proven impossible: with another
// time to live than its sender's it is not from there.
func (c *Conn) suspectInjection() {
	s := &c.Rules.sight
	l := c.quality
	if l.fr == nil || s.ttlRun[l.dir] < usualTTL {
		return
	}
	if !l.Check(rFldInject, !s.stranger) {
		l.Broken(rFldInject, when(true, "time to live %d amid %d: most likely not sent by the endpoint", l.fr.TTL, s.ttl[l.dir]))
	}
}

// due reports whether the latest number of a side waits for its acknowledgement.
func (d *Direction) due() bool {
	w := &d.win
	return w.started && w.holds(w.highest) && w.see(w.highest).state&(captured|acked) == captured
}
