package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// confirms is the distance from an acknowledged id within which it shows others to be in their
// place: nobody acknowledges ids out there unless their side has come that far.
const confirms = 16

// acknowledgement tracks an acknowledgement of a side. Its own id was
// received; so were, as releases since 2020-04 tell, the ids of set bits, while
// those of clear bits are missing. Some set bits wrongly (Hazel 2ceee1f to
// 08feb25, SkeldJS, Hindenburg), so that they prove no loss.
func (c *conn) acknowledgement(s *side) {
	f, peer := c.Packet, s.peer
	s.out.Acks++
	words := s.out.Unnumbered(c.Sent.Of(c.Frame.Datagram, 0, seq.Unmarked), false)
	c.learnAck(s)
	c.speaks(s)
	peer.tries.pings = 0
	out := peer.out
	n, ok := peer.ids.near(f.ID)
	if ok && out.Provisionals().Any() && out.Provisionals().ConfirmAcked(n-confirms, n+confirms+1) {
		c.believe(peer)
	}
	if !ok || peer.junk.n > 0 && peer.isJunk(f.ID, n) {
		s.history.repeats(f, false)
		c.Frame.Words |= words
		return
	}
	c.Known, c.Told, c.Fresh = out.KnownGaps(), s.history.LastAck, 0
	a, d := &c.ack, c.Frame.Datagram
	a.Frame, a.Time, a.HasTime, a.Copy, a.Hearsay = d.Frame, d.Time, d.HasTime, words != 0, false
	words |= out.AcknowledgeOne(n, a, c.link)
	peer.tries.answered(n)
	if f.HasRecent && d.Length == 4 {
		c.Fresh = s.history.fresh(n, f.Recent)
		words |= c.history(out, peer, n, c.Fresh)
		s.history.LastAck = LastAck{n, f.Recent, d.Time, true}
	}
	if news := words&(dissect.Ack|dissect.Duplicate) != 0; s.history.repeats(f, news) {
		words |= dissect.DuplicateAck
	}
	c.Frame.Words |= words
	c.noteAck(s, n)
	c.learnAcked(s, n)
}

// history applies the history of an acknowledgement of n.
func (c *conn) history(out *seq.Direction, peer *side, n seq.Num, fresh uint8) (words dissect.Words) {
	for denied := ^c.Packet.Recent; denied != 0; denied &= denied - 1 {
		out.Deny(n-1-seq.Num(bits.TrailingZeros8(denied)), &c.ack)
	}
	c.ack.Hearsay = true
	for ; fresh != 0; fresh &= fresh - 1 {
		x := n - 1 - seq.Num(bits.TrailingZeros8(fresh))
		words |= out.AcknowledgeOne(x, &c.ack, c.link)
		peer.tries.answered(x)
	}
	return words
}
