package seq

// Replace gives a number that was captured before another content: what was sent under it
// until now is sent no more. It is for protocols that send a number again with the same
// bytes alone; what Send made of the sending stands.
func (d Provisionals) Replace(s *Sending) {
	d.ready()
	w := &d.win
	if !w.holds(s.Num) || w.see(s.Num).state&captured == 0 {
		return
	}
	u := w.at(s.Num)
	if d.links && u.state&acked == 0 {
		d.listener.Never(u.position())
		for _, f := range w.extra[s.Num] {
			if f != (Position{Frame: s.Frame, Part: s.Part}) {
				d.listener.Never(f)
			}
		}
		delete(w.extra, s.Num)
	}
	for i := range w.waiting {
		if w.waiting[i].at == (Position{Frame: s.Frame, Part: s.Part}) {
			w.waiting = append(w.waiting[:i], w.waiting[i+1:]...)
			break
		}
	}
	d.recent.keep(&Sending{Num: s.Num, Hash: uint64(u.digest), IPID: u.ipid, Time: u.time}) // a copy may still come
	w.units.unmark(s.Num)
	*u = unit{state: captured | firstSending | again, copies: 1, sends: 1, ipid: s.IPID, digest: s.Digest(), part: s.Part, time: s.Time, size: uint16(min(s.Size, 65535))}
	u.setFrame(s.Frame)
	if x := w.lastCopy.At(s.Num); x != nil {
		*x = 0
	}
	if s.HasTime {
		u.state |= timed
	}
	if s.NoAck {
		u.state |= noAck
	}
}
