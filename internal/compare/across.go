package compare

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/session/seq"
)

// markAcross notes what the analysis of the other point knows of datagrams that a point alone has, by their numbers: that
// the receiver acknowledges one or reports it missing, or that another transmission of it was captured there.
func (p *pairing) markAcross(at int) {
	c, other := p.c[at], p.c[1-at]
	soon := p.ackTimes(at)
	for _, k := range c.sides() {
		n := c.numbers[k]
		if !slices.ContainsFunc(n.frames, func(f uint32) bool { return c.lacks(f) != nil }) {
			continue
		}
		for _, o := range p.sameNumbers(at, k) {
			there := other.numbers[o.numbersOf]
			for i, f := range n.frames {
				if d := c.lacks(f); d != nil && other.lacks(there.frame(n.from+seq.Num(i)+o.shift)) != nil {
					d.bits &^= sole
				}
			}
			for _, x := range p.claims(o.numbersOf, there) {
				f := n.frame(x.Num - o.shift)
				d := c.lacks(f)
				if d == nil || d.bits&(again|skippable) != 0 || p.wayAt(at, d).first != at {
					continue
				}
				switch {
				case x.Place == seq.BeforeCapture:
					d.bits |= missing
				case x.Place == seq.NotCaptured && !c.transmissions.repeats(f):
					d.bits |= acked | sole
					_, hi := p.arrival(p.wayAt(at, d), at, int32(c.frameIndex(f)))
					if x.Time-(o.conn.LastTime-o.conn.LastStamp)-hi >= soon[p.wayAt(at, d)] {
						d.bits |= slow
					}
				}
			}
		}
	}
}

// lacks is the first datagram of a frame that the other point lacks, nil for none.
func (c *Capture) lacks(f uint32) *datagram {
	if i := c.frameIndex(f); i != none && c.mate[i] == none {
		return &c.list[i]
	}
	return nil
}

// sides are the sides of connections that number their datagrams, in order.
func (c *Capture) sides() []numbersOf {
	keys := make([]numbersOf, 0, len(c.numbers))
	for k := range c.numbers {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b numbersOf) int { return cmp.Or(a.conn.ID-b.conn.ID, int(a.dir)-int(b.dir)) })
	return keys
}
