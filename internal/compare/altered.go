package compare

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// Bounds of what counts as the same datagram with other bytes.
const (
	mostChanged   = 4       // of so many bytes, one may be changed where captures miss nothing
	leastLong     = 64      // bytes of which no two datagrams differ by so few
	leastWhole    = 12      // bytes of which one may be changed where they do: counters of short ones differ by as much
	mostAltered   = 1 << 16 // candidates …
	mostOptions   = 16      // … and of one datagram
	mostOvertaken = 200e6   // by which one whose bytes were changed is later than others, ns
	lonelyTimes   = 16      // times the time in which one is expected, in which no other one is like it
	mostCoincide  = 0.01    // share of the datagrams that one point lacks times that of the other
)

// A change is two datagrams that may be one whose bytes were changed on the way.
type change struct {
	at      [2]int32
	sure    bool  // one identification
	arrival int   // the point that has it second
	off     int64 // by which its delay is not what those around it have, ns
	offsets []int
	shorter int  // bytes that both captures hold
	lonely  bool // no other one of its length is alone at either point near in time
}

// findAltered pairs what is left of a way: by identification where the path keeps it, else by
// length and time, where most of the bytes agree.
func (p *pairing) findAltered() error {
	p.findOpen()
	defer p.dropPaired()
	all, left := p.changes()
	if len(all) == 0 {
		return nil
	}
	if err := p.readChanges(all); err != nil {
		return err
	}
	stable.Sort(all, func(a, b change) int {
		return cmp.Or(cmp.Compare(len(a.offsets), len(b.offsets)), cmp.Compare(a.off, b.off), cmp.Compare(a.at[p.canon], b.at[p.canon]))
	})
	// Where much more is left than what fits, the first capture misses datagrams, and others
	// are left beside them by chance.
	fits, misses := [2]int{}, [2]bool{}
	for _, x := range chosen(all, misses, false) {
		fits[x.arrival]++
	}
	for arrival := range misses {
		misses[arrival] = 2*fits[arrival] < left[arrival]
	}
	p.changed = map[int32][]int{}
	for _, x := range chosen(all, misses, len(chosen(all, misses, false)) > 0) {
		p.pair(x.at[0], x.at[1])
		p.c[0].list[x.at[0]].bits |= altered
		p.c[1].list[x.at[1]].bits |= altered
		p.changed[x.at[0]] = x.offsets
	}
	return nil
}

// chosen are changes one to one, the best first: those of which as many were sent as arrived, and those that
// are long enough; where captures miss datagrams, those whose like fits nothing else. Where bytes are changed for sure,
// short ones count, too, if they are lonely.
func chosen(all []change, misses [2]bool, short bool) (out []*change) {
	groups := groupsOf(all)
	taken := [2]map[int32]bool{{}, {}}
	for i := range all {
		x := &all[i]
		m := misses[x.arrival]
		if !x.fits(m, short) || taken[0][x.at[0]] || taken[1][x.at[1]] {
			continue
		}
		if n := groups[x.at[0]]; !x.sure && (m || x.shorter < leastLong) && (!x.near() || n[0] != n[1] || m && n[0] > 1) {
			continue
		}
		taken[0][x.at[0]], taken[1][x.at[1]] = true, true
		out = append(out, x)
	}
	return out
}

// groupsOf counts how many datagrams of each point come into question for each other, by each of point 1.
func groupsOf(all []change) map[int32][2]int {
	next := map[int32]int32{} // datagrams of point 2 as ^index
	root := func(i int32) int32 {
		for {
			k, ok := next[i]
			if !ok || k == i {
				return i
			}
			i = k
		}
	}
	for i := range all {
		if x := &all[i]; x.near() {
			a, b := root(x.at[0]), root(^x.at[1])
			next[a], next[b] = b, b
		}
	}
	counts, out := map[int32][2]int{}, map[int32][2]int{}
	for i := range next {
		n := counts[root(i)]
		if i < 0 {
			n[1]++
		} else {
			n[0]++
		}
		counts[root(i)] = n
	}
	for i := range next {
		out[i] = counts[root(i)]
	}
	return out
}

// near reports whether the delay is that of others.
func (x *change) near() bool { return x.sure || x.off == 0 }

// readChanges finds the bytes by which both datagrams of each change differ.
func (p *pairing) readChanges(all []change) error {
	var bytes [2]map[int32][]byte
	for point, c := range p.c {
		bytes[point] = map[int32][]byte{}
		var frames []uint32
		for i := range all {
			at := all[i].at[point]
			if _, ok := bytes[point][at]; !ok {
				bytes[point][at] = nil
				frames = append(frames, c.list[at].frame)
			}
		}
		slices.Sort(frames)
		at := int32(0)
		err := c.payloads(func(d *datagram, payload []byte) {
			for ; &c.list[at] != d; at++ {
			}
			if _, ok := bytes[point][at]; ok {
				bytes[point][at] = slices.Clone(payload)
			}
		}, frames)
		if err != nil {
			return err
		}
	}
	for i := range all {
		a, b := bytes[0][all[i].at[0]], bytes[1][all[i].at[1]]
		all[i].offsets, all[i].shorter = differing(a, b), min(len(a), len(b))
	}
	return nil
}

// fits reports whether few enough bytes differ, and next to each other.
func (x *change) fits(misses, short bool) bool {
	n, k := x.shorter, len(x.offsets)
	switch {
	case k == 0:
		return false
	case x.sure:
		return true
	case misses:
		return k == 1 && (n >= leastWhole || short && x.lonely)
	}
	return k*mostChanged <= n+mostChanged && x.offsets[k-1]-x.offsets[0] == k-1
}

func differing(a, b []byte) (offsets []int) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			offsets = append(offsets, i)
		}
	}
	return offsets
}

// coincides reports whether both points lack so many datagrams that one which was sent and another one
// which arrived are often left side by side.
func (w *way) coincides() bool {
	n := float64(len(w.anchors))
	return float64(w.alone[0])*float64(w.alone[1]) > mostCoincide*n*n
}

// changes are the candidates, and how many datagrams are at each point that came there second and that the
// other one has not.
func (p *pairing) changes() (all []change, left [2]int) {
	p.ways(func(_ *line, _ int, w *way) {
		if len(w.anchors) == 0 || w.first == none {
			return
		}
		m := &matcher{p: p, w: w, around: w.anchors}
		var alone [2][]int32
		for point := range alone {
			alone[point] = w.open[point]
		}
		left[1-w.first] += len(alone[1-w.first])
		if !w.keepIDs && w.coincides() {
			return
		}
		from := 0
		for _, a := range alone[0] {
			lo, hi := m.expected(a)
			lo, hi = lo-2*w.jitter, hi+2*w.jitter
			x := m.at(0, a)
			for from < len(alone[1]) && m.at(1, alone[1][from]).time < x.time+lo-mostOff {
				from++
			}
			options := 0
			for k := from; k < len(alone[1]) && options < mostOptions && len(all) < mostAltered; k++ {
				y := m.at(1, alone[1][k])
				late := y.time - x.time
				if late > hi+mostOff {
					break
				}
				off := max(lo-late, late-hi, 0)
				if w.keepIDs && (x.ipid != y.ipid || x.ipid == 0) || !w.keepIDs && !w.overtaken(lo, hi, late) || y.length != x.length {
					continue
				}
				near := lonelyTimes * (hi - lo)
				all = append(all, change{at: [2]int32{a, alone[1][k]}, sure: w.keepIDs, arrival: 1 - w.first, off: off,
					lonely: m.lonely(0, alone[0], a, near) && m.lonely(1, alone[1], alone[1][k], near)})
				options++
			}
		}
	})
	return all, left
}

// lonely reports whether no other datagram in a list is as long as one of them and near in time.
func (m *matcher) lonely(point int, list []int32, i int32, near int64) bool {
	at, _ := slices.BinarySearch(list, i)
	x := m.at(point, i)
	far := func(k int32) bool { return abs(m.at(point, k).time-x.time) > near }
	for k := at - 1; k >= 0 && !far(list[k]); k-- {
		if m.at(point, list[k]).length == x.length {
			return false
		}
	}
	for k := at + 1; k < len(list) && !far(list[k]); k++ {
		if m.at(point, list[k]).length == x.length {
			return false
		}
	}
	return true
}

// overtaken reports whether a difference of the clocks is that of anchors around it, or that of what others
// overtook.
func (w *way) overtaken(lo, hi, d int64) bool {
	if w.first == Point2 {
		return d >= lo-mostOvertaken && d <= hi
	}
	return d >= lo && d <= hi+mostOvertaken
}
