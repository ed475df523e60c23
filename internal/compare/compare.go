package compare

import (
	"hash/maphash"
	"math"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// Options say what is told.
type Options struct {
	Reference int   // whose clock's times are told, Point1 or Point2
	Interval  int64 // ns, 0 for none
	Span      span
	some      bool // only some connections are shown
}

// A Comparison is what two captures of one session hold.
type Comparison struct {
	p      *pairing
	opts   Options
	sums   []*sum // of each connection
	quotes map[int32][]*quote
	other  map[[2]int32]bool // directions of other UDP
}

// Compare compares two captures whose datagrams were read with the same seed.
func Compare(a, b *Capture, seed maphash.Seed) (*Comparison, error) {
	p := &pairing{c: [2]*Capture{a, b}}
	if err := p.cutAlike(seed); err != nil {
		return nil, err
	}
	p.choose()
	p.collectFlows()
	p.findLines()
	p.pairAll()
	if !p.inCommon() && p.identified(seed) < inOrderIDs {
		return nil, p.nothing()
	}
	p.clocks.none = !a.hasTime || !b.hasTime
	p.resolveCopies()
	if err := p.findAltered(); err != nil {
		return nil, err
	}
	p.readClocks()
	if p.clocks.problem != "" && !p.knowEachOther() {
		return nil, p.alike()
	}
	p.tellFates()
	p.findConns()
	p.listCopies()
	r := &Comparison{p: p, opts: Options{Span: always()}}
	r.number()
	return r, nil
}

// inOrderLeast is how many unique payloads, in order in one direction, make one session, or
// identifications of equal ones between the same addresses. Of so many that some may be overtaken by many
// others, the second half comes after the first one.
const (
	inOrderLeast = 4
	inOrderIDs   = 2
	inHalves     = 64
)

// inCommon reports whether two captures hold the same session.
func (p *pairing) inCommon() bool {
	found := false
	p.ways(func(_ *line, _ int, w *way) {
		n, last := 0, int32(none)
		for _, a := range w.anchors {
			if m := p.c[0].mate[a]; m > last {
				last = m
				n++
			}
		}
		found = found || n >= inOrderLeast && 2*n >= len(w.anchors) || p.halved(w)
	})
	return found
}

// identified is how many datagrams between the same addresses have one identification at both points, each
// its own, 0 where one has another there. Zeros say nothing.
func (p *pairing) identified(seed maphash.Seed) (n int) {
	seen := map[uint16]bool{}
	zeros := make([]byte, math.MaxUint16)
	for i := range p.c[0].list {
		d, m := &p.c[0].list[i], p.c[0].mate[i]
		if m == none || d.bits&copied != 0 || !p.sameAddresses(Point1, &p.c[0].flows[d.flow], m) {
			continue
		}
		if d.ipid == 0 || d.ipid != p.c[1].list[m].ipid {
			return 0
		}
		if !seen[d.ipid] && d.hash != hashOf(seed, int(d.length), zeros[:d.length]) {
			seen[d.ipid] = true
			n++
		}
	}
	return n
}

// halved reports whether nearly each anchor of the second half comes after its like of the first one.
func (p *pairing) halved(w *way) bool {
	half, n := len(w.anchors)/2, 0
	for i, a := range w.anchors[:half] {
		if p.c[0].mate[a] < p.c[0].mate[w.anchors[half+i]] {
			n++
		}
	}
	return 2*half >= inHalves && float64(n) >= leastAgree*float64(half)
}

// number gives connections their numbers, by time on the axis, and their sides.
func (r *Comparison) number() {
	for at, c := range r.p.c {
		for f, k := range r.p.conns.byFlow[at] {
			list := r.p.byFlow[at][f]
			if k == none || len(list) == 0 {
				continue
			}
			x := r.p.conns.all[k]
			first, last := c.list[list[0]].frame, c.list[list[len(list)-1]].frame
			if x.frames[at][0] == 0 || first < x.frames[at][0] {
				x.frames[at][0] = first
			}
			x.frames[at][1] = max(x.frames[at][1], last)
			var p passage
			if r.fill(&p, at, list[0]); !x.begun || p.time < x.first {
				x.begun, x.first, x.flip = true, p.time, p.dir == 1
			}
		}
	}
	all := r.p.conns.all
	stable.Sort(all, func(a, b *conn) int {
		switch {
		case a.first < b.first:
			return -1
		case a.first > b.first:
			return 1
		}
		return 0
	})
	at := make([]int32, len(all))
	for i, x := range all {
		at[x.id] = int32(i)
	}
	for i, x := range all {
		x.id = i
	}
	for _, list := range r.p.conns.byFlow {
		for i, k := range list {
			if k != none {
				list[i] = at[k]
			}
		}
	}
}

// cutAlike makes both captures known by what the shorter of their payloads hold.
func (p *pairing) cutAlike(seed maphash.Seed) error {
	short := none
	for _, c := range p.c {
		if c.shortest != none && (short == none || c.shortest < short) {
			short = c.shortest
		}
	}
	if short == none {
		return nil
	}
	for _, c := range p.c {
		err := c.payloads(func(d *datagram, payload []byte) {
			d.hash = hashOf(seed, int(d.length), payload[:min(short, len(payload))])
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// listCopies lists the further frames of each datagram.
func (p *pairing) listCopies() {
	for at, c := range p.c {
		p.copies[at] = map[int32][]uint32{}
		for i := range c.list {
			if c.list[i].bits&copied != 0 {
				p.copies[at][c.mate[i]] = append(p.copies[at][c.mate[i]], c.list[i].frame)
			}
		}
	}
}
