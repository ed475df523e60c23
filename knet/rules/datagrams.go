package rules

import (
	"slices"

	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// datagrams are what the rules know of the datagrams of one side. The engine counts what was
// captured; this tells what of it can be believed: a datagram with a fault is kept apart, and
// so is what it would have changed. PacketIDs are consecutive, so that it shows when one is
// missing: while none is, nothing that the side said was missed.
type datagrams struct {
	out       *seq.Direction
	notes     seq.Column[note]
	again     seq.Few[int64] // when those sent again were sent last, ns
	low       seq.Num        // lowest and highest PacketID without a fault
	top       seq.Num
	has       bool
	topAt     int64             // when top was captured
	missing   seq.Num           // between low and top
	gapAt     int64             // when something went missing last
	startAt   int64             // when low was captured first
	late      int64             // longest time a datagram was overtaken by
	faulty    [maxFaulty]uint32 // PacketIDs of datagrams with a fault, plus 1
	faults    int
	restarted bool // the side began again, and its start was not captured
}

// A sentDatagram is what is remembered of one datagram: what the engine does, and a note
// beside it. It is valid until the next frame.
type sentDatagram struct {
	*note // nil for nothing
	seq.Known
}

// A note is what the rules know of a datagram beside what the engine does.
type note struct {
	carrier  uint32 // low bits of the number of the peer's datagram that acknowledged it first, valid with acks
	messages uint8  // up to 255
	acks     uint8  // PacketAcks that named it
	suspect  bool   // it has a fault
	tainted  bool   // … that may be a habit
}

// isReliable reports whether a datagram is to be acknowledged.
func (x sentDatagram) isReliable() bool { return !x.NoAck() }

// ackedAt is when a datagram was acknowledged first, ns, valid with acks.
func (x sentDatagram) ackedAt() int64 {
	if at := x.AckedAt(); at != 0 {
		return at
	}
	return x.Time()
}

// isKnown reports whether anything is remembered.
func (x sentDatagram) isKnown() bool { return x.note != nil }

// mostLooked is how many datagrams of a side are looked at together.
const mostLooked = 1024

// at gives what is remembered of a datagram.
func (r *datagrams) at(num seq.Num) (x sentDatagram) {
	x.note, x.Known = r.notes.At(r.out, num)
	return x
}

// latest are the latest datagrams of which anything is remembered, in the order of their PacketIDs.
func (r *datagrams) latest(yield func(seq.Num, sentDatagram) bool) {
	for num := max(r.low, r.top-mostLooked); num <= r.top; num++ {
		if x := r.at(num); x.isKnown() && !yield(num, x) {
			return
		}
	}
}

// forgot reports a PacketID that is remembered no longer: it may have been captured.
func (r *datagrams) forgot(num seq.Num) bool {
	_, ok := r.out.Captured(num)
	return !ok && num < r.top
}

// enter counts a datagram, and reports whether it is to be noted: those with a fault only
// where they stand in the row.
func (r *datagrams) enter(s *seq.Sending, cut, suspect bool) bool {
	if suspect && (!r.has || s.Num != r.top+1) {
		return false
	}
	if !r.at(s.Num).isKnown() {
		r.count(s, cut)
	}
	return true
}

// note notes a datagram that the engine has taken, for the first time or instead of one with a fault.
func (r *datagrams) note(s *seq.Sending, n note) {
	if x, _, fresh := r.notes.Add(r.out, s.Num); x != nil && (fresh || x.suspect) {
		*x = n
	}
}

// sendAgain notes that a datagram is sent again, and gives when it was sent before, ns.
func (r *datagrams) sendAgain(x sentDatagram, num seq.Num, at int64) (before int64) {
	last := r.again.At(num)
	if last == nil {
		last = r.again.Put(num, func(n seq.Num) bool { return r.at(n).isKnown() })
		*last = x.Time()
	}
	before, *last = *last, at
	return before
}

// clear forgets all datagrams, and frees what they take.
func (r *datagrams) clear() {
	r.out.UndescribeAll()
	r.notes.Free()
	r.again = seq.Few[int64]{}
}

// count counts a PacketID that is new.
func (r *datagrams) count(s *seq.Sending, cut bool) {
	switch n := s.Num; {
	case !r.has:
		r.has, r.low, r.top, r.topAt, r.startAt = true, n, n, s.Time, s.Time
	case n > r.top:
		if n > r.top+1 {
			r.missing += n - r.top - 1
			r.gapAt = s.Time
		}
		r.top, r.topAt = n, s.Time
	case s.Time-r.topAt >= track.ReconnectGap:
		r.missing++ // it may be of another connection, and fills no gap of this one
		r.gapAt = s.Time
	case n < r.low:
		r.missing += r.low - n - 1
		r.low = n
	case !r.forgot(n):
		r.missing = max(r.missing-1, 0)
		r.overtaken(s)
	}
	if cut {
		r.missing++ // what it says is not known
		r.gapAt = s.Time
	}
}

// overtaken keeps by how much a datagram was.
func (r *datagrams) overtaken(s *seq.Sending) {
	for n := s.Num + 1; n <= min(r.top, s.Num+64); n++ {
		if x := r.at(n); x.isKnown() {
			if by := s.Time - x.Time(); by < maxLate {
				r.late = max(r.late, by)
			}
			return
		}
	}
}

// maxLate is the longest a datagram may be overtaken by and be late; what comes
// later was sent again, or is a fault.
const maxLate = 1e9

// A stand is how far a side had come.
type stand struct {
	has   bool
	top   seq.Num
	topAt int64
}

func (r *datagrams) stand() stand { return stand{r.has, r.top, r.topAt} }

// whole reports whether everything the side sent since a time was captured, as far
// as its PacketIDs tell.
func (r *datagrams) whole(since int64) bool { return r.has && (r.missing == 0 || r.gapAt < since) }

// maxFaulty is how many datagrams with a fault are remembered: their receiver may
// acknowledge them all the same.
const maxFaulty = 16

// markFaulty notes a datagram with a fault.
func (r *datagrams) markFaulty(id uint32) {
	r.faulty[r.faults%maxFaulty] = id + 1
	r.faults++
}

// isFaulty reports a datagram with a fault.
func (r *datagrams) isFaulty(id uint32) bool {
	return r.faults > 0 && slices.Contains(r.faulty[:], id+1)
}
