package knet

import "github.com/dpdissect/dpdissect/dissect"

// The page says that an unacknowledged reliable datagram is resent, not under
// which PacketID (AMB-KN-10). Under the same one, the engine sees it. Under a new
// one it is known by its messages: the same as those of an earlier reliable
// datagram that its peer, which does acknowledge, did not acknowledge for a time.

// An acknowledgement may be lost behind the capture point. Then only the time
// tells a resend from a message that the application says again: it comes one
// time-out after the one before, and not again and again.

const (
	resendMemory  = 512 // reliable datagrams remembered of a side
	resendGap     = 1e9 // ns; DatagramTimeOut is 2 s and may be changed
	datagramTime  = 2e9 // DatagramTimeOut
	maxRepeated   = 3   // resends of what was acknowledged already
	minRepeatable = 8   // bytes of messages; shorter ones are often said again
)

// resends remembers the latest reliable datagrams of a side.
type resends struct {
	ring  [resendMemory]resend   // PacketID n at n&(resendMemory-1)
	heads [resendMemory]uint16   // by content: place in ring, plus 1
	holes [holesRemembered]int64 // PacketIDs acknowledged and never captured, plus 1
	acks  bool                   // the peer acknowledges
	style bool                   // a resend under a new PacketID was captured
	after int64                  // the time-out seen, in ns, 0 when none was
}

// holesRemembered is how many acknowledged PacketIDs that were not captured are
// remembered.
const holesRemembered = 256

type resend struct {
	num   int64
	hash  uint64
	time  int64
	acked bool
	set   bool
	again int // resends although it was acknowledged
}

// contentHash is FNV-1a: which datagrams share a place must not differ between runs.
func contentHash(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// freshContent tracks a reliable datagram of Spec and reports whether its
// messages are new.
func (c *conn) freshContent(dir int, num int64) bool {
	s := &c.side[dir]
	if !c.d.Reliable || c.fr.Cut() {
		return true
	}
	r := s.memory()
	start := shapeOf(c.fr.Payload, Spec).start
	hash := contentHash(c.fr.Payload[start:])
	head := &r.heads[hash%resendMemory]
	old := &r.ring[max(1, *head)-1]
	same := *head > 0 && old.set && old.hash == hash && old.num < num
	unit := num
	if same && c.fr.HasTime && r.resent(old, c.fr.Time-old.time, len(c.fr.Payload)-start) {
		unit = old.num
	}
	v := c.c.Dir[dir].SendUnit(unit, num, c.fr)
	if v.Words != 0 {
		c.fr.Words |= v.Words
		c.fr.RetryOf = v.RetryOf
		if !old.acked && r.after == 0 {
			r.after = c.fr.Time - old.time
		}
		r.style = true
		c.c.Remark("reliable datagrams are sent again under new PacketIDs")
		old.time = c.fr.Time
		return false
	}
	at := num & (resendMemory - 1)
	r.ring[at] = resend{num: num, hash: hash, time: c.fr.Time, set: true}
	*head = uint16(at) + 1
	return true
}

// resent reports whether the content of an earlier datagram, that comes again gap
// later, is that datagram sent again.
func (r *resends) resent(old *resend, gap int64, size int) bool {
	if !old.acked {
		return r.acks && gap >= resendGap
	}
	after := int64(datagramTime)
	if r.after != 0 {
		after = r.after
	}
	if size < minRepeatable || old.again >= maxRepeated || gap < after*9/10 || gap > after*5/4 {
		return false
	}
	old.again++
	return true
}

func (s *side) memory() *resends {
	if s.resends == nil {
		s.resends = new(resends)
	}
	return s.resends
}

// acknowledged notes that a datagram of the side was acknowledged.
func (s *side) acknowledged(num int64, words dissect.Words) {
	r := s.memory()
	r.acks = true
	if x := &r.ring[num&(resendMemory-1)]; x.set && x.num == num {
		x.acked = true
	}
	if words.Has(dissect.AckOfUncaptured) {
		r.holes[num&(holesRemembered-1)] = num + 1
	}
}

// uncaptured reports whether a datagram was acknowledged and not captured.
func (s *side) uncaptured(num int64) bool {
	return s.resends != nil && s.resends.holes[num&(holesRemembered-1)] == num+1 && num != -1
}
