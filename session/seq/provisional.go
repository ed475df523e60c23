package seq

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// Belief is how far the number of a sending is believed.
type Belief uint8

const (
	Believed    Belief = iota // it is near those of its side
	Provisional               // it is far from them: nothing follows from it yet
	Confirmed                 // it is far, but goes on from a provisional one: both are believed
)

// maxProvisional is how many provisional frames of a side are kept, and of how many bytes
// of payload at most; a longer one is believed at once.
const (
	maxProvisional        = 4
	maxProvisionalPayload = 2048
)

// A ProvisionalFrame is one whose number is far from all others of its side. Its sender
// may have come that far unseen; then a second frame or an acknowledgement confirms it.
// Or it is forged, damaged or misread, and its receiver ignores it.
type ProvisionalFrame struct {
	Sending
	Expected Num // number that the side was about to send when it came
	Acked    Num // what its peer had acknowledged by then, valid with HasAcked
	HasAcked bool
	By       uint64 // the frame that shows that its side had not come that far, or 0

	datagram dissect.Datagram
	behind   int // numbers in sequence that were sent since
	passed   int // new numbers beyond all others that were sent since
}

// goesOn reports whether a number confirms a provisional one: it goes on from that, while its
// side does not go on where it was.
func (p *ProvisionalFrame) goesOn(n Num, w *Window) bool {
	return p.behind == 0 && p.passed == 0 && w.isStep(n-p.Num)
}

// refutedBy is how many numbers in sequence, sent later than any reordering explains,
// show that a side had not come as far as a provisional frame says.
const refutedBy = 2

// confirmSpan is how far from a provisional number another may be that goes on from it, where
// Limits.Step is not more.
const confirmSpan = 16

// Place tells whether the number of a sending is believed. A provisional one is kept:
// its tracker draws no conclusions from it. With Confirmed, TakeConfirmed gives what is to
// be believed before the sending itself.
func (d *Direction) Place(s *Sending, fr *dissect.Datagram) Belief {
	d.ready()
	w := &d.win
	if !w.started || d.placing().isNear(s.Num) || len(fr.Payload) > maxProvisionalPayload {
		if len(d.provisional) > 0 {
			return d.placing().weigh(s)
		}
		return Believed
	}
	if w.holds(s.Num) && w.see(s.Num).state&captured != 0 {
		return Believed
	}
	count := 1
	for i := range d.provisional {
		if d.provisional[i].goesOn(s.Num, w) {
			d.confirmed = i + 1
			count++
		}
	}
	if count > 1 && count >= d.placing().enough(s) {
		return Confirmed
	}
	if !d.copying().matchRecent(s, true) { // a copy of one says no more than that
		d.placing().setAside(s, fr)
	}
	return Provisional
}

// How many frames confirm numbers far from all others, where damage leads far (Limits.Wide).
const (
	enoughFar  = 2
	enoughWide = 4  // where their side can hardly have come there
	hardly     = 16 // times as fast as it sent until then
)

// enough is how many frames it takes to believe numbers like that of a sending.
func (d placing) enough(s *Sending) int {
	w := &d.win
	if !w.limits.Wide {
		return enoughFar
	}
	since := w.see(w.highest).time
	ahead, took := float64(s.Num-w.highest), float64(s.Time-since)
	if sent := float64(w.highest - w.lowest + 1); ahead > 0 && ahead*float64(since-d.opened) <= hardly*sent*took {
		return enoughFar
	}
	return enoughWide
}

// isStep reports whether a number that is a step away from a provisional one confirms it.
func (w *Window) isStep(step Num) bool {
	return step != 0 && step >= -confirmSpan && step <= max(confirmSpan, w.limits.Step)
}

// IsNext reports the number right after the highest one that was captured, where no other is provisional:
// nothing of it was captured before, and it is believed.
func (d *Direction) IsNext(n Num) bool {
	return d.work != nil && n == d.win.highest+1 && d.win.started && len(d.provisional) == 0
}

// Unwrap gives the full number behind one of a cycle of so many, which n is as near as can
// be to the numbers that are believed: where it is far from these and goes on from a
// provisional number, it is of the same round as that.
func (d Provisionals) Unwrap(n, cycle Num) Num {
	if !d.Any() || d.placing().isNear(n) {
		return n
	}
	for i := len(d.provisional) - 1; i >= 0; i-- {
		p := &d.provisional[i]
		m := p.Num + (n-p.Num)%cycle
		if m <= p.Num-cycle/2 {
			m += cycle
		} else if m > p.Num+cycle/2 {
			m -= cycle
		}
		if d.win.isStep(m - p.Num) {
			return m
		}
	}
	return n
}

// isNear reports a number that its side may send next, or have sent before: within what
// it may have in flight.
func (d placing) isNear(n Num) bool {
	w := &d.win
	switch {
	case w.limits.Reach == 0 || n > w.highest-w.limits.Reach && n <= w.highest+confirmSpan:
		return true
	case n > w.highest:
		return n <= w.highest+w.limits.Reach && (!w.hasCum || n < w.cum+w.limits.Reach)
	}
	return w.limits.History > HistoryLimit && n > w.lowest-w.limits.Reach // a long memory has room for numbers below the first captured, which may be retries
}

// setAside keeps a provisional frame; the oldest goes when there are too many.
func (d placing) setAside(s *Sending, fr *dissect.Datagram) {
	w := &d.win
	if len(d.provisional) == maxProvisional {
		d.refuse(d.provisional[0])
		d.provisional = append(d.provisional[:0], d.provisional[1:]...)
	}
	p := ProvisionalFrame{Sending: *s, Expected: w.highest + 1, Acked: w.cum, HasAcked: w.hasCum, datagram: *fr}
	p.datagram.Payload = append([]byte(nil), fr.Payload...)
	d.provisional = append(d.provisional, p)
}

// refuse gives up a provisional frame: no acknowledgement is of it.
func (d placing) refuse(p ProvisionalFrame) {
	d.refuted = append(d.refuted, p)
	if d.links {
		d.listener.Never(Position{Frame: p.Frame, Part: p.Part})
	}
}

// weigh looks at the provisional frames when one comes that is believed. Those that it, or
// what was acknowledged meanwhile, came near are believed as well.
func (d placing) weigh(s *Sending) Belief {
	d.refute(s)
	for i := range d.provisional {
		if p := &d.provisional[i]; p.behind == 0 && d.isNear(p.Num) {
			d.confirmed = i + 1
			return Confirmed
		}
	}
	return Believed
}

// refute counts a believed number in sequence against the provisional frames. Where that is
// below the highest, the numbers came round unseen, and nothing shows who is right.
func (d placing) refute(s *Sending) {
	isNext := s.Num == d.win.highest+1
	inTurn := isNext || s.Num == d.placed+1 && s.Num < d.win.highest
	d.placed = s.Num
	if s.Num > d.win.highest {
		for i := range d.provisional {
			d.provisional[i].passed++
		}
	}
	if !inTurn || s.Mark == MarkRetry || s.Counted && s.Mark == Unmarked {
		return // it may be sent again
	}
	keep := d.provisional[:0]
	for _, p := range d.provisional {
		if s.Time-p.Time > d.Horizon() {
			p.behind++
			if isNext {
				p.By = s.Frame
			}
		}
		if p.behind >= refutedBy {
			d.refuse(p)
		} else {
			keep = append(keep, p)
		}
	}
	d.provisional = keep
}

// ConfirmAcked notes that the peer acknowledges the numbers from one on below next. It reports
// whether that confirms a provisional frame: TakeConfirmed gives what is to be believed then.
func (d Provisionals) ConfirmAcked(from, next Num) bool {
	d.confirmed = 0
	for i := range d.provisional {
		if p := &d.provisional[i]; p.Num >= from && p.Num < next {
			d.confirmed = i + 1
		}
	}
	return d.confirmed > 0
}

// TakeConfirmed gives the provisional frames that are confirmed, oldest first, to be
// handled like frames that have just come: the one that was, and those near it.
func (d Provisionals) TakeConfirmed() []*dissect.Datagram {
	var sure []*dissect.Datagram
	var left []ProvisionalFrame
	from := d.provisional[d.confirmed-1].Num
	for i := range d.provisional {
		p := &d.provisional[i]
		if p.Num > from-d.win.limits.Reach && p.Num < from+d.win.limits.Reach {
			sure = append(sure, &p.datagram)
		} else if p.behind == 0 && p.Num >= p.Expected && p.Num < from {
			d.placing().refuse(*p) // it lies on the way there: nothing shows who is right
		} else {
			left = append(left, *p)
		}
	}
	d.provisional, d.confirmed = left, 0
	return sure
}

// Void tells that a number, which only a frame to be ignored had, is acknowledged: it was
// captured, whoever sent it, so the capture missed nothing.
func (d *Direction) Void(n Num) {
	d.GiveUp(n)
	d.voided++
}

// Any reports whether frames wait to be believed.
func (d Provisionals) Any() bool { return d.work != nil && len(d.provisional) > 0 }

// End ends the wait at the end of a connection: what its side went on before is
// refuted, of the rest nothing is known.
func (d Provisionals) End() {
	if d.work != nil {
		for _, p := range d.provisional {
			d.placing().refuse(p)
		}
		d.provisional = nil
	}
}

// Has reports whether a frame waits to be believed. It is acknowledged then like any other.
func (d Provisionals) Has(fr *dissect.Datagram) bool {
	return d.work != nil && slices.ContainsFunc(d.provisional, func(p ProvisionalFrame) bool { return p.Frame == fr.Frame && p.Part == fr.Part })
}

// HasRefuted reports whether Refuted gives any.
func (d Provisionals) HasRefuted() bool { return d.work != nil && len(d.refuted) > 0 }

// Refuted gives, once, the provisional frames that turned out to be out of place.
func (d Provisionals) Refuted() []ProvisionalFrame {
	if !d.HasRefuted() {
		return nil
	}
	all := d.refuted
	d.refuted = nil
	return all
}
