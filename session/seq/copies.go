package seq

import "github.com/dpdissect/dpdissect/dissect"

// matchRecent reports whether a datagram is a copy of one remembered, and notes when that copy came: byte-identical with an
// equal, non-zero IPv4 identification, or under the same number with what else tells
// copies: its side has surpassed what it says, or, with byTime, it comes without
// identification within CopyHorizon.
func (d copying) matchRecent(s *Sending, byTime bool) bool {
	if s.asked {
		return s.copied
	}
	if len(d.cycles) > 0 && d.cycles.isCopy(s) {
		return true
	}
	r, hash := &d.recent, s.Digest()
	for i := r.latest(s); i > 0; i = r.before(i) {
		f := r.at(i - 1)
		if f.hash == hash && (s.IPID != 0 && s.IPID == f.ipid ||
			f.num == uint32(s.Num) && (s.Exact || s.Outdated || byTime && d.sameBytes(s, f))) {
			f.note(s)
			return true
		}
	}
	return false
}

// sameBytes decides about equal bytes under one number.
func (d copying) sameBytes(s *Sending, f *recentDatagram) bool {
	if s.Counted || s.Mark == MarkFirst {
		return d.isRelayed(s, f.ipid, f.age(s))
	}
	return d.sameDatagram(s, f.ipid, f.age(s))
}

// Unnumbered judges a frame that has no number of its own (acknowledgements,
// unreliable data). With byTime, frames without identification are copies within
// CopyHorizon too.
func (d *Direction) Unnumbered(s *Sending, byTime bool) dissect.Words {
	d.ready()
	if d.copying().matchRecent(s, byTime) {
		d.copying().countCopy(s)
		return dissect.Duplicate
	}
	d.recent.keep(s)
	return 0
}

// Keep remembers the first sending of a number, for protocols whose numbers come round
// soon: a copy of it may come so late that its number means another one by then.
func (d *Direction) Keep(s *Sending) { d.cycles.keep(s) }

// Stale reports a copy of a datagram sent so long ago that its number means another one
// by now. Without IPv4 identification it can't be told from one that repeats its bytes.
func (d *Direction) Stale(s *Sending) bool {
	d.ready()
	if s.IPID == 0 || !d.cycles.mayHaveBefore(s) {
		return false
	}
	if copied, retried := d.cycles.hasBefore(s); !copied && !(retried && d.recent.hasUnder(s)) {
		return false
	}
	d.copying().countCopy(s)
	return true
}

// Repeats reports a datagram with the bytes of one that had another number: it may be a
// copy of that, which came so late that its number means another one by now.
func (d Quality) Repeats(s *Sending) bool {
	d.ready()
	if d.cycles.repeats(s) {
		return true
	}
	r := &d.recent
	for i := r.latest(s); i > 0; i = r.before(i) {
		if f := r.at(i - 1); f.is(s) && f.num != uint32(s.Num) {
			return true
		}
	}
	return false
}

func (d copying) countCopy(s *Sending) {
	d.Duplicates++
	d.signs.Copies.See(s.Frame, s.Time)
	d.trouble(Copied, s.Time, s.Time, 0, SignAt(s.Frame, s.Time))
}

// Copied reports whether a sending is a copy, made by the network or the capture, of
// one captured before (guard DUP): what Send will say, for who judges before.
func (d *Direction) Copied(s *Sending) bool {
	d.ready()
	w := &d.win
	if !w.holds(s.Num) || w.see(s.Num).state&captured == 0 {
		return false
	}
	return d.copying().copied(s, w.at(s.Num))
}

// Original says that a sending is no copy: its tracker asked when it came, and kept it aside until now.
func (s *Sending) Original() { s.asked, s.copied = true, false }

// copied says once whether a sending is a copy of a number captured before: the answer moves the time
// of the latest copy, so that a second question would get another one. What the protocol says of the
// sending (Mark, Counted, Exact) is set before.
func (d copying) copied(s *Sending, u *unit) bool {
	if !s.asked {
		s.asked, s.copied = true, d.isCopy(s, u)
	}
	return s.copied
}

func (d copying) isCopy(s *Sending, u *unit) bool {
	switch {
	case u.state&(retried|again) != 0 && d.matchRecent(s, true):
		if s.Digest() == u.digest {
			d.win.noteCopy(s, u)
		}
		return true
	case u.state&firstSending == 0 || s.Mark == MarkRetry || s.Digest() != u.digest:
		return false
	case s.Exact:
		return true
	case s.Mark != MarkFirst && !s.Counted:
		return d.sameDatagram(s, u.ipid, s.Time-u.time)
	}
	copied := d.isRelayed(s, u.ipid, s.Time-d.win.latest(s.Num, u))
	if copied {
		d.win.noteCopy(s, u)
		if s.IPID != u.ipid {
			d.recent.keep(s) // a relay's: it may be copied in turn
		}
	}
	return copied
}

// isRelayed decides about equal bytes where a second sending would differ, unless its
// side forgot to mark it. Relays copy under an identification of their own; a copy may
// be copied again. The one before came so many ns before.
func (d copying) isRelayed(s *Sending, ipid uint16, age int64) bool {
	known := s.IPID != 0 && ipid != 0
	if known && s.IPID == ipid || s.Outdated || !s.HasTime {
		return true
	}
	horizon := int64(CopyHorizon)
	if !known {
		horizon = 3 * d.Horizon()
	}
	return age <= horizon
}

// sameDatagram is the rule for byte-identical datagrams of one side: equal
// non-zero IPv4 identifications are copies, different non-zero ones never; with
// identification 0 and on IPv6, within CopyHorizon, unless the side was seen to send
// again as soon.
func (d copying) sameDatagram(s *Sending, ipid uint16, age int64) bool {
	if s.IPID != 0 && ipid != 0 {
		return s.IPID == ipid
	}
	return age <= CopyHorizon && (d.interval == 0 || age < d.interval)
}
