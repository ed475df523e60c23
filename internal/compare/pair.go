package compare

import (
	"math"
	"slices"
)

// Bounds of pairing.
const (
	leastKept   = 0.5  // share of unique payloads whose identification is the same at both points, if the path keeps it: by chance hardly any is
	fewAnchors  = 4    // below which a way asks the others
	mostAway    = 3e9  // by which the delay of an anchor differs from those around it, ns
	soonCopy    = 2e6  // within which an equal datagram is a copy where no identification tells, ns
	idLasts     = 30e9 // for which an identification stands for one datagram, ns …
	idLastsAny  = 1e9  // … and where it may be made at random, on the way
	leastJitter = 1e6
)

// pairAll pairs the datagrams of all lines.
func (p *pairing) pairAll() {
	sorted := make([][2][]entry, 2*len(p.lines))
	i, kept, ids := 0, 0, 0
	p.ways(func(_ *line, _ int, w *way) {
		s := &sorted[i]
		i++
		s[0], s[1] = p.entries(0, w.lists[0]), p.entries(1, w.lists[1])
		k, n := p.countIDs(s[0], s[1])
		kept, ids = kept+k, ids+n
		w.keepIDs = n >= fewAnchors && float64(k) >= leastKept*float64(n)
		w.known = n >= fewAnchors
	})
	i = 0
	p.ways(func(_ *line, _ int, w *way) {
		if !w.known {
			w.keepIDs = ids >= fewAnchors && float64(kept) >= leastKept*float64(ids)
		}
		w.known = false
		m := &matcher{p: p, w: w}
		m.dedupe(sorted[i])
		m.anchor()
		sorted[i] = [2][]entry{}
		i++
		w.measure(p)
	})
	p.shift = p.common()
	p.ways(func(_ *line, _ int, w *way) {
		if len(w.rest) > 0 {
			(&matcher{p: p, w: w}).assign()
		}
	})
}

// mostCounted is how many unique payloads of a way tell whether the path keeps identifications.
const mostCounted = 1 << 12

// countIDs counts payloads that both points have once, and those of them that have the
// same identification.
func (p *pairing) countIDs(a, b []entry) (kept, all int) {
	join(a, b, func(x, y []entry) bool {
		if len(x) == 1 && len(y) == 1 {
			all++
			if i, k := p.c[0].list[x[0].at].ipid, p.c[1].list[y[0].at].ipid; i == k && i != 0 {
				kept++
			}
		}
		return all < mostCounted
	})
	return kept, all
}

// A group is the datagrams of one way that have one payload, at both points.
type group [2][]int32

// A matcher pairs the datagrams of a way.
type matcher struct {
	p    *pairing
	w    *way
	rest []group
}

func (m *matcher) at(point int, i int32) *datagram { return &m.p.c[point].list[i] }

// dedupe finds the payloads of a way, and marks at each point what is a copy of another frame.
func (m *matcher) dedupe(s [2][]entry) {
	for i, k := 0, 0; i < len(s[0]) || k < len(s[1]); {
		key := uint64(math.MaxUint64)
		if i < len(s[0]) {
			key = s[0][i].key
		}
		if k < len(s[1]) {
			key = min(key, s[1][k].key)
		}
		ei, ek := i, k
		for ei < len(s[0]) && s[0][ei].key == key {
			ei++
		}
		for ek < len(s[1]) && s[1][ek].key == key {
			ek++
		}
		if ei == i+1 && ek == k+1 {
			a, b := s[0][i].at, s[1][k].at
			if m.fits(a, b) { // else one was lost, and another one missed
				m.p.pair(a, b)
			}
		} else if ei-i <= 1 && ek-k <= 1 {
			m.w.alone[0] += ei - i
			m.w.alone[1] += ek - k
		} else {
			m.several(group{m.firsts(0, s[0][i:ei]), m.firsts(1, s[1][k:ek])})
		}
		i, k = ei, ek
	}
}

// fits reports whether the identifications of two datagrams do not tell them apart.
func (m *matcher) fits(a, b int32) bool {
	return !m.w.keepIDs || m.at(0, a).ipid == m.at(1, b).ipid
}

// several sorts datagrams of one payload by their identification, where that tells.
func (m *matcher) several(g group) {
	if len(g[0]) == 0 || len(g[1]) == 0 {
		m.note(g)
		return
	}
	if len(g[0]) == 1 && len(g[1]) == 1 && m.fits(g[0][0], g[1][0]) {
		m.p.pair(g[0][0], g[1][0])
		return
	}
	if !m.w.keepIDs {
		m.rest = append(m.rest, g)
		return
	}
	var byID []group // few have the same payload, mostly
	var index map[uint16]int
	many := len(g[0])+len(g[1]) > 16
	if many {
		index = map[uint16]int{}
	}
	find := func(id uint16) int {
		if many {
			if i, ok := index[id]; ok {
				return i
			}
			return none
		}
		return slices.IndexFunc(byID, func(x group) bool { return m.idOf(x) == id })
	}
	for point := range g {
		for _, i := range g[point] {
			id := m.at(point, i).ipid
			k := find(id)
			if k == none {
				k, byID = len(byID), append(byID, group{})
				if many {
					index[id] = k
				}
			}
			byID[k][point] = append(byID[k][point], i)
		}
	}
	for _, x := range byID {
		switch {
		case len(x[0]) == 0 || len(x[1]) == 0:
		case len(x[0]) == 1 && len(x[1]) == 1 && m.idOf(x) != 0:
			m.p.pair(x[0][0], x[1][0])
		default:
			m.rest = append(m.rest, x)
		}
	}
}

// idOf is the identification of a group that has one.
func (m *matcher) idOf(g group) uint16 {
	if len(g[0]) > 0 {
		return m.at(0, g[0][0]).ipid
	}
	return m.at(1, g[1][0]).ipid
}

// firsts leaves out what is a copy of another frame of the same point.
func (m *matcher) firsts(point int, list []entry) (out []int32) {
	for _, e := range list {
		of := int32(none)
		for k := len(out) - 1; k >= 0; k-- {
			if m.isCopy(point, out[k], e.at) {
				of = out[k]
				break
			}
			if m.at(point, e.at).time-m.at(point, out[k]).time > m.idLasts() {
				break
			}
		}
		if of == none {
			out = append(out, e.at)
			continue
		}
		m.p.c[point].mate[e.at] = of
		m.at(point, e.at).bits |= copied
	}
	return out
}

// isCopy reports whether of two equal datagrams at one point the later is a copy of the other: it has its
// identification, or hardly any time lies between.
func (m *matcher) isCopy(point int, first, later int32) bool {
	a, b := m.at(point, first), m.at(point, later)
	apart := abs(b.time - a.time)
	if a.ipid != 0 && b.ipid != 0 && m.p.counts(point, a.flow) {
		return a.ipid == b.ipid && apart < m.idLasts()
	}
	return apart < soonCopy && m.p.mirrored(point) // else see resolveCopies
}

// idLasts is for how long an identification stands for one datagram.
func (m *matcher) idLasts() int64 {
	if m.w.keepIDs {
		return idLasts
	}
	return idLastsAny
}

// anchor makes anchors of what needed no choice.
func (m *matcher) anchor() {
	c := m.p.c[0]
	n := 0
	for _, i := range m.w.lists[0] {
		if c.mate[i] != none && c.list[i].bits&copied == 0 {
			n++
		}
	}
	m.w.anchors = make([]int32, 0, n)
	for _, i := range m.w.lists[0] {
		if c.mate[i] != none && c.list[i].bits&copied == 0 {
			m.w.anchors = append(m.w.anchors, i)
		}
	}
	m.sift()
	for _, a := range m.w.anchors {
		m.at(0, a).bits |= anchor
		m.at(1, c.mate[a]).bits |= anchor
	}
	m.w.rest = m.rest
}

// sift moves anchors to the rest whose delay is far from that of those around them: one was
// lost and another one of the same payload missed.
func (m *matcher) sift() {
	const around = 4
	all := m.w.anchors
	if len(all) <= around {
		return
	}
	deltas := make([]int64, len(all))
	for i, a := range all {
		deltas[i] = m.p.delta(a)
	}
	var far []int
	for i, d := range deltas {
		if i > 0 && abs(d-deltas[i-1]) < mostAway/around || i+1 < len(deltas) && abs(d-deltas[i+1]) < mostAway/around {
			continue
		}
		n, away := 0, 0
		for k := max(0, i-around); k < min(len(all), i+around+1); k++ {
			if n++; abs(deltas[k]-d) > mostAway {
				away++
			}
		}
		if away > (n-1)*3/4 {
			far = append(far, i)
		}
	}
	if len(far)*2 >= len(all) {
		return
	}
	for _, i := range far {
		a := all[i]
		b := m.p.c[0].mate[a]
		m.p.c[0].mate[a], m.p.c[1].mate[b] = none, none
		m.rest = append(m.rest, group{{a}, {b}})
		all[i] = none
	}
	m.w.anchors = slices.DeleteFunc(all, func(a int32) bool { return a == none })
}

// pair makes two datagrams one.
func (p *pairing) pair(a, b int32) { p.c[0].mate[a], p.c[1].mate[b] = b, a }

// counts reports whether a sender counts its datagrams in their identification: there are many.
func (p *pairing) counts(point int, f uint32) bool {
	if p.counting[point] == nil {
		p.counting[point] = make([]int8, len(p.c[point].flows))
	}
	known := &p.counting[point][f]
	if *known == 0 {
		list := p.byFlow[point][f]
		list = list[:min(len(list), 256)]
		ids := map[uint16]bool{}
		for _, i := range list {
			ids[p.c[point].list[i].ipid] = true
		}
		*known = 1
		if len(ids)*3 < len(list) {
			*known = -1
		}
	}
	return *known > 0
}

// mirrored reports whether a capture holds nearly everything twice, as that of a mirror port may.
func (p *pairing) mirrored(point int) bool {
	if p.mirror[point] == 0 {
		list, twice := p.c[point].list, 0
		list = list[:min(len(list), 1<<12)]
		for i := 1; i < len(list); i++ {
			if a, b := &list[i-1], &list[i]; a.hash == b.hash && a.flow == b.flow && b.time-a.time < soonCopy {
				twice++
			}
		}
		p.mirror[point] = -1
		if twice*3 > len(list) {
			p.mirror[point] = 1
		}
	}
	return p.mirror[point] > 0
}
