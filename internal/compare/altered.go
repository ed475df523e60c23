package compare

import "slices"

// Bounds of what counts as the same datagram with other bytes.
const (
	mostChanged  = 4       // of so many bytes, one may be changed where captures miss nothing
	leastWhole   = 12      // bytes of which one may be changed where they do: counters of short ones differ by as much
	mostAltered  = 1 << 16 // candidates
	mostCoincide = 0.01    // share of the datagrams that one point lacks times that of the other
)

// A change is two datagrams that may be one whose bytes were changed on the way.
type change struct {
	at      [2]int32
	sure    bool // one identification
	arrival int  // the point that has it second
	bytes   [2][]byte
	offsets []int
}

// findAltered pairs what is left of a way: by identification where the path keeps it, else by
// length and time, where nothing else comes into question and most of the bytes agree.
func (p *pairing) findAltered() error {
	all, left := p.changes()
	if len(all) == 0 {
		return nil
	}
	if err := p.readChanges(all); err != nil {
		return err
	}
	fits := [2]int{}
	for i := range all {
		if all[i].fits(false) {
			fits[all[i].arrival]++
		}
	}
	p.changed = map[int32][]int{}
	for i := range all {
		x := &all[i]
		// Where much more is left than what fits, the first capture misses datagrams, and others
		// are left beside them by chance.
		if !x.fits(2*fits[x.arrival] < left[x.arrival]) {
			continue
		}
		p.pair(x.at[0], x.at[1])
		p.c[0].list[x.at[0]].bits |= altered
		p.c[1].list[x.at[1]].bits |= altered
		p.changed[x.at[0]] = x.offsets
	}
	return nil
}

// readChanges reads the bytes of both datagrams of each change.
func (p *pairing) readChanges(all []change) error {
	for point, c := range p.c {
		index := map[int32]int{}
		var frames []uint32
		for i := range all {
			index[all[i].at[point]] = i
			frames = append(frames, c.list[all[i].at[point]].frame)
		}
		slices.Sort(frames)
		at := int32(0)
		err := c.payloads(func(d *datagram, payload []byte) {
			for ; &c.list[at] != d; at++ {
			}
			if i, ok := index[at]; ok {
				all[i].bytes[point] = slices.Clone(payload)
			}
		}, frames)
		if err != nil {
			return err
		}
	}
	for i := range all {
		all[i].offsets = differing(all[i].bytes[0], all[i].bytes[1])
	}
	return nil
}

// fits reports whether few enough bytes differ, and next to each other.
func (x *change) fits(misses bool) bool {
	n, k := min(len(x.bytes[0]), len(x.bytes[1])), len(x.offsets)
	switch {
	case k == 0:
		return false
	case x.sure:
		return true
	case misses:
		return k == 1 && n >= leastWhole
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

// changes are the candidates, one to one, and how many datagrams are at each point that came
// there second and that the other one has not.
func (p *pairing) changes() (all []change, left [2]int) {
	p.ways(func(_ *line, _ int, w *way) {
		if len(w.anchors) == 0 || w.first == none {
			return
		}
		m := &matcher{p: p, w: w}
		var alone [2][]int32
		for point := range alone {
			for _, i := range w.lists[point] {
				if p.c[point].mate[i] == none {
					alone[point] = append(alone[point], i)
				}
			}
		}
		left[1-w.first] += len(alone[1-w.first])
		if !w.keepIDs && w.coincides() {
			return
		}
		option := make([]int, len(alone[0])) // the last candidate of each
		var count [2][]int                   // of candidates
		for point := range count {
			count[point] = make([]int, len(alone[point]))
		}
		from := 0
		for i, a := range alone[0] {
			lo, hi := m.expected(a)
			lo, hi = lo-2*w.jitter, hi+2*w.jitter
			if w.keepIDs { // it decides
				lo, hi = lo-mostOff, hi+mostOff
			}
			x := m.at(0, a)
			for from < len(alone[1]) && m.at(1, alone[1][from]).time < x.time+lo-mostOff {
				from++
			}
			for k := from; k < len(alone[1]) && m.at(1, alone[1][k]).time <= x.time+hi; k++ {
				y := m.at(1, alone[1][k])
				if y.length != x.length || y.time < x.time+lo || w.keepIDs && (x.ipid != y.ipid || x.ipid == 0) {
					continue
				}
				option[i] = k
				count[0][i]++
				count[1][k]++
			}
		}
		for i, k := range option {
			if count[0][i] == 1 && count[1][k] == 1 && len(all) < mostAltered {
				all = append(all, change{at: [2]int32{alone[0][i], alone[1][k]}, sure: w.keepIDs, arrival: 1 - w.first})
			}
		}
	})
	return all, left
}
