package compare

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/session"
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
	others := p.sameNumbers(at, k)
	if len(others) == 0 {
		return
	}
	told := map[seq.Num]bool{}
	for _, o := range others { // the first analysis has told what it knows
		if first := p.c[Point1].numbers[o.numbersOf]; at == Point2 && first != nil {
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
	done := map[*session.Conn]bool{}
	for len(done) < mostSames {
		other, shift, ok := p.sameNumbersBut(at, k, done)
		if other.conn == nil {
			break
		}
		if done[other.conn] = true; ok {
			all = append(all, sameNumbers{other, shift})
		}
	}
	return all
}

// sameNumbersBut finds one of them that is not found yet.
func (p *pairing) sameNumbersBut(at int, k numbersOf, done map[*session.Conn]bool) (other numbersOf, shift seq.Num, ok bool) {
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
			if conn == nil || done[conn] {
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
