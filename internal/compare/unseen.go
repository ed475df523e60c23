package compare

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/session/seq"
)

// An unseen datagram is in neither capture: numbers prove that it was sent.
type unseen struct {
	fate  Fate
	point int   // whose analysis says so
	time  int64 // of that point's clock
	conn  numbersOf
}

// tellUnseen finds the datagrams that are in neither capture.
func (p *pairing) tellUnseen() {
	if p.same {
		return
	}
	for _, at := range []int{p.canon, 1 - p.canon} {
		c := p.c[at]
		for _, k := range c.sides() {
			if len(c.numbers[k].suspects) > 0 {
				p.unseenOf(at, k)
			}
		}
	}
}

// unseenOf finds those of one side of a connection that an analysis tells of.
func (p *pairing) unseenOf(at int, k numbersOf) {
	c, n := p.c[at], p.c[at].numbers[k]
	others := p.sameNumbers(at, k)
	if len(others) == 0 {
		return
	}
	told := map[seq.Num]bool{}
	for _, o := range others { // the analysis of the chosen point has told what it knows
		if first := p.c[p.canon].numbers[o.numbersOf]; at != p.canon && first != nil {
			for _, x := range p.claims(o.numbersOf, first) {
				told[x.Num-o.shift] = true
			}
		}
	}
	has := func(x seq.Num) bool {
		return slices.ContainsFunc(others, func(o sameNumbers) bool { return p.c[1-at].numbers[o.numbersOf].frame(x+o.shift) != 0 })
	}
	for _, x := range p.claims(k, n) {
		if x.Place == seq.AfterCapture || told[x.Num] || has(x.Num) {
			continue
		}
		u := unseen{fate: LostBefore, point: at, time: x.Time - (k.conn.LastTime - k.conn.LastStamp), conn: k}
		if x.Place == seq.NotCaptured {
			u.fate = MissedByBoth
		}
		if c.cut() && u.time > c.window.last {
			continue
		}
		if !c.hasTime || u.time < c.first || u.time > c.last {
			u.time = max(c.first, min(c.last, u.time))
		}
		p.unseen = append(p.unseen, u)
	}
}

// sameNumbers is the side of a connection at the other point that sends the same datagrams, and what to
// add to a number for the one it has there.
type sameNumbers struct {
	numbersOf
	shift seq.Num
}

// mostSames is how many connections at the other point one may be, as after a router that gives it
// other addresses.
const mostSames = 4

// sameNumbers finds them for a side of a connection.
func (p *pairing) sameNumbers(at int, k numbersOf) (all []sameNumbers) {
	for _, other := range p.sharing(at, k) {
		if shift, ok := p.numbersShift(at, k, other); ok {
			all = append(all, sameNumbers{other, shift})
		}
	}
	return all
}

// sharing are the sides at the other point that have datagrams of a side, those with most of them first.
func (p *pairing) sharing(at int, k numbersOf) (all []numbersOf) {
	if p.sides[at] == nil {
		p.sides[at] = map[numbersOf]map[numbersOf]int{}
		for of, n := range p.votes2 {
			x, y := p.c[at].sideOf(of[at]), p.c[1-at].sideOf(of[1-at])
			if p.sides[at][x] == nil {
				p.sides[at][x] = map[numbersOf]int{}
			}
			p.sides[at][x][y] += n
		}
	}
	votes := p.sides[at][k]
	for of := range votes {
		if p.c[1-at].numbers[of] != nil {
			all = append(all, of)
		}
	}
	slices.SortFunc(all, func(a, b numbersOf) int {
		return cmp.Or(votes[b]-votes[a], a.conn.ID-b.conn.ID, int(a.dir)-int(b.dir))
	})
	return all[:min(len(all), mostSames)]
}

// sideOf is the side of a connection that a flow is of.
func (c *Capture) sideOf(f uint32) numbersOf { return numbersOf{c.connOf(&c.flows[f]), c.flows[f].dir} }

// numbersShift is what to add to a number of a side for the one that the same datagram has at the other point.
func (p *pairing) numbersShift(at int, k, other numbersOf) (shift seq.Num, ok bool) {
	const tries = 64
	c, o, n := p.c[at], p.c[1-at], p.c[at].numbers[k]
	wanted, among := map[uint32]seq.Num{}, frameSet(nil)
	stride := max(1, len(n.frames)/tries)
	for i := 0; i < len(n.frames); i += stride {
		for d := i; d < min(len(n.frames), i+stride); d++ {
			f := c.frameIndex(n.frames[d])
			if n.frames[d] == 0 || f == none || c.mate[f] == none || c.list[f].bits&copied != 0 {
				continue
			}
			m := &o.list[c.mate[f]]
			if g := &o.flows[m.flow]; o.connOf(g) != other.conn || g.dir != other.dir {
				continue
			}
			wanted[m.frame] = n.from + seq.Num(d)
			among.add(m.frame)
			break
		}
	}
	votes := map[seq.Num]int{}
	for i, f := range o.numbers[other].frames {
		if f != 0 && among.has(f) {
			votes[o.numbers[other].from+seq.Num(i)-wanted[f]]++
		}
	}
	best := 0
	for s, v := range votes {
		if v > best || v == best && s < shift {
			best, shift = v, s
		}
	}
	return shift, best > 0
}
