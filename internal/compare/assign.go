package compare

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// Bounds of assigning equal payloads.
const (
	mostOff = 2e9     // by which a delay may differ from those around it, ns
	chunk   = 512     // datagrams that are assigned at a time …
	commits = 384     // … and of them those that the next ones change no more
	mostRow = 1 << 13 // datagrams at the other point that are compared with a chunk
)

const (
	mostEarly  = 2e6 // by which a datagram is faster than all anchors around it, ns
	preference = 64
)

// measure finds how the delays of a way's anchors lie.
func (w *way) measure(deltas []int64) {
	stride := 1 + len(deltas)/mostCounted
	var some, steps []int64
	for i := 0; i < len(deltas); i += stride {
		some = append(some, deltas[i])
		if i > 0 {
			steps = append(steps, abs(deltas[i]-deltas[i-1]))
		}
	}
	w.delta, w.known = median(some), len(deltas) > 0
	w.jitter = max(median(steps), leastJitter)
}

// delta is what clock 2 shows at a datagram's arrival more than clock 1.
func (p *pairing) delta(a int32) int64 {
	c := &p.c[0].list[a]
	return p.c[1].list[p.c[0].mate[a]].time - c.time
}

// common is the median of what the ways measure.
func (p *pairing) common() int64 {
	var all []int64
	p.ways(func(_ *line, _ int, w *way) {
		if w.known {
			all = append(all, w.delta)
		}
	})
	return median(all)
}

// measures are the anchors that bound the delays of a way's datagrams, and how many unique payloads were not at
// both points: its own, or of one that has none, those of all ways.
func (p *pairing) measures(w *way) (anchors []int32, alone [2]int) {
	if len(w.anchors) > 0 {
		return w.anchors, w.alone
	}
	if p.anchors == nil {
		p.ways(func(_ *line, _ int, w *way) {
			p.anchors = append(p.anchors, w.anchors...)
			if len(w.anchors) > 0 {
				p.alones[0], p.alones[1] = p.alones[0]+w.alone[0], p.alones[1]+w.alone[1]
			}
		})
		slices.Sort(p.anchors)
	}
	return p.anchors, p.alones
}

// An assignment pairs the datagrams of one payload.
type assignment struct {
	*matcher
	g      group
	want   []expectation // of each at point 1
	skip   [2]float64
	copies float64 // what it costs that the way made a copy
}

// An expectation is what the anchors around a datagram of point 1 say of its arrival at point 2.
type expectation struct {
	lo, hi        int64 // what the clocks differ by at least and at most …
	soon          int64 // … and where nothing is faster
	first         int   // the point that the way passes first, as far as it is known now
	after, before int32 // what the anchors beside it are at point 2
}

// wanted is the expectation of a datagram.
func (m *matcher) wanted(i int32) (e expectation) {
	e.lo, e.hi = m.expected(i)
	e.first = m.w.first
	e.soon = m.soonest(i, e.first)
	e.after, e.before = m.between(i)
	return e
}

// strange is by how much a difference of the clocks lies outside what is expected, and by how much longer than
// others a datagram with it was on its way.
func (e *expectation) strange(delta int64) (off, held int64) {
	switch e.first {
	case Point1:
		held = delta - e.soon
	case Point2:
		held = e.soon - delta
	}
	return max(e.lo-delta, delta-e.hi, 0), held
}

// assign pairs datagrams of equal payloads: the cheapest way that keeps their order. A pair
// costs by how its delay differs from those around it, a datagram that stays alone by how often
// that happens to unique ones.
func (m *matcher) assign() {
	m.around, m.alones = m.p.measures(m.w)
	m.soften()
	for _, g := range m.w.rest {
		a := &assignment{matcher: m, g: g, want: make([]expectation, len(g[0]))}
		for i, x := range g[0] {
			a.want[i] = m.wanted(x)
		}
		for point := range a.skip {
			alone, all := float64(m.alones[point]), float64(len(m.around)+m.alones[point])
			a.skip[point] = -math.Log((alone + .5) / (all + 1))
		}
		if first := m.w.first; first != none {
			a.copies = -math.Log((float64(m.w.doubled[1-first]) + .5) / float64(len(m.w.anchors)+1))
		}
		a.run()
		a.cross()
		m.note(g)
	}
	m.w.rest, m.w.soft = nil, nil
}

// beside is how many anchors on each side of a datagram bound its delay.
const beside = 3

// expected bounds what the clocks should differ by at the arrival of a datagram: by the
// anchors on both sides of it.
func (m *matcher) expected(i int32) (lo, hi int64) {
	if len(m.around) == 0 {
		return m.p.shift, m.p.shift
	}
	lo, hi = m.p.deltas(m.around, i, beside, math.MaxInt64, math.MinInt64)
	return m.w.softAround(i, lo, hi)
}

// between is what the anchors on both sides of a datagram are at point 2: where datagrams stay in order it lies
// between them there, too.
func (m *matcher) between(i int32) (after, before int32) {
	if len(m.w.anchors) == 0 {
		return math.MaxInt32, none
	}
	k := sort.Search(len(m.w.anchors), func(k int) bool { return m.w.anchors[k] >= i })
	after, before = none, math.MaxInt32
	if k > 0 {
		after = m.p.c[0].mate[m.w.anchors[k-1]]
	}
	if k < len(m.w.anchors) {
		before = m.p.c[0].mate[m.w.anchors[k]]
	}
	return after, before
}

// deltas widens a range by what the clocks differ by at so many anchors on each side of a datagram.
func (p *pairing) deltas(anchors []int32, i int32, beside int, lo, hi int64) (int64, int64) {
	k := sort.Search(len(anchors), func(k int) bool { return anchors[k] >= i })
	for _, a := range anchors[max(0, k-beside):min(len(anchors), k+beside)] {
		d := p.delta(a)
		lo, hi = min(lo, d), max(hi, d)
	}
	return lo, hi
}

// soonest is what the clocks differ by at the arrival of a datagram that nothing holds up: by
// the fastest of many anchors around it.
func (m *matcher) soonest(i int32, first int) int64 {
	const beside = 32
	if len(m.around) == 0 {
		return m.p.shift
	}
	lo, hi := m.p.deltas(m.around, i, beside, math.MaxInt64, math.MinInt64)
	if first == Point2 {
		return hi
	}
	return lo
}

// early and late are when a datagram of point 1 can have arrived at point 2.
func (a *assignment) early(i int) int64 { return a.at(0, a.g[0][i]).time + a.want[i].lo - mostOff }
func (a *assignment) late(i int) int64  { return a.at(0, a.g[0][i]).time + a.want[i].hi + mostOff }

func (a *assignment) arrival(k int) int64 { return a.at(1, a.g[1][k]).time }

// run assigns chunk by chunk.
func (a *assignment) run() {
	n, o := len(a.g[0]), len(a.g[1])
	for i, k := 0, 0; i < n && k < o; {
		for k < o && a.arrival(k) < a.early(i) {
			k++
		}
		to := min(i+chunk, n)
		end := k
		for end < o && end-k < mostRow && a.arrival(end) <= a.late(to-1) {
			end++
		}
		if to == n {
			a.stretch(i, to, k, end, to)
			return
		}
		i, k = a.stretch(i, to, k, end, i+commits)
	}
}

// cost is that of a pair.
func (a *assignment) cost(i, k int) float64 {
	e := &a.want[i]
	off, held := e.strange(a.arrival(k) - a.at(0, a.g[0][i]).time)
	if off > mostOff || held < -mostEarly {
		return math.Inf(1)
	}
	strange := math.Log1p(float64(off) / float64(a.w.jitter))
	if at := a.g[1][k]; at < e.after || at > e.before {
		strange *= 2 // nor is it in its place among what is unique
	}
	// Of several that may be it the one that was held up least is: copies come later.
	return strange + math.Log1p(max(0, float64(held))/float64(a.w.jitter))/preference
}

// alone is what it costs that a datagram of a point stays alone: those that come soon after an equal one at the
// second point may be copies.
func (a *assignment) alone(point, i int) float64 {
	if i > 0 && point == 1-a.w.first && a.w.first != none && a.soonAfter(point, a.g[point][i], a.g[point][i-1]) {
		return min(a.skip[point], a.copies)
	}
	return a.skip[point]
}

// What the last step of a cheapest assignment was.
const (
	stepPair = iota
	stepSkip1
	stepSkip2
)

// stretch finds the cheapest assignment of a range at each point, and pairs those before a
// place at point 1. It gives where to go on.
func (a *assignment) stretch(i0, i1, k0, k1, commit int) (i, k int) {
	n, o := i1-i0, k1-k0
	row, last := make([]float64, o+1), make([]float64, o+1)
	took := make([]uint8, (n+1)*(o+1))
	for x := range n + 1 {
		row, last = last, row
		for y := range o + 1 {
			best, step := math.Inf(1), uint8(stepSkip1)
			if x == 0 && y == 0 {
				best = 0
			}
			if x > 0 && y > 0 {
				if c := last[y-1] + a.cost(i0+x-1, k0+y-1); c < best {
					best, step = c, stepPair
				}
			}
			if x > 0 {
				if c := last[y] + a.alone(0, i0+x-1); c < best {
					best, step = c, stepSkip1
				}
			}
			if y > 0 {
				if c := row[y-1] + a.alone(1, k0+y-1); c < best {
					best, step = c, stepSkip2
				}
			}
			row[y], took[x*(o+1)+y] = best, step
		}
	}
	goOn, end := k0, o
	if commit < i1 { // what lies after is for the next stretch
		for y := range row {
			if row[y] < row[end] {
				end = y
			}
		}
	}
	for x, y := n, end; x > 0 || y > 0; {
		switch step := took[x*(o+1)+y]; {
		case x > 0 && y > 0 && step == stepPair:
			x, y = x-1, y-1
			if i0+x < commit {
				a.p.pair(a.g[0][i0+x], a.g[1][k0+y])
				goOn = max(goOn, k0+y+1)
			}
		case y > 0 && (x == 0 || step == stepSkip2):
			y--
		default:
			x--
		}
	}
	return commit, goOn
}

// mostCross is how many datagrams of one payload that stayed alone at a point are looked through.
const mostCross = 64

// cross pairs what stayed alone at both points although it may be one: another one overtook it.
func (a *assignment) cross() {
	type candidate struct {
		i, k int
		cost float64
	}
	var left [2][]int
	for point := range left {
		for i, x := range a.g[point] {
			if a.p.c[point].mate[x] == none {
				left[point] = append(left[point], i)
			}
		}
	}
	if len(left[0]) > mostCross || len(left[1]) > mostCross {
		return
	}
	var all []candidate
	for _, i := range left[0] {
		for _, k := range left[1] {
			c, most := a.cost(i, k), a.alone(0, i)+a.alone(1, k)
			if off, _ := a.want[i].strange(a.arrival(k) - a.at(0, a.g[0][i]).time); !a.p.repeatsAfter(off) {
				most += strangeness
			}
			if c < most {
				all = append(all, candidate{i, k, c})
			}
		}
	}
	stable.Sort(all, func(x, y candidate) int { return cmp.Compare(x.cost, y.cost) })
	for _, x := range all {
		if i, k := a.g[0][x.i], a.g[1][x.k]; a.p.c[0].mate[i] == none && a.p.c[1].mate[k] == none {
			a.p.pair(i, k)
		}
	}
}

// note keeps what stayed alone after an equal one: it may be a copy of it.
func (m *matcher) note(g group) {
	for point := range g {
		for i, x := range g[point] {
			if i == 0 {
				continue
			}
			if m.soonAfter(point, x, g[point][i-1]) {
				m.w.again[point]++
			}
			if m.p.c[point].mate[x] == none {
				m.w.maybe[point] = append(m.w.maybe[point], [2]int32{x, g[point][i-1]})
			}
		}
	}
}
