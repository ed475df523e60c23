package seq

// resends are the latest retries of a side, to tell what was acknowledged by its retry
// from what was only slow.
type resends struct {
	latest [8]resend
	n      uint8
}

type resend struct{ num, time int64 }

// add keeps a retry.
func (r *resends) add(s *Sending) {
	if s.HasTime {
		r.latest[r.n%uint8(len(r.latest))] = resend{s.Num, s.Time}
		r.n++
	}
}

// of gives when a number was last sent again; ok is false when that is not remembered.
func (r *resends) of(num int64) (time int64, ok bool) {
	for _, x := range r.latest {
		if x.num == num && x.time > time {
			time, ok = x.time, true
		}
	}
	return time, ok
}

// needed looks at a number that was sent again and is acknowledged for the first time: an
// acknowledgement that comes sooner behind the latest retry than one ever came answers an
// earlier sending.
func (d acknowledging) needed(n int64, u *unit, at int64) {
	if again, ok := d.resends.of(n); ok && d.hasRTT && at-again >= d.minRTT*3/4 {
		d.signs.Needed.See(u.frame, u.time)
	}
}
