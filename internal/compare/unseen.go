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
	for at, c := range p.c {
		keys := make([]numbersOf, 0, len(c.numbers))
		for k, n := range c.numbers {
			if len(n.suspects) > 0 {
				keys = append(keys, k)
			}
		}
		slices.SortFunc(keys, func(a, b numbersOf) int { return cmp.Or(a.conn.ID-b.conn.ID, int(a.dir)-int(b.dir)) })
		for _, k := range keys {
			p.unseenOf(at, k)
		}
	}
}

// unseenOf finds those of one side of a connection that an analysis tells of.
func (p *pairing) unseenOf(at int, k numbersOf) {
	c, n := p.c[at], p.c[at].numbers[k]
	other, shift, ok := p.sameNumbers(at, k)
	if !ok {
		return
	}
	told := map[seq.Num]bool{}
	if first := p.c[Point1].numbers[other]; at == Point2 && first != nil { // the first analysis has told what it knows
		for _, x := range p.claims(other, first) {
			told[x.Num-shift] = true
		}
	}
	for _, x := range p.claims(k, n) {
		if x.Place == seq.AfterCapture || told[x.Num] || p.c[1-at].numbers[other].frame(x.Num+shift) != 0 {
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

// sameNumbers finds the side of a connection at the other point that sends the same datagrams,
// and what to add to a number for the one it has there.
func (p *pairing) sameNumbers(at int, k numbersOf) (other numbersOf, shift seq.Num, ok bool) {
	const tries = 64
	c, o, n := p.c[at], p.c[1-at], p.c[at].numbers[k]
	wanted := map[uint32]seq.Num{}
	stride := max(1, len(n.frames)/tries)
	for i := 0; i < len(n.frames); i += stride {
		for d := i; d < min(len(n.frames), i+stride); d++ {
			f := c.frameIndex(n.frames[d])
			if n.frames[d] == 0 || f == none || c.mate[f] == none || c.list[f].bits&copied != 0 {
				continue
			}
			m := &o.list[c.mate[f]]
			conn := o.connOf(&o.flows[m.flow])
			if conn == nil {
				continue
			}
			if !ok {
				other, ok = numbersOf{conn, o.flows[m.flow].dir}, true
			}
			if other.conn == conn {
				wanted[m.frame] = n.from + seq.Num(d)
			}
			break
		}
	}
	if !ok || o.numbers[other] == nil {
		return other, 0, false
	}
	votes := map[seq.Num]int{}
	for i, f := range o.numbers[other].frames {
		if num, ok := wanted[f]; ok && f != 0 {
			votes[o.numbers[other].from+seq.Num(i)-num]++
		}
	}
	best := 0
	for s, v := range votes {
		if v > best || v == best && s < shift {
			best, shift = v, s
		}
	}
	return other, shift, best > 0
}
