package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// nextSend unwraps a bNSeq near what the side has sent.
func (c *conn) nextSend(s *Side, wire uint8) seq.Num {
	if ref, ok := s.seq.Known(); ok {
		return near(ref+1, wire)
	}
	return s.nseq.Peek(uint32(wire))
}

// near is the number with the given low byte that is nearest to ref.
func near(ref seq.Num, wire uint8) seq.Num { return ref + seq.Num(int8(wire-uint8(ref))) }

// acknowledge applies NRcv and SACK mask of a frame of side dir to what the
// other side sent (MC-DPL8R 3.1.5.2.2, 3.1.5.2.3).
func (c *conn) acknowledge(dir dissect.Dir, nrcv uint8, mask uint64, pure bool) {
	peer, out := &c.side[dir.Other()], &c.c.Dir[dir.Other()]
	w := out.Window()
	ref, ok := w.Highest()
	if !ok {
		peer.early, peer.earlyTo = true, nrcv
		c.firstAck(dir, nrcv)
		peer.History.missed = peer.History.missed || nrcv != 0
		return
	}
	cum, known := w.Cumulative()
	if known {
		ref = max(ref, cum)
	}
	next := near(ref, nrcv)
	if len(peer.refused) > 0 {
		c.voidRefused(dir, next)
	}
	if c.AckedTo = next; c.someEnded() {
		c.tell(dir, Closes)
	}
	genuine := !c.Frame.Words.Has(dissect.Duplicate)
	if genuine {
		mask = c.read(dir, nrcv, mask)
		c.tell(dir, Acknowledges)
	}
	if peer.Beyond && next > peer.EndSeq+1 {
		next, mask = peer.EndSeq+1, 0 // what it acknowledges beyond should have been ignored
	}
	a, d := &c.ack, c.Frame.Datagram
	a.Next, a.Mask, a.Base = next, mask, next+1
	a.Frame, a.Time, a.HasTime, a.Copy = d.Frame, d.Time, d.HasTime, !genuine
	words := out.Acknowledge(a, c.link)
	if genuine {
		if known && words.Has(dissect.AckOfUncaptured) {
			c.passedHole(dir, cum)
		}
		c.Applied = Applied{true, known, cum, words}
	}
	if s := &c.side[dir]; pure {
		if words == 0 && s.acked && s.ackNext == next && s.ackMask == mask {
			words |= dissect.DuplicateAck
		}
		s.acked, s.ackNext, s.ackMask = true, next, mask
	}
	c.Frame.Words |= words
	if cum, ok := w.Cumulative(); ok {
		peer.asm.passed(min(cum, ref+1))
	}
}

// giveUp applies a send mask: bit i gives up the number before-1-i of the side
// itself (MC-DPL8R 3.1.5.2.4). Frames in a row repeat the mask, so only bits that the
// one before did not have are looked at.
func (c *conn) giveUp(dir dissect.Dir, before seq.Num, mask uint64) {
	if !c.Frame.Words.Has(dissect.Duplicate) {
		mask = c.readSendMask(dir, before, mask)
		c.tell(dir, GivesUp)
	}
	if mask == 0 {
		return
	}
	s := &c.side[dir]
	fresh := mask
	if shift := before - s.maskBase; shift >= 0 && shift < 64 {
		fresh &^= s.sendMask << uint(shift)
	}
	s.sendMask, s.maskBase = mask, before
	s.GaveUp = max(s.GaveUp, before)
	for ; fresh != 0; fresh &= fresh - 1 {
		n := before - 1 - seq.Num(bits.TrailingZeros64(fresh))
		c.c.Dir[dir].GiveUp(n)
		s.asm.giveUp(n)
		s.keys.see(n)
	}
}
