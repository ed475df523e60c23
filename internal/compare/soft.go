package compare

import (
	mathbits "math/bits"
	"slices"
	"sort"
)

// Bounds of the search for what lies in order between two anchors.
const (
	mostGap   = 4 << 20 // datagrams of one point times those of the other
	leastSoft = 8       // that are in order at both points, to tell how delays go

	wholeSoft   = 1 << 19 // what one counts; as many as there may be are less than 1 << 31
	mostStrange = 255     // by which it counts less; as many as there may be are less than wholeSoft
)

// A soft anchor is two equal payloads that lie in the same order among others at both points: not
// proved to be one datagram, they tell how delays go where nothing unique does.
type soft struct {
	at    int32
	delta int64
}

// soften looks for them between anchors.
func (m *matcher) soften() {
	if len(m.w.rest) == 0 {
		return
	}
	lists := [2][]int32{m.open(0), m.open(1)}
	from := [2]int{}
	for k := range len(m.w.anchors) + 1 {
		to := [2]int{len(lists[0]), len(lists[1])}
		if k < len(m.w.anchors) {
			a := m.w.anchors[k]
			b := m.p.c[0].mate[a]
			to[0], _ = slices.BinarySearch(lists[0], a)
			to[1], _ = slices.BinarySearch(lists[1], b)
		}
		if to[0] < from[0] || to[1] < from[1] {
			continue // this anchor was overtaken
		}
		m.w.soft = append(m.w.soft, m.common(lists[0][from[0]:to[0]], lists[1][from[1]:to[1]])...)
		from = to
	}
}

// open lists the datagrams of a way at a point that are not paired yet.
func (m *matcher) open(point int) (out []int32) {
	for _, i := range m.w.lists[point] {
		if m.p.c[point].mate[i] == none {
			out = append(out, i)
		}
	}
	return out
}

// common is the longest common subsequence of the payloads of two stretches: of several as long, the one whose delays
// are those of the anchors around.
func (m *matcher) common(a, b []int32) (out []soft) {
	n, o := len(a), len(b)
	if n < leastSoft || o < leastSoft || n*o > mostGap {
		return nil
	}
	value := make([]int32, (n+1)*(o+1))
	for i := n - 1; i >= 0; i-- {
		x, want := m.at(0, a[i]), m.wanted(a[i])
		for k := o - 1; k >= 0; k-- {
			at, y := i*(o+1)+k, m.at(1, b[k])
			value[at] = max(value[at+1], value[at+o+1])
			if x.hash == y.hash {
				value[at] = max(value[at], value[at+o+2]+m.worth(&want, y.time-x.time))
			}
		}
	}
	for i, k := 0, 0; i < n && k < o; {
		switch at := i*(o+1) + k; value[at] {
		case value[at+1]:
			k++
		case value[at+o+1]:
			i++
		default:
			out = append(out, soft{a[i], m.at(1, b[k]).time - m.at(0, a[i]).time})
			i, k = i+1, k+1
		}
	}
	if len(out) < leastSoft || len(out)*5 < min(n, o)*4 {
		return nil
	}
	return out
}

// worth is what two equal payloads count whose arrival shows that the clocks differ by so much: an unlikely delay never as
// little as one of them less, and 0 where it cannot be.
func (m *matcher) worth(e *expectation, delta int64) int32 {
	off, held := e.strange(delta)
	if off > mostOff || held < -mostEarly {
		return 0
	}
	return wholeSoft - min(mostStrange, 8*int32(mathbits.Len64(uint64(off/m.w.jitter)))+int32(mathbits.Len64(uint64(max(0, held)/m.w.jitter))))
}

// softAround widens what is expected by the soft anchors around a datagram.
func (w *way) softAround(i int32, lo, hi int64) (int64, int64) {
	k := sort.Search(len(w.soft), func(k int) bool { return w.soft[k].at >= i })
	for _, s := range w.soft[max(0, k-beside):min(len(w.soft), k+beside)] {
		lo, hi = min(lo, s.delta), max(hi, s.delta)
	}
	return lo, hi
}
