package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Giving is what a send mask of a frame that is no copy gives up, and what is believed of
// it.
type Giving struct {
	Told     uint64 // as it was sent
	Heard    bool   // something can be said of it
	Whole    bool   // its side was captured from its first number on
	Beyond   uint64 // bits that name numbers before that
	Reliable uint64 // bits that name numbers which are reliable
	Known    int    // bits that name any that is remembered
	FromNext bool   // it is right relative to the next number alone
}

// readSendMask reads a send mask relative to a number (MC-DPL8R 3.1.5.2.4): bit i gives up
// before-1-i. It gives back the mask without what is impossible.
func (c *conn) readSendMask(dir dissect.Dir, before seq.Num, mask uint64) uint64 {
	n, g := &c.side[dir].Numbers, &c.Giving
	g.Told = mask
	if g.Heard = c.Frame.Err == nil && c.Frame.HasTime && n.Started && (c.Stamp.data || before == n.TopSeen+1); g.Heard {
		// Else it may have sent all numbers once, unseen.
		g.Whole = c.c.Complete && c.trusted == 0 && !c.side[dir.Other()].Numbers.unseen
		if g.Beyond = 0; g.Whole {
			g.Beyond = beforeFirst(before, mask)
		}
		mask &^= g.Beyond
		g.Reliable, g.Known = c.namedReliable(dir, before, mask)
		if g.FromNext = g.Reliable != 0 && c.Stamp.Retry && c.readsFromNext(dir, mask); g.FromNext {
			mask = 0
		}
		mask &^= g.Reliable
	}
	c.Said.Drops = mask
	return mask
}

// beforeFirst gives the bits of a send mask that name numbers before the first.
func beforeFirst(before seq.Num, mask uint64) uint64 {
	switch {
	case before >= 64:
		return 0
	case before > 0:
		return mask >> uint(before) << uint(before)
	}
	return mask
}

// namedReliable gives the bits of a send mask that name reliable numbers, and how
// many name any that is remembered. One named before is not looked at again.
func (c *conn) namedReliable(dir dissect.Dir, before seq.Num, mask uint64) (reliable uint64, known int) {
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if f := c.remembered(dir, before-1-seq.Num(i)); f.IsKnown() {
			known++
			if f.Command&dp8.Reliable != 0 {
				reliable |= 1 << i
			}
		}
	}
	return reliable, known
}

// readsFromNext reports whether a send mask is right relative to the next number
// instead of the frame's own.
func (c *conn) readsFromNext(dir dissect.Dir, mask uint64) bool {
	reliable, known := c.namedReliable(dir, c.side[dir].Numbers.TopSeen+1, mask)
	return reliable == 0 && known > 0
}
