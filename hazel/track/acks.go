package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// awaitedKept is how many numbers of the other side, captured again or late, are
// looked for in every history: what was acknowledged before belongs to the next
// acknowledgement, too.
const awaitedKept = 8

// lastAcks is what a side acknowledged last.
type lastAcks struct {
	num     int64 // of the last acknowledgement
	recent  uint8
	at      int64
	any     bool
	seen    [8]uint32 // the last ones as they stand on the wire, to tell repetitions
	n       int
	awaited [awaitedKept]int64
	waiting int // how many of awaited are valid
}

// await notes a number that the next acknowledgement of it belongs to.
func (l *lastAcks) await(num int64) {
	if l.waiting == awaitedKept {
		l.waiting--
		copy(l.awaited[:], l.awaited[1:])
	}
	l.awaited[l.waiting] = num
	l.waiting++
}

// told gives the history bits of the numbers that are waited for, and forgets
// those: the history before num tells of them, or num itself does.
func (l *lastAcks) told(num int64, recent uint8) (bits uint8) {
	left := 0
	for _, x := range l.awaited[:l.waiting] {
		bit := uint8(0)
		if back := num - 1 - x; back >= 0 && back < 8 {
			bit = recent & (1 << uint(back))
		}
		if bits |= bit; bit == 0 && x != num {
			l.awaited[left] = x
			left++
		}
	}
	l.waiting = left
	return bits
}

// repeats reports whether one of the last acknowledgements said the same.
func (l *lastAcks) repeats(f *hazel.Frame) bool {
	v := 1<<31 | uint32(f.ID)<<9 | uint32(f.Recent)<<1
	if f.HasRecent {
		v |= 1
	}
	for _, x := range l.seen {
		if x == v {
			return true
		}
	}
	l.seen[l.n%len(l.seen)] = v
	l.n++
	return false
}

// fresh gives the history bits that the acknowledgement before did not tell, and
// those of numbers that are waited for.
func (l *lastAcks) fresh(num int64, recent uint8) uint8 {
	known := uint8(0)
	if step := num - l.num; l.any && step >= 1 && step <= 8 {
		known = l.recent<<uint(step) | 1<<uint(step-1)
	}
	fresh := recent &^ known
	if l.waiting > 0 {
		fresh |= l.told(num, recent)
	}
	return fresh
}

// acknowledgement tracks an acknowledgement of side dir. Its own id was
// received; so were, as releases since 2020-04 tell, the ids of set bits, while
// those of clear bits are missing. Some set bits wrongly (Hazel 2ceee1f to
// 08feb25, SkeldJS, Hindenburg), so that they prove no loss.
func (c *conn) acknowledgement(dir int) {
	f, s, peer := c.f, &c.side[dir], &c.side[1-dir]
	c.count(dir, false)
	words := c.c.Dir[dir].Unnumbered(c.sent.Of(c.fr.Datagram, 0, seq.Unmarked), false)
	c.learnAck(dir)
	c.speaks(dir)
	peer.tries.pings = 0
	repeated := s.history.repeats(f)
	n, ok := peer.ids.near(f.ID)
	if !ok {
		c.fr.Words |= words
		return
	}
	out := &c.c.Dir[1-dir]
	if out.HasProvisional() && out.Vouch(n, n+1) {
		c.believe(1 - dir)
	}
	captured, _ := out.Captured(n)
	if !captured && peer.junk.has(f.ID) {
		c.fr.Words |= words
		return
	}
	peer.gaps = out.KnownGaps()
	a, d := &c.ack, c.fr.Datagram
	a.Frame, a.Time, a.HasTime, a.Copy, a.Hearsay = d.Frame, d.Time, d.HasTime, words != 0, false
	words |= out.AcknowledgeOne(n, a, c.link)
	peer.tries.answered(n)
	if s.claims.open > 0 {
		s.claims.take(n) // the capture missed it
	}
	if f.HasRecent && d.Length == 4 {
		s.claims.heard(f.Recent)
		words |= c.history(out, peer, n, s.history.fresh(n, f.Recent), captured && !words.Has(dissect.Duplicate))
		s.history.num, s.history.recent, s.history.at, s.history.any = n, f.Recent, c.fr.Time, true
	}
	if repeated && words&(dissect.Ack|dissect.Duplicate) == 0 {
		words |= dissect.DuplicateAck
	}
	c.fr.Words |= words
	c.deliveries().judgeAcked(dir, n, words, captured)
	c.learnAcked(dir, n)
}

// history applies the history of an acknowledgement of n.
func (c *conn) history(out *seq.Direction, peer *side, n int64, fresh uint8, judged bool) (words dissect.Words) {
	if recent := c.f.Recent; recent != 0xff {
		for i := range int64(8) {
			if recent>>i&1 == 0 {
				out.Deny(n-1-i, &c.ack)
				c.deliveries().judgeDenied(int(c.fr.Direction-'a'), n-1-i)
			}
		}
	}
	c.ack.Hearsay = true
	for i := int64(0); fresh != 0; i, fresh = i+1, fresh>>1 {
		if fresh&1 != 0 {
			if judged {
				c.deliveries().judgeClaim(int(c.fr.Direction-'a'), n-1-i)
			}
			words |= out.AcknowledgeOne(n-1-i, &c.ack, c.link)
			peer.tries.answered(n - 1 - i)
		}
	}
	return words
}
