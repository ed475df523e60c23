package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// listen notes that the side was captured, sending a number or about to send it.
func (c *conn) listen(dir dissect.Dir, num seq.Num) {
	if c.Frame.HasTime {
		c.hear(&c.side[dir].History, c.missedMany(dir, num))
	}
}

// hear is listen where it is known whether the numbers of the side may be wrong. They may be when it was not heard
// for long, too.
func (c *conn) hear(m *History, wrong bool) {
	t := c.Frame.Time
	if pause := t - m.heard; wrong || pause > c.roundTrips() && pause > c.patience(m) {
		m.SureSince = max(m.heard, t) // what is believed late may have come before the latest
	}
	m.heard = max(m.heard, t)
}

// manyMissed is how many numbers in a row the capture must have missed to doubt all.
const manyMissed = 8

// missedMany reports that the numbers of a side may be wrong: there are none before
// the first nor a window behind the latest, and its own or its peer's speak of many
// that were not captured, or frames far from the latest may have been its own.
func (c *conn) missedMany(dir dissect.Dir, num seq.Num) bool {
	cum, ok := c.c.Dir[dir].Window().Cumulative()
	m := &c.side[dir].History
	if claims := &c.side[dir.Other()].Numbers.claims; m.Started && claims.Len() > 0 && claims.Latest().Top() > m.Top+manyMissed {
		return true
	}
	return num < 0 || m.Started && (num > m.Top+manyMissed || num <= m.Top-dp8.WindowSize || ok && cum > m.Top+manyMissed) ||
		num != m.Top+1 && c.mayHaveComeFar(dir)
}

// remember enters the data frame at hand, which is no copy of another, and gives what is remembered of
// its number then. It is called behind the rules that compare it with what was sent before.
func (c *conn) remember(dir dissect.Dir, num seq.Num, d *dp8.DFrame, keepAlive bool) Record {
	c.listen(dir, num)
	return c.enter(&c.side[dir].History, num, d, keepAlive)
}

// enter is remember once the side is known to have been heard.
func (c *conn) enter(m *History, num seq.Num, d *dp8.DFrame, keepAlive bool) Record {
	f, fresh, ok := m.place(num)
	if !ok {
		return Record{}
	}
	retry := d.Control&dp8.CtlRetry != 0
	switch again := !fresh && f.Last() >= m.SureSince; {
	case !again:
		m.keep(c.Event, f, d, keepAlive)
		if !retry && f.known.IsSentIn(c.Frame.Frame) {
			f.sent = nil
			f.has &^= several
		} else {
			m.keepFirst(c.Event, &f, d, 0, !retry)
		}
	case !retry && !f.First():
		n := f.sent.n
		m.keep(c.Event, f, d, keepAlive)
		m.keepFirst(c.Event, &f, d, n, true)
	default:
		m.keepFurther(c.Event, &f, d)
	}
	if !m.Started {
		m.Bottom, m.began = num, c.Frame.Time
	}
	if !m.Started || num > m.Top {
		m.Top, m.Started = num, true
		m.clock(num, f)
	}
	return f
}

// keep writes down what the frame at hand holds.
func (m *History) keep(e *Event, f Record, d *dp8.DFrame, isKeepAlive bool) {
	// Field by field: a literal would be made elsewhere and copied.
	f.Command, f.Control, f.NRcv = d.Command, d.Control, d.NRcv
	f.has &^= keepAlive | cut | signed | carries
	if isKeepAlive {
		f.has |= keepAlive
	}
	f.Parts, f.Reliables, f.reliable = 0, 0, 0
	f.Size, f.hash = e.contentOf(d)
	if e.Frame.Cut() {
		f.has |= cut
	} else if d.Coalesced {
		f.Parts, f.Reliables, f.reliable = partsOf(&d.Coalesce)
	}
	if f.known.IsValid() && d.Signature != [8]byte{} {
		f.has |= signed
		*m.signatures.Place(m.out, f.num) = d.Signature
	}
}

// keepFirst notes that the frame at hand is what was sent first, as far as it was captured, where the engine does
// not know that; so many were captured before.
func (m *History) keepFirst(e *Event, f *Record, d *dp8.DFrame, before uint8, first bool) {
	x := m.tellApart(f)
	x.frame, x.time, x.timed, x.digest = e.Frame.Frame, e.Frame.Time, e.Frame.HasTime, e.Sent.Digest()
	x.n, x.hasFirst = before, first
	x.count(e, d)
}

// keepFurther notes that a number was sent again.
func (m *History) keepFurther(e *Event, f *Record, d *dp8.DFrame) {
	if f.sent == nil {
		x := m.tellApart(f)
		x.frame, x.time, x.timed, x.digest = f.known.Frame(), f.known.Time(), f.known.Timed(), f.known.Digest()
		x.n, x.hasFirst = 1, true
	}
	f.sent.count(e, d)
}

func (x *transmissions) count(e *Event, d *dp8.DFrame) {
	x.n = min(x.n, 254) + 1
	x.last, x.latest, x.signed = e.Frame.Time, e.Sent.Digest(), d.Signature
}

// contentOf gives size and hash of what stands behind header and signature: two of one number hash alike
// by chance once in 2^32.
func (e *Event) contentOf(d *dp8.DFrame) (size uint16, hash uint32) {
	body := e.Frame.Payload[min(d.BodyOff(), len(e.Frame.Payload)):]
	return uint16(min(len(body), 65535)), uint32(dissect.Digest(body))
}

// partsOf gives the number of coalesced parts, of reliable ones, and the hash of
// those: what a retry must still hold (MC-DPL8R 3.1.6.5).
func partsOf(q *dp8.Coalesce) (parts, reliables uint8, sum uint32) {
	for i := range q.Parts[:q.N] {
		if p := &q.Parts[i]; p.Reliable() {
			reliables++
			sum = sum*0x9E3779B1 + uint32(dissect.Digest(p.Data)) + uint32(p.Command&^(dp8.PartEnd|dp8.PartBig))
		}
	}
	return uint8(q.N), reliables, sum
}

// unchanged reports whether a frame holds what was sent under its number before:
// the same bytes, or the same reliable parts.
func (e *Event) unchanged(d *dp8.DFrame, f Record) bool {
	if f.Parts > 0 && d.Coalesced {
		_, _, sum := partsOf(&d.Coalesce)
		return sum == f.reliable
	}
	if f.Parts > 0 && f.Reliables == 1 { // what is left may stand alone
		return f.reliable == uint32(dissect.Digest(d.Payload))+uint32(d.Command&(dp8.Reliable|dp8.Sequential|dp8.User1|dp8.User2))
	}
	size, hash := e.contentOf(d)
	return f.Parts == 0 == !d.Coalesced && f.Size == size && f.hash == hash
}

// sameContent reports whether a frame carries what another sending of its number
// did; a retry may lack the unreliable ones of coalesced payloads.
func (e *Event) sameContent(d *dp8.DFrame, prev Record) bool {
	const lasting = dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg | dp8.User1 | dp8.User2
	if (d.Command^prev.Command)&lasting != 0 {
		return false
	}
	if d.Coalesced && prev.Parts > 0 {
		_, n, sum := partsOf(&d.Coalesce)
		if n > 0 && n == prev.Reliables && sum == prev.reliable {
			return true
		}
	}
	size, hash := e.contentOf(d)
	return size == prev.Size && hash == prev.hash && d.Control&dp8.CtlEndStream == prev.Control&dp8.CtlEndStream
}

// silentLimit is for how long a side may not have been captured before its numbers
// are in doubt, where nothing is known of its speed, in ns.
const silentLimit = 1e9

// longSilence is after how long another connection may have begun between the same
// addresses, in ns.
const longSilence = 10e9

// cycle is after how many numbers bSeq comes round.
const cycle = 256

// enoughNumbers is from how many numbers on the speed of a side is known.
const enoughNumbers = 8

// patience is for how long the side may not have been captured before its numbers
// are in doubt. To be mistaken, they must have gone on by more than three windows:
// that takes two round trips, and at the highest speed seen twice as long as this. In its first
// cycle a side may not have shown how fast it sends: it has four times that speed.
func (c *conn) patience(m *History) int64 {
	limit := c.roundTrips()
	switch n := m.Top - m.Bottom + 1; {
	case m.hasSpeed && n < cycle:
		limit = max(limit, m.fastest*3/4)
	case m.hasSpeed:
		limit = max(limit, m.fastest*3/2)
	case n >= enoughNumbers:
		limit = max(limit, (m.heard-m.began)/int64(n)*dp8.WindowSize)
	default:
		limit = silentLimit
	}
	return min(limit, longSilence)
}

// roundTrips is the sum of the shortest round trips of both sides, in ns, and no more than longSilence.
func (c *conn) roundTrips() int64 {
	return min(c.c.Dir[0].MinRTT()+c.c.Dir[1].MinRTT(), longSilence)
}

// unwrapped reports whether the full number behind that of the frame at hand is
// beyond doubt, compared with those of the frames since (guard UNWRAP): the side
// was captured again and again, so that it can't have sent as many numbers unseen
// as it takes to be mistaken. It is to be asked before the frame is remembered;
// since is a time of a frame of the side, ns.
func (c *conn) unwrapped(dir dissect.Dir, since int64) bool {
	return c.unwrappedWithin(dir, since, c.patience(&c.side[dir].History))
}

// unwrappedWithin is unwrapped with a patience of its own, in ns.
func (c *conn) unwrappedWithin(dir dissect.Dir, since, patience int64) bool {
	m := &c.side[dir].History
	return m.Started && c.Frame.HasTime && c.pair.newest() == c && since >= m.SureSince && c.Frame.Time-m.heard <= patience && !c.missedMany(dir, m.Top)
}

// epochPatience is for how long the side may not have been captured before a near
// number may be that of the next epoch: the time all numbers between take at the
// highest speed seen, with a tenth to spare.
func (c *conn) epochPatience(m *History, num seq.Num) int64 {
	limit := c.patience(m)
	if unseen := int64(num + cycle - m.Top); m.hasSpeed && unseen > 0 && m.Top-m.Bottom >= cycle {
		limit = max(limit, min(m.fastest/dp8.WindowSize*unseen/10*9, longSilence))
	}
	return limit
}
