package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
)

// isApart reports whether a datagram with a fault stands nowhere near what its side
// has sent: such a PacketID says nothing either.
func (c *conn) isApart(s *side) bool {
	num := c.Sent.Num
	ref, known := s.ids.Known()
	if !known {
		return len(c.Datagram.Messages) == 0
	}
	return num > ref+NearIDs || num < ref-NearIDs
}

// overdue reports that the PacketID of the datagram at hand, which was never captured, was
// passed by its side longer ago than any datagram is late. A reliable one of Spec may have been
// sent before.
func (c *conn) overdue(s *side) bool {
	num, out := c.Sent.Num, s.out
	top, sent := out.Window().Highest()
	if !sent || num > top || !c.pair.sure() || c.Datagram.Dialect == knet.Spec && c.Datagram.Reliable || num < out.Window().Lowest() && !c.c.Complete {
		return false
	}
	for n := num + 1; n <= top && n < num+FarIDs; n++ {
		if x, _ := out.Look(n); x.Captured {
			return c.Frame.Time-x.Time > max(2e9, 4*c.c.Rules.Horizon())
		}
	}
	return false
}

// setApart takes a datagram from which nothing else follows.
func (c *conn) setApart(s *side) {
	s.out.Provisionals().Disregard(c.Sent.Num)
	c.count(s)
	if len(c.Datagram.Messages) == 0 {
		c.pair.opener = c.Datagram.PacketID + 1
	}
	if !c.isCopied(s) {
		c.tell(s, Apart)
	}
}

// isCopied reports a copy, made by the network or the capture, of a datagram that was
// kept out of the numbers.
func (c *conn) isCopied(s *side) bool {
	c.Frame.Words |= s.out.Unnumbered(&c.Sent, true)
	return c.Frame.Words.Has(dissect.Duplicate)
}
