package compare

import "slices"

// Bounds of what counts as the same datagram with other bytes.
const (
	mostChanged   = 4       // of so many bytes, one may be changed
	mostAltered   = 1 << 16 // candidates
	alteredWithin = 50e6    // of the expected time, ns
	numbered      = 4       // first bytes, which number datagrams: others there are another datagram
)

// A change is two datagrams that may be one whose bytes were changed on the way.
type change struct {
	at    [2]int32
	sure  bool // one identification, or nothing else at that time
	bytes [2][]byte
}

// findAltered pairs what is left of a way by length, time and identification, where most of the bytes agree.
func (p *pairing) findAltered() error {
	all := p.changes()
	if len(all) == 0 {
		return nil
	}
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
	p.changed = map[int32][]int{}
	for i := range all {
		x := &all[i]
		offsets := differing(x.bytes[0], x.bytes[1])
		n := min(len(x.bytes[0]), len(x.bytes[1]))
		if n == 0 || len(offsets) == 0 || !x.sure && (len(offsets)*mostChanged > n+mostChanged || offsets[0] < numbered) {
			continue
		}
		p.pair(x.at[0], x.at[1])
		p.c[0].list[x.at[0]].bits |= altered
		p.c[1].list[x.at[1]].bits |= altered
		p.changed[x.at[0]] = offsets
	}
	return nil
}

func differing(a, b []byte) (offsets []int) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			offsets = append(offsets, i)
		}
	}
	return offsets
}

// changes are the candidates, one to one.
func (p *pairing) changes() (all []change) {
	p.ways(func(_ *line, _ int, w *way) {
		if len(w.anchors) == 0 {
			return
		}
		m := &matcher{p: p, w: w}
		var left [2][]int32
		for point := range left {
			for _, i := range w.lists[point] {
				if p.c[point].mate[i] == none {
					left[point] = append(left[point], i)
				}
			}
		}
		taken := map[int32]bool{}
		from := 0
		for _, a := range left[0] {
			lo, hi := m.expected(a)
			x := m.at(0, a)
			best, off, sure := int32(none), int64(0), false
			for from < len(left[1]) && m.at(1, left[1][from]).time < x.time+lo-mostOff {
				from++
			}
			for k := from; k < len(left[1]); k++ {
				b := left[1][k]
				y := m.at(1, b)
				d := y.time - x.time
				if d > hi+mostOff {
					break
				}
				if y.length != x.length || taken[b] {
					continue
				}
				same := w.keepIDs && x.ipid == y.ipid && x.ipid != 0
				o := max(lo-d, d-hi, 0)
				if w.keepIDs && !same || !same && o > max(alteredWithin, 4*w.jitter) || best != none && (sure && !same || o >= off && sure == same) {
					continue
				}
				best, off, sure = b, o, same
			}
			if best != none && len(all) < mostAltered {
				taken[best] = true
				all = append(all, change{at: [2]int32{a, best}, sure: sure})
			}
		}
	})
	return all
}
