package compare

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// A conn is one connection as both points have it, or an address pair that looks like one.
type conn struct {
	id     int
	line   int32
	of     [2][]int32 // indexes of the connections of each analysis
	flip   bool       // side a is the second of the line
	first  int64      // time of its first datagram on the axis
	begun  bool
	frames [2][2]uint32 // first and last at each point
	shown  bool
}

// side gives the direction of a way in the connection: 0 is what side a sends.
func (x *conn) side(dir int) dissect.Dir {
	if x.flip {
		dir = 1 - dir
	}
	return dissect.Dir(dir)
}

// conns puts the connections of both analyses together.
type conns struct {
	all    []*conn
	byFlow [2][]int32         // index in all of each flow, none for other UDP
	dirs   [2][]int8          // direction of each flow in its line
	flows  [2]map[int32][]int // of each in all; see flowsOf
}

// flowsOf are the flows of a connection at a point, in order.
func (k *conns) flowsOf(at int, x *conn) []int {
	if k.flows[at] == nil {
		k.flows[at] = map[int32][]int{}
		for i, of := range k.byFlow[at] {
			k.flows[at][of] = append(k.flows[at][of], i)
		}
	}
	return k.flows[at][int32(x.id)]
}

// findConns finds the connections of the document.
func (p *pairing) findConns() {
	k := &p.conns
	for at, c := range p.c {
		k.byFlow[at], k.dirs[at] = make([]int32, len(c.flows)), make([]int8, len(c.flows))
		for i := range c.flows {
			k.byFlow[at][i] = none
			_, dir := p.wayOf(at, &c.flows[i])
			k.dirs[at][i] = int8(dir)
		}
	}
	p.unite()
	p.takeAlong()
	p.unrecognised()
}

// flowPairs counts the datagrams that each two flows share.
func (p *pairing) flowPairs() map[[2]uint32]int {
	votes := map[[2]uint32]int{}
	a, b := p.c[0], p.c[1]
	last := make([]struct {
		of uint32
		n  int
	}, len(a.flows))
	for i := range a.list {
		d := &a.list[i]
		if a.mate[i] == none || d.bits&copied != 0 {
			continue
		}
		l, of := &last[d.flow], b.list[a.mate[i]].flow
		if l.n > 0 && l.of != of {
			votes[[2]uint32{d.flow, l.of}] += l.n
			l.n = 0
		}
		l.of = of
		l.n++
	}
	for f, l := range last {
		if l.n > 0 {
			votes[[2]uint32{uint32(f), l.of}] += l.n
		}
	}
	return votes
}

// unite makes one of the connections of both analyses that share most of what one of them has.
func (p *pairing) unite() {
	a, b := p.c[0], p.c[1]
	offset := int32(len(a.Conns))
	parent := make([]int32, len(a.Conns)+len(b.Conns))
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			i = parent[i]
		}
		return i
	}
	if p.votes2 == nil {
		p.votes2 = p.flowPairs()
	}
	shared, total := map[[2]int32]int{}, map[int32]int{}
	for k, n := range p.votes2 {
		x, y := a.flows[k[0]].conn, b.flows[k[1]].conn
		if x != none {
			total[x] += n
		}
		if y != none {
			total[offset+y] += n
		}
		if x != none && y != none {
			shared[[2]int32{x, offset + y}] += n
		}
	}
	keys := make([][2]int32, 0, len(shared))
	for k := range shared {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y [2]int32) int { return cmp.Or(int(x[0]-y[0]), int(x[1]-y[1])) })
	for _, k := range keys {
		if shared[k]*2 > min(total[k[0]], total[k[1]]) {
			parent[root(k[1])] = root(k[0])
		}
	}
	made := map[int32]*conn{}
	for at, c := range p.c {
		for i := range c.flows {
			f := &c.flows[i]
			if f.conn == none {
				continue
			}
			r := root(f.conn + int32(at)*offset)
			x := made[r]
			if x == nil {
				x = p.newConn(p.of[at][f.pair].line)
				made[r] = x
			}
			if !slices.Contains(x.of[at], f.conn) {
				x.of[at] = append(x.of[at], f.conn)
			}
			p.conns.byFlow[at][i] = int32(x.id)
		}
	}
}

func (p *pairing) newConn(l int32) *conn {
	x := &conn{id: len(p.conns.all), line: l, shown: true}
	p.conns.all = append(p.conns.all, x)
	return x
}

// takeAlong gives flows that one analysis did not recognise to the connection of those that
// they are paired with, or else to the largest of their line.
func (p *pairing) takeAlong() {
	best := [2]map[uint32]int{{}, {}}
	for k, n := range p.votes2 {
		for at := range k {
			mine, other := &p.conns.byFlow[at][k[at]], p.conns.byFlow[1-at][k[1-at]]
			if p.c[at].flows[k[at]].conn == none && other != none && n > best[at][k[at]] {
				*mine, best[at][k[at]] = other, n
			}
		}
	}
	largest := map[int32][2]int{} // of each line: datagrams, connection
	for at, c := range p.c {
		for i := range c.flows {
			if x := p.conns.byFlow[at][i]; x != none {
				l := p.conns.all[x].line
				if n := len(p.byFlow[at][i]); n > largest[l][0] {
					largest[l] = [2]int{n, int(x)}
				}
			}
		}
	}
	for at, c := range p.c {
		for i := range c.flows {
			if x, ok := largest[p.of[at][c.flows[i].pair].line]; ok && p.conns.byFlow[at][i] == none {
				p.conns.byFlow[at][i] = int32(x[1])
			}
		}
	}
}

// unrecognised makes connections of address pairs that an analysis lists as such.
func (p *pairing) unrecognised() {
	made := map[int32]*conn{}
	for at, c := range p.c {
		if c.Story == nil {
			continue
		}
		listed := map[[2]string]bool{}
		for _, u := range c.Story.Telling(c.Conns).Unrecognised {
			listed[[2]string{u.A, u.B}], listed[[2]string{u.B, u.A}] = true, true
		}
		if len(listed) == 0 {
			continue
		}
		for i := range c.flows {
			f := &c.flows[i]
			if p.conns.byFlow[at][i] != none || !listed[[2]string{f.src.String(), f.dst.String()}] {
				continue
			}
			l := p.of[at][f.pair].line
			if made[l] == nil {
				made[l] = p.newConn(l)
			}
		}
	}
	for at, c := range p.c {
		for i := range c.flows {
			if x := made[p.of[at][c.flows[i].pair].line]; x != nil && p.conns.byFlow[at][i] == none {
				p.conns.byFlow[at][i] = int32(x.id)
			}
		}
	}
}

// datagramsOf counts the datagrams of a connection of the analysis of a point.
func (p *pairing) datagramsOf(at int, conn int32) int {
	if p.sizes[at] == nil {
		p.sizes[at] = make([]int, len(p.c[at].Conns))
		for f := range p.c[at].flows {
			if of := p.c[at].flows[f].conn; of != none {
				p.sizes[at][of] += len(p.byFlow[at][f])
			}
		}
	}
	return p.sizes[at][conn]
}

// main is the connection of an analysis that stands for one of the document, nil for none: the
// longest.
func (p *pairing) main(x *conn, at int) *session.Conn {
	var best *session.Conn
	most := -1
	for _, i := range x.of[at] {
		if n := p.datagramsOf(at, i); n > most {
			best, most = p.c[at].Conns[i], n
		}
	}
	return best
}
