package seq

// A Look is what is remembered of one number of a side.
type Look struct {
	Frame    uint64 // first captured copy
	Time     int64  // of that, ns
	AckTime  int64  // when it was first acknowledged, valid with AckTimed
	Digest   uint32 // of the first sending, 0 when only retries were captured
	IPID     uint16 // likewise
	Copies   int    // captured transmissions and copies, up to 255
	Captured bool
	First    bool // the first sending was captured, not only retries
	Retried  bool // a retry was captured
	Acked    bool
	AckTimed bool
	GivenUp  bool
	NoAck    bool // its sender asks for no acknowledgement
}

// Look gives what is remembered of a number; ok is false when nothing is.
func (d *Direction) Look(n Num) (l Look, ok bool) {
	d.ready()
	if !d.win.started || !d.win.holds(n) {
		return l, false
	}
	u := d.win.see(n)
	l = Look{Frame: u.frame(), Time: u.time, AckTime: u.ackTime, Copies: int(u.copies),
		Captured: u.state&captured != 0, First: u.state&firstSending != 0, Retried: u.state&retried != 0,
		Acked: u.state&acked != 0, AckTimed: u.state&ackTimed != 0, GivenUp: u.state&givenUp != 0, NoAck: u.state&noAck != 0}
	if l.First {
		l.Digest, l.IPID = u.digest, u.ipid
	}
	return l, true
}

// UncapturedAcked reports whether a number between those captured was acknowledged
// and was not captured, as far as it is remembered.
func (d Quality) UncapturedAcked() bool {
	d.ready()
	if !d.win.started {
		return false
	}
	w := &d.win
	end := min(w.highest+1, w.top)
	for n := w.next(max(w.base, w.lowest), end); n < end; n = w.next(n+1, end) {
		if w.see(n).state&(captured|acked) == acked {
			return true
		}
	}
	return false
}

// Acknowledged reports whether a number was acknowledged in the end.
func (d *Direction) Acknowledged(n Num) bool {
	w := &d.win
	if w.hasCum && n < w.cum {
		return true
	}
	return w.holds(n) && w.see(n).state&acked != 0 || w.past.acked(n)
}

// Due reports whether the latest number of a side waits for its acknowledgement.
func (d *Direction) Due() bool {
	w := &d.win
	return w.started && w.holds(w.highest) && w.see(w.highest).state&(captured|acked) == captured
}

// SlowTrip is the shortest round trip of many in a row, where that was the longest, in ns, of a side
// that was seen to send again without a mark: the first transmission of what seems to be answered
// at once may not have been captured. It is 0 of any other.
func (d Quality) SlowTrip() int64 {
	if d.ready(); d.interval == 0 {
		return 0
	}
	return max(d.signs.FirstTrip, d.signs.SlowTrip)
}

// Waiting counts the numbers, of those remembered, that were captured and that nothing
// acknowledges or gives up. The sign is of the first of them.
func (d Quality) Waiting() (s Sign) {
	d.ready()
	w := &d.win
	if !w.started {
		return s
	}
	for n := w.next(w.base, w.top); n < w.top; n = w.next(n+1, w.top) {
		if u := w.see(n); u.state&(captured|acked|givenUp|noAck) == captured {
			s.See(u.frame(), u.time)
		}
	}
	return s
}

// Unanswered is the first number, of those remembered, that was sent again and not
// acknowledged; ok is false when there is none.
func (d *Direction) Unanswered() (u StuckUnit, ok bool) {
	d.ready()
	w := &d.win
	for n := w.next(w.base, w.top); n < w.top; n = w.next(n+1, w.top) {
		if u := w.see(n); u.state&(captured|acked|givenUp) == captured && u.sends >= 2 {
			return StuckUnit{Num: n, Size: u.size, Sends: u.sends, Frame: u.frame(), Time: u.time}, true
		}
	}
	return u, false
}
