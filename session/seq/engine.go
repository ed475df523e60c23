package seq

import (
	"github.com/dpdissect/dpdissect/dissect"
)

// Mark is what the protocol itself says about a sending.
type Mark uint8

const (
	Unmarked  Mark = iota // the protocol has no retry mark
	MarkFirst             // marked as a first sending
	MarkRetry             // marked as a retry
)

// A Sending is one captured transmission of a numbered unit.
type Sending struct {
	Num      Num
	Mark     Mark
	Exact    bool   // a number is sent once: equal bytes are a copy, and what has no mark is a first transmission
	Counted  bool   // its bytes tell the transmissions of a number apart: equal ones are a copy unless its side did not count
	Outdated bool   // what it acknowledges, or its tick, its side has surpassed since: it was sent before
	NoAck    bool   // no acknowledgement of it is due: a cumulative one of a later number may acknowledge it
	Hash     uint64 // of the whole payload
	Size     int    // bytes of the payload, by the UDP header
	IPID     uint16 // IPv4 identification, 0 when there is none
	Frame    uint64
	Part     uint8 // of Frame
	Time     int64 // ns
	HasTime  bool

	asked, copied bool // what Copied answered
}

// Of describes the datagram that sends a number.
func (s *Sending) Of(d *dissect.Datagram, num Num, mark Mark) *Sending {
	// Field by field: a copied literal would wait for its own narrow stores.
	s.Num, s.Mark, s.Exact, s.Counted, s.Outdated, s.NoAck, s.Hash, s.IPID = num, mark, false, false, false, false, d.Sum, d.IPID
	s.asked = false
	if s.Hash == 0 {
		s.Hash = dissect.Digest(d.Payload)
	}
	s.Frame, s.Part, s.Time, s.HasTime, s.Size = d.Frame, d.Part, d.Time, d.HasTime, d.Length
	return s
}

// Digest is what is remembered of Hash: others have the same by chance once in 2^32. The halves of Hash are no hashes
// by themselves, for it may come from the sum of the checksum: two counters that go on alike change both alike.
func (s *Sending) Digest() uint32 { return uint32(s.Hash * 0x9E3779B97F4A7C15 >> 32) }

// A Verdict is what the engine makes of a Sending. It has four fields so that
// it travels in registers.
type Verdict struct {
	Words   dissect.Words
	RetryOf uint64 // first captured copy, 0 when the sending is no retry or copy of one
	Novelty Novelty
	// Transmissions are those captured so far of its number, this one included and copies
	// left out.
	Transmissions int
}

// Novelty says what a sending adds to what was captured before.
type Novelty uint8

const (
	Forgotten Novelty = iota // its number is no longer remembered
	First                    // the first captured copy of its number
	LateFirst                // the first sending, captured after a retry of it
	Again                    // a further copy
)

// Send judges a captured sending of this side.
func (d *Direction) Send(s *Sending) Verdict {
	d.ready()
	w := &d.win
	if s.HasTime {
		w.now = max(w.now, s.Time)
	}
	w.sent, w.sentIn = s.Num, s.Frame
	switch u := w.take(s.Num, d); {
	case u == nil:
		return d.sending().sendForgotten(s)
	case u.state&captured == 0:
		d.disregarded.forget(s.Num)
		return d.sending().sendNew(s, u)
	default:
		return d.sending().sendAgain(s, u)
	}
}

// sendNew judges the first captured copy of a number.
func (d sending) sendNew(s *Sending, u *unit) Verdict {
	v := Verdict{Novelty: First, Transmissions: 1}
	if u.state != 0 {
		d.heardBefore(s, u)
	}
	w := &d.win
	if s.Num == w.highest+1 && w.started && d.long.left == 0 && s.Num >= d.ahead.before {
		w.highest = s.Num // the next one, most of the time, of which there is nothing to note
	} else {
		d.noteOrder(s, &v)
	}
	if !w.hasOrigin && s.HasTime && s.Num == w.highest && d.isSentSinceStart(s) {
		w.origin, w.hasOrigin = s.Num, true
	}
	d.distinct++
	d.fill(s, u)
	if s.Mark == MarkRetry {
		d.noteRetry(s, u, &v)
		d.noteGap(s.Time, true)
		d.signs.AsRetry.See(s.Frame, s.Time)
	} else {
		u.state |= firstSending
		u.digest = s.Digest()
	}
	u.ipid = s.IPID
	return v
}

// noteOrder places a number that is captured for the first time among those of its side: the
// first, one that goes on or leaves a gap, or one that fills a gap.
func (d sending) noteOrder(s *Sending, v *Verdict) {
	switch w := &d.win; {
	case !w.started:
		w.started, w.lowest, w.highest = true, s.Num, s.Num
	case s.Num > w.highest:
		if s.Num < d.ahead.before && s.Mark != MarkRetry {
			d.ahead.far++
		}
		if skipped := s.Num - w.highest - 1; skipped > 0 && uint64(skipped) > d.disregarded.count(w.highest, s.Num) {
			d.Gaps++
			v.Words |= dissect.Gap
			d.noteGap(s.Time, false)
			d.signs.hole(skipped, s.Frame, s.Time)
			d.trouble(Missed, s.Time, s.Time, 0, Sign{uint64(skipped), s.Frame, s.Time})
		}
		if d.long.left > 0 {
			d.offloaded = d.long.explains(s, w.highest) || d.offloaded
		}
		w.highest = s.Num
	default:
		w.lowest = min(w.lowest, s.Num)
		v.Words |= dissect.GapFilled
		if s.Mark != MarkRetry {
			late := d.noteLate(s)
			d.OutOfOrder++
			v.Words |= dissect.OutOfOrder
			if s.Mark == MarkFirst || s.Exact || d.overtaken(s) {
				d.signs.Late.See(s.Frame, s.Time)
				d.trouble(Overtaken, s.Time, s.Time, late, SignAt(s.Frame, s.Time))
				d.signs.LateBy = max(d.signs.LateBy, late)
				d.arrived(s)
			} else if late <= CopyHorizon {
				d.signs.Soon++
				d.arrived(s)
			}
		}
	}
}

// fill writes down a number that is captured for the first time.
func (d sending) fill(s *Sending, u *unit) {
	u.setFrame(s.Frame)
	u.part, u.time, u.copies, u.sends, u.size = s.Part, s.Time, 1, 1, uint16(min(s.Size, 65535))
	u.state |= captured
	d.win.oldest = min(d.win.oldest, s.Num)
	if s.HasTime {
		u.state |= timed
	}
	if s.NoAck {
		u.state |= noAck
	}
	if w := &d.win; w.hasCum && s.Num < w.cum {
		u.state |= acked // while it was not remembered
	}
	if u.state&acked != 0 {
		d.waitForAck(s)
	} else if !s.NoAck {
		d.unheard.see(s, 1, d.peer)
	}
}

// heardBefore looks at what was said of a number before it was captured.
func (d sending) heardBefore(s *Sending, u *unit) {
	w := &d.win
	w.units.unmark(s.Num)
	d.ahead.see(s, u)
	if u.state&hearsay != 0 {
		u.state &^= acked | hearsay // it was acknowledged by history before it was sent
	}
	if w.started && s.Num > w.highest && d.acking().contradicts(s, u) {
		d.distrusted = true
		d.contradictions = min(d.contradictions+1, MaxContradictions)
		u.state &^= acked | byMask
		w.mask = 0 // it may be acknowledged yet
	}
}

// isSentSinceStart reports a sending that is not one of a number sent before the capture
// began. Where retries have no mark, any may be one for as long as numbers are
// remembered.
func (d sending) isSentSinceStart(s *Sending) bool {
	switch age := s.Time - d.opened; {
	case s.Mark == MarkRetry:
		return false
	case s.Mark == Unmarked && !s.Exact:
		return age >= max(StartHorizon, d.win.limits.Keep)
	default:
		return age >= StartHorizon
	}
}

// lateLook is how many numbers above a late one are looked at: those next to it were
// sent first.
const lateLook = HistoryLimit

// noteLate keeps the longest time by which a frame was overtaken, and gives that of
// this one.
func (d sending) noteLate(s *Sending) (late int64) {
	w := &d.win
	end := w.highest + 1
	n := w.next(max(s.Num+1, w.base), end)
	for looked := 0; n < end && looked < lateLook; looked++ {
		if u := w.see(n); u.state&(timed|firstSending) == timed|firstSending {
			late = max(late, s.Time-u.time)
		}
		n = w.next(n+1, end)
	}
	d.late = max(d.late, late)
	return late
}

// sendAgain judges a further capture of a number.
func (d sending) sendAgain(s *Sending, u *unit) Verdict {
	v := Verdict{RetryOf: u.frame(), Novelty: Again}
	if u.copies < 255 {
		u.copies++
	}
	d.remember(s, u)
	copied := d.copying().copied(s, u)
	if !copied && u.sends < 255 {
		u.sends++
	}
	if v.Transmissions = int(u.sends); !copied || s.IPID == 0 || s.IPID != u.ipid {
		u.state |= again
	}
	switch {
	case copied:
		v.Words |= dissect.Duplicate
		d.copying().countCopy(s)
	case s.Mark == MarkFirst && u.state&firstSending == 0:
		// The first sending, overtaken by its own retry: no copy, no retry.
		u.state |= firstSending
		u.digest, u.ipid = s.Digest(), s.IPID
		d.win.noteCopy(s, u)
		v.RetryOf, v.Novelty = 0, LateFirst
	case s.Mark == MarkFirst, s.Counted && (d.cycles.knows(s) || d.recent.knows(s)):
		// Sent again without its mark: a fault that rules judge, not counted here. It may be copied in turn.
		d.recent.keep(s)
	default:
		d.noteRetry(s, u, &v)
	}
	return v
}

func (d sending) noteRetry(s *Sending, u *unit, v *Verdict) {
	d.Retries++
	v.Words |= dissect.Retry
	d.noteInterval(s, u)
	if u.state&firstSending != 0 && s.Mark == Unmarked && !s.Counted && s.Digest() != u.digest {
		d.signs.Changed.See(s.Frame, s.Time)
	}
	if u.state&acked != 0 {
		d.UnneededRetries++
		v.Words |= dissect.UnneededRetry
		d.signs.MostUnneeded = max(d.signs.MostUnneeded, u.sends)
		d.needless(s.Frame, s.Time)
		if d.deaf == nil {
			d.deaf = new(Deaf)
		}
		d.deaf.see(s, u.sends, d.peer)
	} else {
		d.signs.stubborn(s, u)
		if u.sends > 1 {
			d.resentUnanswered = true
			d.unheard.see(s, u.sends, d.peer)
		}
		if u.state&missedAfter != 0 && s.HasTime {
			d.losses.suspect(s.Num, u.missingFor(), s.Time)
		}
	}
	u.state |= retried
	if d.account != nil {
		d.account.resends.add(s, d.signs.LatestAcked > u.time)
	}
	d.recent.keep(s)
	if len(d.cycles) > 0 {
		d.cycles.keepRetry(s)
	}
}

// noteInterval keeps the shortest time that this side took, proven by identifications
// or by more than a copy may be late, from the first sending of a number to the
// second.
func (d sending) noteInterval(s *Sending, u *unit) {
	const first = captured | firstSending | timed
	if u.state&(first|retried) != first || !s.HasTime || s.Mark != Unmarked {
		return
	}
	if gap := s.Time - u.time; d.interval == 0 || gap < d.interval {
		d.interval = max(gap, 1)
	}
}

// sendForgotten judges a sending of a number that is no longer remembered. Its
// own mark counts; without marks it was sent before, for new numbers lie ahead.
func (d sending) sendForgotten(s *Sending) Verdict {
	unneeded := s.Mark == MarkRetry
	switch {
	case s.Mark == MarkFirst && d.copying().matchRecent(s, false):
		d.copying().countCopy(s)
		return Verdict{Words: dissect.Duplicate}
	case s.Mark == MarkFirst || s.Exact:
		return Verdict{}
	case s.Mark == Unmarked && !d.win.past.knows(s.Num):
		return Verdict{}
	case s.Mark == Unmarked:
		unneeded = d.win.past.acked(s.Num)
	}
	d.Retries++
	v := Verdict{Words: dissect.Retry}
	if unneeded {
		d.UnneededRetries++
		d.needless(s.Frame, s.Time)
		v.Words |= dissect.UnneededRetry
	} else {
		d.signs.stillStubborn(s)
	}
	return v
}

// remember keeps further copies until a frame acknowledges them.
func (d sending) remember(s *Sending, u *unit) {
	if u.state&acked != 0 {
		d.waitForAck(s)
		return
	}
	if !d.links {
		return
	}
	if d.win.extra == nil {
		d.win.extra = make(map[Num][]Position)
	}
	if l := d.win.extra[s.Num]; len(l) < maxWaiting {
		d.win.extra[s.Num] = append(l, Position{Frame: s.Frame, Part: s.Part})
	}
}

func (d sending) waitForAck(s *Sending) {
	if len(d.win.waiting) < maxWaiting {
		d.win.waiting = append(d.win.waiting, waitingCopy{s.Num, Position{Frame: s.Frame, Part: s.Part}})
	}
}
