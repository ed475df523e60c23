package track

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// The page says that an unacknowledged reliable datagram is resent, not under
// which PacketID (AMB-KN-10). Under the same one, the engine sees it. Under a new
// one it is known by its messages: the same as those of an earlier reliable
// datagram that its peer, which does acknowledge, did not acknowledge for a time.
// Applications say the same again all day: a side that has repeated a PacketID,
// or says again what was acknowledged, is not taken to do so.

const (
	resendMemory    = 512   // reliable datagrams remembered of a side
	resendLowMemory = 64    // … where little is to be kept
	resendFirst     = 16    // … to begin with
	resendGap       = 1.5e9 // ns; DatagramTimeOut is 2 s and may be changed
	resendLate      = 5e9   // … until a resend shows what it is
	minRepeatable   = 8     // bytes of messages; shorter ones are often said again
	maxChain        = 16    // datagrams looked at for one with the same messages
)

// resends remembers the latest reliable datagrams of a side.
type resends struct {
	ring      []resend  // PacketID n at n&(len-1)
	heads     []seq.Num // by content, as many: the latest PacketID, plus 1
	limit     int       // datagrams remembered at most
	unseenIDs []seq.Num // PacketIDs acknowledged and never captured, plus 1; nil for none
	acks      bool      // the peer acknowledges
	repeats   bool      // a PacketID was sent again: so it does it
	style     bool      // a resend under a new PacketID was captured
	after     int64     // the time-out seen, in ns, 0 when none was
}

// unseenRemembered is how many acknowledged PacketIDs that were not captured are
// remembered.
const unseenRemembered = 256

// A resend is a reliable datagram that may be sent again.
type resend struct {
	num   seq.Num
	hash  uint64  // of its messages
	time  int64   // latest transmission
	prev  seq.Num // PacketID of the one before with the same place in heads, plus 1
	unit  seq.Num // PacketID of its first transmission
	acked bool
	set   bool
	said  bool // the application said it more than once
}

// ContentHash is FNV-1a over words of eight bytes: which datagrams share a place
// must not differ between runs, as it does with a random seed.
func ContentHash(b []byte) uint64 {
	const prime = 1099511628211
	h := 14695981039346656037 ^ uint64(len(b))
	for ; len(b) >= 8; b = b[8:] {
		h = (h ^ binary.LittleEndian.Uint64(b)) * prime
		h ^= h >> 29
	}
	for _, c := range b {
		h = (h ^ uint64(c)) * prime
	}
	return h ^ h>>32
}

// freshContent tracks a reliable datagram of Spec whose PacketID is new and
// reports whether its messages are new, too.
func (c *conn) freshContent(dir dissect.Dir, num seq.Num) bool {
	if !c.Datagram.Reliable || c.Frame.Cut() {
		return true
	}
	r := c.side[dir].memory()
	content := c.Frame.Payload[3:]
	if c.Datagram.InOrder {
		content = c.Frame.Payload[max(3, knet.SkipDependencies(c.Frame.Payload, 3)):]
	}
	x := resend{num: num, unit: num, hash: ContentHash(content), time: c.Frame.Time, set: true}
	old := r.find(x.hash, num)
	fresh := true
	switch {
	case old == nil:
	case c.Frame.HasTime && len(content) >= minRepeatable && c.resent(dir, old, c.Frame.Time-old.time):
		fresh = !c.resentAs(dir, old, &x)
	default:
		old.said, x.said = true, true
	}
	if fresh {
		c.carrier.SendUnit(num, 0)
	}
	r.keep(&x)
	return fresh
}

// resentAs counts a datagram as an earlier one sent again.
func (c *conn) resentAs(dir dissect.Dir, old, x *resend) bool {
	r := c.side[dir].resends
	v := c.carrier.SendUnit(old.unit, 0)
	if v == nil || v.Words == 0 {
		return false
	}
	if r.after == 0 {
		r.after = c.Frame.Time - old.time
	}
	r.style = true
	x.unit, x.said = old.unit, old.said
	c.Frame.Words |= v.Words
	c.Frame.RetryOf = v.RetryOf
	c.c.Remark("reliable datagrams are sent again under new PacketIDs")
	return true
}

// find gives the latest datagram before num with the same messages.
func (r *resends) find(hash uint64, num seq.Num) *resend {
	at := r.heads[hash&uint64(len(r.heads)-1)]
	for range maxChain {
		x := r.at(at - 1)
		if at == 0 || !x.set || x.num != at-1 {
			return nil
		}
		if x.hash == hash && x.num < num {
			return x
		}
		at = x.prev
	}
	return nil
}

func (r *resends) at(num seq.Num) *resend { return &r.ring[num&seq.Num(len(r.ring)-1)] }

// make begins again with room for n datagrams.
func (r *resends) make(n int) { r.ring, r.heads = make([]resend, n), make([]seq.Num, n) }

// keep enters a datagram, with more room as long as it would take that of another.
func (r *resends) keep(x *resend) {
	for old := r.at(x.num); old.set && old.num != x.num && len(r.ring) < r.limit; old = r.at(x.num) {
		r.grow()
	}
	r.enter(x)
}

// grow doubles the room.
func (r *resends) grow() {
	all := slices.Clone(r.ring)
	stable.Sort(all, func(a, b resend) int { return cmp.Compare(a.num, b.num) })
	r.make(2 * len(all))
	for i := range all {
		if all[i].set {
			r.enter(&all[i])
		}
	}
}

func (r *resends) enter(x *resend) {
	head := &r.heads[x.hash&uint64(len(r.heads)-1)]
	if x.prev = *head; x.prev == x.num+1 {
		x.prev = 0
	}
	*r.at(x.num) = *x
	*head = x.num + 1
}

// resent reports whether the messages of an earlier datagram of a side, that come
// again gap later, are that datagram sent again. Where its acknowledgement was
// captured, it may have been lost after the capture point: then the time must
// be the time-out that this connection has shown.
func (c *conn) resent(dir dissect.Dir, old *resend, gap int64) bool {
	r, peer := c.side[dir].memory(), c.side[dir.Other()].memory()
	after := r.after
	if after == 0 {
		after = peer.after
	}
	switch {
	case old.said || r.repeats || peer.repeats || !r.acks:
		return false
	case after == 0:
		return !old.acked && gap >= resendGap && gap <= resendLate
	case old.acked:
		return gap >= after*9/10 && gap <= after*5/4
	}
	return gap >= after*9/10
}

func (s *side) memory() *resends {
	if s.resends == nil {
		s.resends = &resends{limit: resendMemory}
		if s.lowMemory {
			s.resends.limit = resendLowMemory
		}
		s.resends.make(resendFirst)
	}
	return s.resends
}

// repeated notes that the side sent a reliable datagram again as it was.
func (s *side) repeated(v seq.Verdict) {
	if v.Words.Has(dissect.Retry) {
		s.memory().repeats = true
	}
}

// acknowledged notes that a datagram of the side was acknowledged.
func (s *side) acknowledged(num seq.Num, words dissect.Words) {
	r := s.memory()
	r.acks = true
	if x := r.at(num); x.set && x.num == num {
		x.acked = true
	}
	if words.Has(dissect.AckOfUncaptured) {
		if r.unseenIDs == nil {
			r.unseenIDs = make([]seq.Num, unseenRemembered)
		}
		r.unseenIDs[num&(unseenRemembered-1)] = num + 1
	}
}

// uncaptured reports whether a datagram was acknowledged and not captured.
func (s *side) uncaptured(num seq.Num) bool {
	return s.resends != nil && s.resends.unseenIDs != nil && s.resends.unseenIDs[num&(unseenRemembered-1)] == num+1 && num != -1
}
