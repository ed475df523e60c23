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
		w.first = p.byTTL(w)
		sorted[i] = [2][]entry{}
		i++
		w.findOutliers(m.deltas)
		w.measure(m.deltas)
	})
	p.room = nil
	p.partCrossing()
	slices.Sort(p.repeats)
	p.ways(func(_ *line, _ int, w *way) { p.partRepeats(w) })
	p.shift = p.common()
	p.findFirst()
	p.ways(func(_ *line, _ int, w *way) {
		if len(w.rest) > 0 {
			(&matcher{p: p, w: w}).assign()
		}
	})
}

// mostCounted is how many datagrams of a way tell whether the path keeps identifications.
const (
	mostCounted = 1 << 12
	mostSame    = 1 << 10 // equal ones at one point times those at the other
)

// countIDs counts datagrams whose payload both points have, and those of them that have the
// same identification there.
func (p *pairing) countIDs(a, b []entry) (kept, all int) {
	join(a, b, func(x, y []entry) bool {
		if len(x)*len(y) > mostSame {
			return true
		}
		ids := map[uint16]bool{}
		for _, e := range x {
			if e.ipid != 0 {
				ids[e.ipid] = true
			}
		}
		all += min(len(x), len(y))
		for _, e := range y {
			if ids[e.ipid] {
				kept++
				delete(ids, e.ipid)
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
	p      *pairing
	w      *way
	rest   []group
	deltas []int64 // of the anchors
	around []int32 // see measures
	alones [2]int  // likewise
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
			if a, b := &s[0][i], &s[1][k]; !m.w.keepIDs || a.ipid == b.ipid { // else one was lost, and another one missed
				m.p.pair(a.at, b.at)
			}
		} else if ei-i <= 1 && ek-k <= 1 {
			m.w.alone[0] += ei - i
			m.w.alone[1] += ek - k
		} else {
			m.several([2][]entry{m.firsts(0, s[0][i:ei]), m.firsts(1, s[1][k:ek])})
		}
		i, k = ei, ek
	}
}

// several sorts datagrams of one payload by their identification, where that tells.
func (m *matcher) several(e [2][]entry) {
	for point, list := range e {
		m.repeated(point, list)
		m.surplus(point, list, len(e[1-point]))
	}
	switch {
	case len(e[0]) == 0 || len(e[1]) == 0:
		m.note(groupOf(e))
	case len(e[0]) == 1 && len(e[1]) == 1 && (!m.w.keepIDs || e[0][0].ipid == e[1][0].ipid):
		m.p.pair(e[0][0].at, e[1][0].at)
	case !m.w.keepIDs:
		m.rest = append(m.rest, groupOf(e))
	default:
		m.byID(e)
	}
}

// surplus counts what a point has more of a payload than the other one, where few are equal.
func (m *matcher) surplus(point int, list []entry, others int) {
	switch n := len(list) - others; {
	case n <= 0 || len(list) > fewRepeats:
	case len(list) == 2 && n == 1 && m.soonAfter(point, list[1].at, list[0].at):
		m.w.doubled[point]++
	default:
		m.w.alone[point] += n
	}
}

// soonAfter reports whether a datagram comes so soon after an equal one that it may be a copy of it.
func (m *matcher) soonAfter(point int, i, before int32) bool {
	return m.at(point, i).time-m.at(point, before).time < laterCopy
}

// groupOf are the datagrams of two lists.
func groupOf(e [2][]entry) (g group) {
	for point, list := range e {
		g[point] = make([]int32, len(list))
		for i := range list {
			g[point][i] = list[i].at
		}
	}
	return g
}

// byID pairs equal datagrams whose identification each point has once; of the others those that have
// one are a group.
func (m *matcher) byID(e [2][]entry) {
	seen := &m.p.ids
	for point, list := range e {
		for _, x := range list {
			s := &seen[x.ipid]
			s.n[point]++
			s.at[point] = x.at
		}
	}
	var groups []group
	index := map[uint16]int{}
	for point, list := range e {
		for _, x := range list {
			s := &seen[x.ipid]
			switch {
			case s.n[0] == 0 || s.n[1] == 0:
				continue
			case s.n == [2]int32{1, 1} && x.ipid != 0:
				m.p.pair(s.at[0], s.at[1])
				continue
			}
			k, ok := index[x.ipid]
			if !ok {
				k = len(groups)
				index[x.ipid], groups = k, append(groups, group{})
			}
			groups[k][point] = append(groups[k][point], x.at)
		}
	}
	for _, list := range e {
		for _, x := range list {
			seen[x.ipid] = identified{}
		}
	}
	m.rest = append(m.rest, groups...)
}

// identified is the datagrams of one payload that have one identification: how many at each point, and
// the latest.
type identified struct{ n, at [2]int32 }

// firsts leaves out what is a copy of another frame of the same point: it has its identification,
// or hardly any time lies between. The list is changed.
func (m *matcher) firsts(point int, list []entry) []entry {
	out := list[:0]
	counts, lasts := m.counts(point), m.idLasts()
	for _, e := range list {
		of := int32(none)
		if counts && e.ipid != 0 {
			if k := m.withID(out, e.ipid, len(list)); k != none && abs(m.at(point, e.at).time-m.at(point, out[k].at).time) < lasts {
				of = out[k].at
			}
		} else if n := len(out); n > 0 && m.p.mirrored(point) && abs(m.at(point, e.at).time-m.at(point, out[n-1].at).time) < soonCopy { // else see resolveCopies
			of = out[n-1].at
		}
		if of == none {
			if len(list) > fewEqual {
				m.p.latest[e.ipid] = int32(len(out))
			}
			out = append(out, e)
			continue
		}
		m.p.c[point].mate[e.at] = of
		m.at(point, e.at).bits |= copied
	}
	return out
}

// fewEqual is how many equal datagrams are looked through.
const fewEqual = 8

// withID finds the latest of the equal datagrams of a point that has an identification.
func (m *matcher) withID(list []entry, id uint16, of int) int {
	if of > fewEqual {
		if k := int(m.p.latest[id]); k < len(list) && list[k].ipid == id {
			return k
		}
		return none
	}
	for k := len(list) - 1; k >= 0; k-- {
		if list[k].ipid == id {
			return k
		}
	}
	return none
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
	m.w.anchors = make([]int32, 0, min(len(m.w.lists[0]), len(m.w.lists[1])))
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
	deltas := make([]int64, len(all))
	for i, a := range all {
		deltas[i] = m.p.delta(a)
	}
	m.deltas = deltas
	if len(all) <= around {
		return
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
		all[i], deltas[i] = none, math.MaxInt64
	}
	m.w.anchors = slices.DeleteFunc(all, func(a int32) bool { return a == none })
	m.deltas = slices.DeleteFunc(deltas, func(d int64) bool { return d == math.MaxInt64 })
}

// pair makes two datagrams one.
func (p *pairing) pair(a, b int32) { p.c[0].mate[a], p.c[1].mate[b] = b, a }

// counts reports whether the senders of a way do so at a point.
func (m *matcher) counts(point int) bool {
	if len(m.w.lists[point]) == 0 {
		return false
	}
	return m.p.counts(point, m.at(point, m.w.lists[point][0]).flow)
}

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
