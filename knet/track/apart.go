package track

import "github.com/dpdissect/dpdissect/knet"

// isApart reports whether a datagram with a fault stands nowhere near what its side
// has sent: such a PacketID says nothing either.
func (c *conn) isApart(dir int) bool {
	num := c.sent.Num
	ref, known := c.side[dir].ids.Known()
	if !known {
		return len(c.d.Messages) == 0
	}
	return num > ref+nearIDs || num < ref-nearIDs
}

// overdue reports that the PacketID of the datagram at hand, which was never captured, was
// passed by its side longer ago than any datagram is late. A reliable one of Spec may have been
// sent before.
func (c *conn) overdue(dir int) bool {
	num, out := c.sent.Num, &c.c.Dir[dir]
	top, sent := out.Window().Highest()
	if !sent || num > top || !c.pair.sure() || c.d.Dialect == knet.Spec && c.d.Reliable || num < out.Window().Lowest() && !c.c.Complete {
		return false
	}
	for n := num + 1; n <= top && n < num+mostDatagrams; n++ {
		if x, _ := out.Look(n); x.Captured {
			return c.fr.Time-x.Time > max(2e9, 4*c.c.Rules.Horizon())
		}
	}
	return false
}
