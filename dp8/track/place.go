package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Placing says where the number of a data frame stands among those of its side.
type Placing struct {
	Order   Order
	First   bool   // RETRY is clear
	Fresh   bool   // it is the first captured of its number
	Outlier Jump   // of OutOfPlace: the frame that was
	Higher  Record `state:"-"` // of OutOfOrder: one that was sent before
}

type Order uint8

const (
	Unplaced   Order = iota // it says nothing of the order
	NextNumber              // it is the next one
	Ahead                   // numbers before it are missing
	Overtaken               // a higher one overtook it
	OutOfOrder              // a higher one was sent before
	OutOfPlace              // the numbers go on with it, before one that was far ahead
)

// number notes the number of a data frame that is no copy, before it is remembered.
func (c *conn) number(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	n, p, v := &c.side[dir].Numbers, &c.Placing, &c.Verdict
	p.First = d.Control&dp8.CtlRetry == 0
	if c.Frame.HasTime && c.side[dir.Other()].Numbers.claims.Len() > 0 {
		c.settleClaims(dir, num, p.First && v.Novelty == seq.First)
	}
	if j := &n.jump; p.First && v.Novelty == seq.Again && j.set && num == j.Num && num == j.next && j.after == 0 && c.replaced(dir, num, d) {
		p.Order, p.Fresh = OutOfPlace, false
		c.replace(dir, num)
		n.hasOutlier = false
		return
	}
	p.Order = Unplaced
	p.Fresh = v.Novelty == seq.First || p.First && n.hasOutlier && num == n.outlier
	switch {
	case !p.Fresh || v.Novelty == seq.Forgotten || !p.First:
	case n.Started && num == n.TopFirst+1:
		p.Order = NextNumber
		n.TopFirst, n.TopSeen = num, max(n.TopSeen, num)
		n.hasOutlier = n.hasOutlier && num != n.outlier
		n.jump.after++
	default:
		c.place(dir, num)
	}
	if !n.Started {
		n.Started, n.TopFirst, n.TopSeen = true, num, num
	}
	if !(n.hasOutlier && num == n.outlier) {
		n.TopSeen = max(n.TopSeen, num)
	}
}

// place finds the place of a first sending that is not the next one.
func (c *conn) place(dir dissect.Dir, num seq.Num) {
	n := &c.side[dir].Numbers
	switch {
	case !n.Started:
	case num > n.TopFirst:
		c.Placing.Order = Ahead
		cum, ok := c.cumulative(dir)
		n.jump = Jump{set: true, Num: num, next: n.TopFirst + 1, Cum: cum, Known: ok, Frame: c.Frame.Frame, Time: c.Frame.Time}
		n.TopFirst = num
	case n.hasOutlier && num == n.outlier:
		n.hasOutlier = false
	default:
		c.placeLower(dir, num)
	}
}

// placeLower finds the place of a number that is sent for the first time below the highest:
// when that was sent well before, numbers were not taken in order.
func (c *conn) placeLower(dir dissect.Dir, num seq.Num) {
	n, x := &c.side[dir].Numbers, &c.Placing
	goesOn := n.jump.set && num == n.jump.next && n.jump.after == 0
	if n.jump.set && num == n.jump.next {
		n.jump.next++
	}
	if p := &c.Prior; p.Known && p.Look.Acked {
		return // acknowledged before it was captured: it was overtaken, or the other side is at fault
	}
	if knew := c.knewLess(dir, num); knew.IsKnown() && !goesOn {
		x.Order, x.Higher = OutOfOrder, knew
		return
	}
	higher, at := c.sentBefore(dir, num)
	if !higher.IsKnown() {
		x.Order = Overtaken
		return
	}
	if whole := dp8.NewMsg | dp8.EndMsg; c.Packet.DFrame.Command&whole != whole && !goesOn {
		return // parts of a message have a rule of their own: 3.1.4.4
	}
	if !goesOn || at != n.jump.Num {
		x.Order, x.Higher = OutOfOrder, higher
		return
	}
	x.Order = OutOfPlace
	c.replace(dir, num)
}

// sentBefore gives the lowest number above num that was sent for the first time
// more than the reorder horizon ago, and that number.
func (c *conn) sentBefore(dir dissect.Dir, num seq.Num) (f Record, at seq.Num) {
	l := &c.side[dir].Numbers
	for n := num + 1; n <= min(l.TopFirst, num+2*dp8.WindowSize); n++ {
		if f := c.remembered(dir, n); f.IsKnown() && f.First() && c.Frame.Time-f.Time() > c.Prior.horizon {
			return f, n
		}
	}
	return Record{}, 0
}

// replace takes back the frame that was out of place: the numbers go on before it
// (MC-DPL8R 3.1.5.2.1).
func (c *conn) replace(dir dissect.Dir, num seq.Num) {
	n := &c.side[dir].Numbers
	j := &n.jump
	c.Placing.Outlier = *j
	n.outlier, n.hasOutlier, n.TopFirst, n.TopSeen = j.Num, true, num, num
	j.set = false
}

// dropOutlier forgets the frame that was out of place.
func (c *conn) dropOutlier(dir dissect.Dir) {
	if c.Placing.Order == OutOfPlace {
		c.side[dir].History.drop(c.Placing.Outlier.Num)
	}
}

// replaced reports that the numbers went on up to one that was captured ahead of
// them, and that it now has other content: the frame ahead was out of place.
func (c *conn) replaced(dir dissect.Dir, num seq.Num, d *dp8.DFrame) bool {
	f := c.remembered(dir, num)
	return f.IsKnown() && !f.IsCut() && !c.Frame.Cut() && c.params.Signing != dp8.SigningUnknown && !c.unchanged(d, f)
}
