package rules

import (
	"slices"

	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// datagrams are what the rules remember of the datagrams of one side. The engine
// counts what was captured; this tells what of it can be believed: a datagram with
// a fault is kept apart, and so is what it would have changed. PacketIDs are
// consecutive, so that it shows when one is missing: while none is, nothing that
// the side said was missed.
type datagrams struct {
	seq.History[sentDatagram]
	low       seq.Num // lowest and highest PacketID without a fault
	top       seq.Num
	has       bool
	topAt     int64             // when top was captured
	missing   seq.Num           // between low and top
	gapAt     int64             // when something went missing last
	startAt   int64             // when low was captured first
	late      int64             // longest time a datagram was overtaken by
	faulty    [maxFaulty]uint32 // PacketIDs of datagrams with a fault, plus 1
	faults    int
	lowMemory bool // little is to be kept
	restarted bool // the side began again, and its start was not captured
}

// A sentDatagram is one datagram.
type sentDatagram struct {
	frame    uint64
	time     int64
	hash     uint64
	last     int64  // latest transmission
	ackAt    int64  // when it was acknowledged first
	carrier  uint32 // low bits of the number of the peer's datagram that acknowledged it first, valid with carried
	ipid     uint16
	size     uint16 // of the payload, by the UDP header
	messages uint8  // up to 255
	acks     uint8  // PacketAcks that named it
	sends    uint8  // captured transmissions
	reliable bool
	cut      bool
	suspect  bool // it has a fault
	tainted  bool // … that may be a habit
	carried  bool // carrier is known
}

// mostDatagrams is how many datagrams of a side are remembered at most.
const mostDatagrams = 1024

// at gives what is remembered of a datagram, or nil.
func (r *datagrams) at(num seq.Num) *sentDatagram { return r.At(num) }

// room makes room for a datagram at a time; it gives nil when the datagram is too old.
func (r *datagrams) room(num seq.Num, now int64) (x *sentDatagram, fresh bool) {
	r.Most = mostDatagrams
	return r.Put(num, func(_ seq.Num, old *sentDatagram, size int) bool {
		age := now - max(old.last, old.time)
		return !r.lowMemory || age < seq.LowMemoryTime || old.reliable && age < seq.LowMemoryFor(size, false)
	})
}

// enter notes a transmission; it reports whether its PacketID is captured for the first
// time. Datagrams with a fault count only where they stand in the row.
func (r *datagrams) enter(s *seq.Sending, d *knet.Datagram, cut, suspect bool) (x *sentDatagram, first bool) {
	if suspect && (!r.has || s.Num != r.top+1) {
		return nil, false
	}
	if x = r.at(s.Num); x != nil && !x.suspect {
		x.sends += min(1, 255-x.sends)
		return x, false
	}
	if first = x == nil; first {
		r.count(s, cut)
	}
	if x, _ = r.room(s.Num, s.Time); x != nil {
		*x = sentDatagram{frame: s.Frame, time: s.Time, hash: s.Hash, messages: uint8(min(len(d.Messages), 255)), sends: 1,
			reliable: d.Reliable, cut: cut, suspect: suspect, size: uint16(min(s.Size, 65535))}
	}
	return x, first
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
	default:
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
		if x := r.at(n); x != nil {
			if by := s.Time - x.time; by < maxLate {
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

// follow notes the datagram without fault that follows top, and reports whether it
// could: one with a fault may have its place.
func (r *datagrams) follow(s *seq.Sending, d *knet.Datagram) bool {
	x, fresh := r.room(s.Num, s.Time)
	if !fresh {
		return false
	}
	r.top, r.topAt = s.Num, s.Time
	// Field by field: a literal would be made elsewhere and copied.
	x.frame, x.time, x.hash = s.Frame, s.Time, s.Hash
	x.size = uint16(min(s.Size, 65535))
	x.last, x.ipid, x.ackAt, x.carried, x.acks, x.sends = s.Time, s.IPID, 0, false, 0, 1
	x.messages, x.reliable = uint8(min(len(d.Messages), 255)), d.Reliable
	x.cut, x.suspect, x.tainted = false, false, false
	return true
}

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
