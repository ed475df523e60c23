package track

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A placing says where the number of a data frame stands among those of its side.
type placing struct {
	order   order
	first   bool       // RETRY is clear
	fresh   bool       // it is the first captured of its number
	outlier jump       // of OutOfPlace: the frame that was
	higher  *sentFrame // of OutOfOrder: one that was sent before
}

type order uint8

const (
	unplaced   order = iota // it says nothing of the order
	nextNumber              // it is the next one
	ahead                   // numbers before it are missing
	overtaken               // a higher one overtook it
	outOfOrder              // a higher one was sent before
	outOfPlace              // the numbers go on with it, before one that was far ahead
)

// number notes the number of a data frame that is no copy, before it is remembered.
func (c *conn) number(dir int, num int64, d *dp8.DFrame) {
	n, p, v := &c.side[dir].numbers, &c.placed, &c.verdict
	p.first = d.Control&dp8.CtlRetry == 0
	if c.fr.HasTime && c.side[1-dir].numbers.claims.Len() > 0 {
		c.settleClaims(dir, num, p.first && v.Novelty == seq.First)
	}
	if j := &n.jump; p.first && v.Novelty == seq.Again && j.set && num == j.num && num == j.next && j.after == 0 && c.replaced(dir, num, d) {
		p.order, p.fresh = outOfPlace, false
		c.replace(dir, num)
		n.hasOutlier = false
		return
	}
	p.order = unplaced
	p.fresh = v.Novelty == seq.First || p.first && n.hasOutlier && num == n.outlier
	switch {
	case !p.fresh || v.Novelty == seq.Forgotten || !p.first:
	case n.started && num == n.high+1:
		p.order = nextNumber
		n.high, n.seen = num, max(n.seen, num)
		n.hasOutlier = n.hasOutlier && num != n.outlier
		n.jump.after++
	default:
		c.place(dir, num)
	}
	if !n.started {
		n.started, n.high, n.seen = true, num, num
	}
	if !(n.hasOutlier && num == n.outlier) {
		n.seen = max(n.seen, num)
	}
}

// place finds the place of a first sending that is not the next one.
func (c *conn) place(dir int, num int64) {
	n := &c.side[dir].numbers
	switch {
	case !n.started:
	case num > n.high:
		c.placed.order = ahead
		cum, ok := c.cumulative(dir)
		n.jump = jump{true, num, n.high + 1, cum, ok, c.fr.Frame, c.fr.Time, 0}
		n.high = num
	case n.hasOutlier && num == n.outlier:
		n.hasOutlier = false
	default:
		c.placeLower(dir, num)
	}
}

// placeLower finds the place of a number that is sent for the first time below the highest:
// when that was sent well before, numbers were not taken in order.
func (c *conn) placeLower(dir int, num int64) {
	n, x := &c.side[dir].numbers, &c.placed
	goesOn := n.jump.set && num == n.jump.next && n.jump.after == 0
	if n.jump.set && num == n.jump.next {
		n.jump.next++
	}
	if p := &c.prior; p.known && p.look.Acked {
		return // acknowledged before it was captured: it was overtaken, or the other side is at fault
	}
	higher, at := c.sentBefore(dir, num)
	if higher == nil {
		x.order = overtaken
		return
	}
	if whole := dp8.NewMsg | dp8.EndMsg; c.f.DFrame.Command&whole != whole && !goesOn {
		return // parts of a message have a rule of their own: 3.1.4.4
	}
	if !goesOn || at != n.jump.num {
		x.order, x.higher = outOfOrder, higher
		return
	}
	x.order = outOfPlace
	c.replace(dir, num)
}

// sentBefore gives the lowest number above num that was sent for the first time
// more than the reorder horizon ago, and that number.
func (c *conn) sentBefore(dir int, num int64) (f *sentFrame, at int64) {
	l := &c.side[dir].numbers
	for n := num + 1; n <= min(l.high, num+2*dp8.WindowSize); n++ {
		if f := c.remembered(dir, n); f != nil && f.first && c.fr.Time-f.time > c.prior.horizon {
			return f, n
		}
	}
	return nil, 0
}

// replace takes back the frame that was out of place: the numbers go on before it
// (MC-DPL8R 3.1.5.2.1).
func (c *conn) replace(dir int, num int64) {
	n := &c.side[dir].numbers
	j := &n.jump
	c.placed.outlier = *j
	n.outlier, n.hasOutlier, n.high, n.seen = j.num, true, num, num
	j.set = false
}

// dropOutlier forgets the frame that was out of place.
func (c *conn) dropOutlier(dir int) {
	if c.placed.order == outOfPlace {
		c.side[dir].history.frames.Drop(c.placed.outlier.num)
	}
}

// replaced reports that the numbers went on up to one that was captured ahead of
// them, and that it now has other content: the frame ahead was out of place.
func (c *conn) replaced(dir int, num int64, d *dp8.DFrame) bool {
	f := c.remembered(dir, num)
	return f != nil && !f.cut && !c.fr.Cut() && c.params.Signing != dp8.SigningUnknown && !c.unchanged(d, f)
}
