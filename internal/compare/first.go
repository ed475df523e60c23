package compare

import "slices"

// Bounds of what tells which point a way passes first.
const (
	leastDelay  = 100e3 // by which the delays of both directions differ, ns: two taps of one place differ by less
	leastAgree  = 0.9   // share of the differences that have one sign
	mostSamples = 256   // anchors that are looked at
)

// findFirst finds for each way which point it passes first.
func (p *pairing) findFirst() {
	p.same = true
	for _, l := range p.lines {
		for dir := range l.dirs {
			l.dirs[dir].first = p.byTTL(&l.dirs[dir])
		}
		l.agree()
		if l.dirs[0].first == none {
			l.dirs[0].first = p.byDelay(l)
			l.agree()
		}
		p.same = p.same && l.dirs[0].first == none && l.dirs[1].first == none
	}
	p.same = p.same && p.atOnce()
	p.byMachine()
}

// agree lets one direction pass the points the other way round than the other one.
func (l *line) agree() {
	for dir := range l.dirs {
		if a, b := &l.dirs[dir], &l.dirs[1-dir]; a.first == none && b.first != none {
			a.first = 1 - b.first
		}
	}
}

// sampled gives some of a way's anchors.
func (w *way) sampled() []int32 {
	n := len(w.anchors)
	if n <= mostSamples {
		return w.anchors
	}
	out := make([]int32, 0, mostSamples)
	for i := range mostSamples {
		out = append(out, w.anchors[i*n/mostSamples])
	}
	return out
}

// byTTL tells the first point by how far datagrams have come.
func (p *pairing) byTTL(w *way) int {
	more, n := [2]int{}, 0
	for _, a := range w.sampled() {
		x, y := &p.c[0].list[a], &p.c[1].list[p.c[0].mate[a]]
		switch {
		case x.ttl > y.ttl:
			more[0]++
		case x.ttl < y.ttl:
			more[1]++
		}
		n++
	}
	for point := range more {
		if n > 0 && float64(more[point]) >= leastAgree*float64(n) {
			return point
		}
	}
	return none
}

// byDelay tells the first point of a line's forward way by the delays of both directions, near
// in time: what the clocks differ by falls out.
func (p *pairing) byDelay(l *line) int {
	f, b := &l.dirs[0], &l.dirs[1]
	if len(f.anchors) == 0 || len(b.anchors) == 0 {
		return none
	}
	var diffs []int64
	k := 0
	for _, a := range f.sampled() {
		for k+1 < len(b.anchors) && b.anchors[k+1] < a {
			k++
		}
		diffs = append(diffs, p.delta(a)-p.delta(b.anchors[k]))
	}
	d := median(diffs)
	agree := 0
	for _, x := range diffs {
		if (x > 0) == (d > 0) {
			agree++
		}
	}
	switch {
	case abs(d) < leastDelay || float64(agree) < leastAgree*float64(len(diffs)):
		return none
	case d > 0:
		return Point1
	}
	return Point2
}

// atOnce reports whether nothing shows that any time passes between the points.
func (p *pairing) atOnce() bool {
	var all []int64
	p.ways(func(_ *line, _ int, w *way) {
		for _, a := range w.sampled() {
			all = append(all, p.delta(a))
		}
	})
	if len(all) == 0 {
		return false
	}
	slices.Sort(all)
	return all[len(all)*19/20]-all[len(all)/20] < 4*leastDelay
}

// byMachine tells the first point by what is known of other lines of the same machine.
func (p *pairing) byMachine() {
	known := map[[16]byte]*[2]int{}
	source := func(l *line, dir int) (ip [16]byte) {
		x := p.c[0].pairs
		at, swaps := 0, false
		if len(l.pairs[0]) == 0 {
			x, at = p.c[1].pairs, 1
		}
		i := l.pairs[at][0]
		swaps = p.of[at][i].swaps
		if (dir == 0) != swaps {
			return x[i].lo.IP
		}
		return x[i].hi.IP
	}
	p.ways(func(l *line, dir int, w *way) {
		if w.first != none {
			ip := source(l, dir)
			if known[ip] == nil {
				known[ip] = &[2]int{}
			}
			known[ip][w.first]++
		}
	})
	for _, l := range p.lines {
		for dir := range l.dirs {
			if n := known[source(l, dir)]; n != nil && l.dirs[dir].first == none && n[0] != n[1] {
				l.dirs[dir].first = Point1
				if n[1] > n[0] {
					l.dirs[dir].first = Point2
				}
			}
		}
		l.agree()
	}
}
