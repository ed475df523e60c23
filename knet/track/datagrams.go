package track

import (
	"slices"

	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

// datagrams are what the rules remember of the datagrams of one side. The engine
// counts what was captured; this tells what of it can be believed: a datagram with
// a fault is kept apart, and so is what it would have changed. PacketIDs are
// consecutive, so that it shows when one is missing: while none is, nothing that
// the side said was missed.
type datagrams struct {
	ring      []sentDatagram // PacketID n at n&(len-1)
	low       int64          // lowest and highest PacketID without a fault
	top       int64
	has       bool
	topAt     int64             // when top was captured
	missing   int64             // between low and top
	holeAt    int64             // when something went missing last
	startAt   int64             // when low was captured first
	late      int64             // longest time a datagram was overtaken by
	faulty    [maxFaulty]uint32 // PacketIDs of datagrams with a fault, plus 1
	faults    int
	lowMemory bool // little is to be kept
	notes     int  // datagrams worth a note
	anew      bool // the side began anew, and its start was not captured
}

// A sentDatagram is one datagram.
type sentDatagram struct {
	num      int64 // PacketID
	frame    uint64
	time     int64
	hash     uint64
	last     int64 // latest sending
	ackAt    int64 // when it was acknowledged first
	carrier  int64 // reliable datagram of the peer that acknowledged it first, plus 1
	ipid     uint16
	messages uint8 // up to 255
	acks     uint8 // PacketAcks that named it
	sends    uint8 // captured sendings
	used     bool
	reliable bool
	cut      bool
	suspect  bool // it has a fault
	tainted  bool // … that may be a habit
}

// How many datagrams of a side are remembered at first and at most, and how long a
// hole makes a difference.
const (
	leastDatagrams = 32
	mostDatagrams  = 1024
)

// at gives what is remembered of a datagram, or nil.
func (r *datagrams) at(num int64) *sentDatagram {
	if len(r.ring) == 0 {
		return nil
	}
	if x := &r.ring[num&int64(len(r.ring)-1)]; x.used && x.num == num {
		return x
	}
	return nil
}

// enter notes a sending; it reports whether its PacketID is captured for the first
// time. Datagrams with a fault count only where they stand in the row.
func (r *datagrams) enter(s *session.Sending, d *knet.Datagram, cut, suspect bool) (x *sentDatagram, first bool) {
	if suspect && (!r.has || s.Num != r.top+1) {
		return nil, false
	}
	if x = r.at(s.Num); x != nil && !x.suspect {
		x.sends += min(1, 255-x.sends)
		return x, false
	}
	first = x == nil
	if first {
		r.count(s, cut)
		r.grow(s)
	}
	at := &r.ring[s.Num&int64(len(r.ring)-1)]
	if !first || !at.used || at.num <= s.Num {
		*at = sentDatagram{num: s.Num, used: true, frame: s.Frame, time: s.Time, hash: s.Hash, messages: uint8(min(len(d.Messages), 255)), sends: 1,
			reliable: d.Reliable, cut: cut, suspect: suspect}
	}
	return at, first
}

// count counts a PacketID that is new.
func (r *datagrams) count(s *session.Sending, cut bool) {
	switch n := s.Num; {
	case !r.has:
		r.has, r.low, r.top, r.topAt, r.startAt = true, n, n, s.Time, s.Time
	case n > r.top:
		if n > r.top+1 {
			r.missing += n - r.top - 1
			r.holeAt = s.Time
		}
		r.top, r.topAt = n, s.Time
	case s.Time-r.topAt >= reconnectGap:
		r.missing++ // it may be of another connection, and fills no hole of this one
		r.holeAt = s.Time
	case n < r.low:
		r.missing += r.low - n - 1
		r.low = n
	default:
		r.missing = max(r.missing-1, 0)
		r.overtaken(s)
	}
	if cut {
		r.missing++ // what it says is not known
		r.holeAt = s.Time
	}
}

// overtaken keeps by how much a datagram was.
func (r *datagrams) overtaken(s *session.Sending) {
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
	has        bool
	top, topAt int64
}

func (r *datagrams) stand() stand { return stand{r.has, r.top, r.topAt} }

// follow notes the datagram without fault that follows top, and reports whether it
// could: its place must be free, or that of an old one.
func (r *datagrams) follow(s *session.Sending, d *knet.Datagram) bool {
	if len(r.ring) == 0 {
		return false
	}
	at := &r.ring[s.Num&int64(len(r.ring)-1)]
	if at.used && (at.num >= s.Num || r.wants(at, s.Time)) {
		return false
	}
	r.top, r.topAt = s.Num, s.Time
	// Field by field: a literal would be made elsewhere and copied.
	at.num, at.used, at.frame, at.time, at.hash = s.Num, true, s.Frame, s.Time, s.Hash
	at.last, at.ipid, at.ackAt, at.carrier, at.acks, at.sends = s.Time, s.IPID, 0, 0, 0, 1
	at.messages, at.reliable = uint8(min(len(d.Messages), 255)), d.Reliable
	at.cut, at.suspect, at.tainted = false, false, false
	return true
}

// wants reports a datagram that is worth more room.
func (r *datagrams) wants(x *sentDatagram, now int64) bool {
	if !x.used || len(r.ring) == mostDatagrams {
		return false
	}
	age := now - max(x.last, x.time)
	return !r.lowMemory || age < session.LowMemoryTime || x.reliable && age < session.LowMemoryFor(len(r.ring), false)
}

// grow makes room, while there is little.
func (r *datagrams) grow(s *session.Sending) {
	size := max(len(r.ring), leastDatagrams)
	if len(r.ring) > 0 && r.wants(&r.ring[s.Num&int64(size-1)], s.Time) {
		size *= 2
	}
	if size == len(r.ring) {
		return
	}
	old := r.ring
	r.ring = make([]sentDatagram, size)
	for i := range old {
		if x := &old[i]; x.used {
			r.ring[x.num&int64(size-1)] = *x
		}
	}
}

// whole reports whether everything the side sent since a time was captured, as far
// as its PacketIDs tell.
func (r *datagrams) whole(since int64) bool { return r.has && (r.missing == 0 || r.holeAt < since) }

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

// A mark is how far a side had come at a time.
type mark struct{ top, at int64 }

func (c *conn) mark(dir int) mark { return mark{c.side[dir].datagrams.top, c.fr.Time} }

// went reports whether a side has gone on since a mark, and nothing that it sent
// since a time was missed.
func (c *conn) went(dir int, m mark, since int64) bool {
	r := &c.side[dir].datagrams
	return r.top > m.top && r.topAt-m.at >= c.horizon() && c.intact(dir, since)
}

// intact reports whether all that a side sent since a time was captured.
func (c *conn) intact(dir int, since int64) bool {
	r := &c.side[dir].datagrams
	return r.whole(since) && (r.startAt <= since || c.fromStart(dir))
}

// horizon is the reorder horizon, in ns (guard REORD), of datagrams without fault.
func (c *conn) horizon() int64 {
	late := max(c.side[0].datagrams.late, c.side[1].datagrams.late)
	return max(session.CopyHorizon, c.roundTime()/2, late*3/2)
}

// roundTime is the round trip as far as acknowledgements tell, in ns.
func (c *conn) roundTime() int64 { return c.c.Dir[0].MinRTT() + c.c.Dir[1].MinRTT() }

// known reports whether the session's start was captured.
func (c *conn) known() bool {
	return c.c.Complete && !c.side[0].datagrams.anew && !c.side[1].datagrams.anew
}

// fromStart reports whether all that a side has sent since the connection began can
// be known: its first datagram was captured.
func (c *conn) fromStart(dir int) bool {
	r := &c.side[dir].datagrams
	switch {
	case !c.c.Complete || !r.has || r.anew:
		return false
	case c.pair.params.Dialect == knet.Spec:
		return c.shake.greeted[dir] && r.low <= c.shake.lowest[dir]
	}
	return r.low == 0 || r.low == 1 && c.pair.params.IDs == knet.IDsFromOne
}
