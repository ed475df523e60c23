package compare

import (
	"slices"
	"sort"
)

// fewOvertaken bounds how many datagrams of a capture are overtaken by one: what overtakes more is not the same one at both points.
const fewOvertaken = 64

// partCrossing parts anchors that the order of all others refutes, whatever clocks show: one that was sent long before
// what arrived before it, as where each capture has another one of what is said twice.
func (p *pairing) partCrossing() {
	if !p.crosses() {
		return
	}
	var all []int32
	for i := range p.c[0].list {
		if p.c[0].list[i].bits&anchor != 0 {
			all = append(all, int32(i))
		}
	}
	kept := p.rising(all)
	parted := map[*way]bool{}
	for _, a := range all {
		k := sort.Search(len(kept), func(k int) bool { return kept[k] >= a })
		if k < len(kept) && kept[k] == a {
			continue
		}
		b := p.c[0].mate[a]
		if k > 0 && p.farBefore(b, p.c[0].mate[kept[k-1]]) || k < len(kept) && p.farBefore(p.c[0].mate[kept[k]], b) {
			p.partAnchor(a)
			parted[p.wayAt(Point1, &p.c[0].list[a])] = true
		}
	}
	for w := range parted {
		w.anchors = slices.DeleteFunc(w.anchors, func(a int32) bool { return p.c[0].mate[a] == none })
		deltas := make([]int64, len(w.anchors))
		for i, a := range w.anchors {
			deltas[i] = p.delta(a)
		}
		w.findOutliers(deltas)
		w.measure(deltas)
	}
}

// farBefore reports whether a datagram of point 2 lies too far before another one for one to have overtaken the other.
func (p *pairing) farBefore(i, k int32) bool {
	list := p.c[1].list
	return k-i > fewOvertaken && abs(list[k].time-list[i].time) > mostAway
}

// crosses reports whether an anchor lies far before one that was sent earlier.
func (p *pairing) crosses() bool {
	latest := int32(0)
	for i := range p.c[0].list {
		if p.c[0].list[i].bits&anchor == 0 {
			continue
		}
		if b := p.c[0].mate[i]; b > latest {
			latest = b
		} else if latest-b > fewOvertaken && p.farBefore(b, latest) {
			return true
		}
	}
	return false
}

// rising are most of some anchors that are in the same order at both points.
func (p *pairing) rising(all []int32) []int32 {
	mate := p.c[0].mate
	ends, before := []int{}, make([]int, len(all)) // the last of the best of each length, and what comes before each
	for i, a := range all {
		n := sort.Search(len(ends), func(n int) bool { return mate[all[ends[n]]] >= mate[a] })
		if before[i] = none; n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	out := make([]int32, len(ends))
	for n, i := len(ends)-1, ends[len(ends)-1]; n >= 0; n, i = n-1, before[i] {
		out[n] = all[i]
	}
	return out
}

// partAnchor makes an anchor two datagrams again, each of which a point alone has.
func (p *pairing) partAnchor(a int32) {
	w, b := p.wayAt(Point1, &p.c[0].list[a]), p.c[0].mate[a]
	p.c[0].mate[a], p.c[1].mate[b] = none, none
	p.c[0].list[a].bits &^= anchor
	p.c[1].list[b].bits &^= anchor
	w.alone[0]++
	w.alone[1]++
}
