package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// acknowledgement tracks an ACK or NACK. The sequence is the space they are made
// in (MC-DPL4R 2.2.2). An ACK covers it and all before it, a NACK all before it;
// counted says whether its count of bytes was captured.
func (c *conn) acknowledgement(counted bool) {
	f, s, other := c.Packet, c.own, &c.side[c.Dir.Other()]
	s.out.Acks++
	out := other.out
	if out.Provisionals().Any() {
		c.confirmAcked(other)
	}
	ref, ok := out.Window().Highest()
	if !ok {
		if f.Type == dp4.TypeACK {
			other.early, other.earlyTo = true, f.Sequence+1
		}
		if c.Num, c.Placed = 0, false; !c.doubtful && c.IsNew() {
			c.tell(Acknowledges)
		}
		return
	}
	if cum, ok := out.Window().Cumulative(); ok {
		ref = max(ref, cum-1)
	}
	num := near(ref, f.Sequence)
	next := num
	if f.Type == dp4.TypeACK {
		next++
	}
	judged := !c.doubtful && c.IsNew()
	if c.Num, c.Placed = num, true; judged {
		c.tell(Acknowledges)
	}
	d, a := c.Frame.Datagram, &c.ack
	*a = seq.Acknowledgement{Next: next, Frame: d.Frame, Time: d.Time, HasTime: d.HasTime, Copy: c.Frame.Words.Has(dissect.Duplicate)}
	stale := a.Copy || counted && s.hasTick && int32(f.Tick-s.tick) < 0
	if counted && !stale {
		s.tick, s.hasTick = f.Tick, true
	}
	words := c.apply(other, num, counted && !stale)
	if top, _ := out.Window().Highest(); judged && num <= top { // else the capture missed what it names, and it is not believed
		c.tell(Applied)
	}
	c.Frame.Words |= s.repeated(words, lastAck{f.Type, next, f.Mask})
	if num <= ref {
		c.pass(other)
	}
}

// apply hands what the frame at hand acknowledges of a side to the engine. An
// unordered report, which is older than another one, denies nothing.
func (c *conn) apply(s *side, num seq.Num, ordered bool) dissect.Words {
	f, a, out := c.Packet, &c.ack, s.out
	arrived := unknown
	if ordered {
		arrived = s.bytes.count(f.BytesReceived)
		if sum, ok := s.history.answered(c.Frame, f, num, out.MinRTT()); ok && arrived == unknown {
			arrived = s.bytes.compare(num, sum)
		}
	}
	words := c.passOver(s, arrived)
	copied := a.Copy
	if f.Type == dp4.TypeNACK {
		c.report(s, num)
		a.Copy = true // what is missing is denied below
	}
	words |= out.Acknowledge(a, c.link)
	a.Copy = copied
	if f.Type == dp4.TypeNACK && ordered {
		c.deny(s, num)
		for m := f.Mask; m != 0; m &= m - 1 {
			c.deny(s, num+1+seq.Num(bits.TrailingZeros32(m)))
		}
	}
	return words
}

// deny notes that a number of a side was reported missing.
func (c *conn) deny(s *side, n seq.Num) {
	captured, held := s.out.Captured(n)
	if held && !captured {
		s.history.miss(n)
	}
	if captured || s.after(n) {
		s.out.Deny(n, &c.ack)
	}
}

// after reports whether a number was certainly sent after the capture began.
func (s *side) after(n seq.Num) bool { return s.hasSure && n > s.sure }

// report fills in what a NACK says was received: of the numbers after its own,
// those up to the last one reported missing that the mask does not name
// (AMB-DP4-15). What lies beyond may not have been expected yet.
func (c *conn) report(s *side, num seq.Num) {
	a, m := &c.ack, uint64(c.Packet.Mask)
	a.Base = num + 1
	if m == 0 {
		return
	}
	a.Mask = ^m & (1<<(63-bits.LeadingZeros64(m)) - 1)
	for m := a.Mask; m != 0; m &= m - 1 {
		n := a.Base + seq.Num(bits.TrailingZeros64(m))
		if captured, _ := s.out.Captured(n); !captured {
			c.hear(s, n) // what is not reliable is not reported missing
		}
	}
}

// hear acknowledges a number without taking that for proof that it was sent
// while the capture ran, or that it arrived.
func (c *conn) hear(s *side, n seq.Num) {
	a := c.ack
	a.Hearsay = true
	s.out.AcknowledgeOne(n, &a, c.link)
}

// passOver looks at the numbers an acknowledgement passes, or names, that were
// never captured. A receiver also passes over what was not sent reliably and got
// lost, so that is no proof that they arrived: only its count of bytes is.
func (c *conn) passOver(s *side, v arrival) (words dissect.Words) {
	a, out := &c.ack, s.out
	w := out.Window()
	top, _ := w.Highest()
	from, ok := w.Cumulative()
	if !ok {
		from = a.Next - seq.HistoryLimit
	}
	if a.Next > top+seq.MaxAckExcess {
		return 0
	}
	if s.history.gap < from { // all up to the highest were captured
		from = max(from, s.history.top+1)
	}
	for n := from; n < a.Next; n++ {
		captured, held := out.Captured(n)
		if captured || !held && n <= top {
			continue
		}
		if n <= top {
			words |= dissect.AckOfUncaptured
		}
		switch sure := s.after(n); {
		case sure && v == arrivedUnseen && n < top:
			v = unknown // one of them was
			continue
		case sure && v == arrivedAll:
			out.Deny(n, a)
		}
		c.hear(s, n)
	}
	return words
}

// repeated adds the word for an acknowledgement that says nothing new.
func (s *side) repeated(words dissect.Words, now lastAck) dissect.Words {
	if words == 0 && s.last == now {
		words = dissect.DuplicateAck
	}
	s.last = now
	return words
}

// pass tells the messages of a side that its peer has all before the one an
// acknowledgement names.
func (c *conn) pass(s *side) {
	if top, ok := s.msg.Known(); ok {
		if msg := near(top, c.Packet.MessageID); msg <= top {
			s.asm.pass(msg)
		}
	}
}
