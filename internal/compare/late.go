package compare

import (
	"math"
	"slices"
)

// Bounds of how late datagrams are.
const (
	fewRepeats  = 4       // equal datagrams that are transmissions of one, at most
	mostRepeats = 1 << 12 // times between them that are kept
	alikeTimes  = 4       // times that are alike differ by one in so many
	strangeness = 4       // that nothing repeats after a time, as a cost
)

// An outlier is an anchor whose delay is not between those of the anchors around it.
type outlier struct {
	at  int32 // place among the anchors of its way
	off int64 // by which it lies outside, ns
}

// findOutliers finds those of a way, on the side that its first point tells.
func (w *way) findOutliers(deltas []int64) {
	w.outliers = nil
	for i, d := range deltas {
		if i > 0 && abs(d-deltas[i-1]) < leastJitter && (i+1 == len(deltas) || abs(d-deltas[i+1]) < leastJitter) {
			continue // as most are
		}
		lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
		for k := max(0, i-beside); k < min(len(deltas), i+beside+1); k++ {
			if k != i {
				lo, hi = min(lo, deltas[k]), max(hi, deltas[k])
			}
		}
		if off := max(d-hi, lo-d); len(deltas) > 1 && off > 0 && (w.first == none || (d > hi) == (w.first == Point1)) {
			w.outliers = append(w.outliers, outlier{int32(i), off})
		}
	}
	w.late = make([]int64, len(w.outliers))
	for i, x := range w.outliers {
		w.late[i] = x.off
	}
	slices.Sort(w.late)
}

// asLate counts the anchors of a way that are about as late.
func (w *way) asLate(off int64) int {
	i, _ := slices.BinarySearch(w.late, off-off/alikeTimes)
	return len(w.late) - i
}

// repeated notes after which times equal datagrams are at one point.
func (m *matcher) repeated(point int, list []entry) {
	if len(list) > fewRepeats {
		return
	}
	for k := 1; k < len(list) && len(m.p.repeats) < mostRepeats; k++ {
		if t := m.at(point, list[k].at).time - m.at(point, list[k-1].at).time; t >= laterCopy {
			m.p.repeats = append(m.p.repeats, t)
		}
	}
}

// repeatsAfter reports whether some datagrams are sent again after about such a time.
func (p *pairing) repeatsAfter(t int64) bool {
	i, _ := slices.BinarySearch(p.repeats, t-t/alikeTimes)
	return i < len(p.repeats) && p.repeats[i] <= t+t/alikeTimes
}

// partRepeats parts anchors that are as late as datagrams are sent again, and later than others are: if it is likelier that
// one transmission was lost and the other one missed.
func (p *pairing) partRepeats(w *way) {
	n := float64(len(w.anchors))
	share := float64(w.alone[0]) * float64(w.alone[1]) / (n + float64(w.alone[0])) / (n + float64(w.alone[1]))
	parted := w.outliers[:0]
	for _, x := range w.outliers {
		if float64(w.asLate(x.off)) < share*n && p.repeatsAfter(x.off) {
			parted = append(parted, x)
		}
	}
	for _, x := range parted {
		p.partAnchor(w.anchors[x.at])
		i, _ := slices.BinarySearch(w.late, x.off)
		w.late = slices.Delete(w.late, i, i+1)
		w.anchors[x.at] = none
	}
	if len(parted) > 0 {
		w.anchors = slices.DeleteFunc(w.anchors, func(a int32) bool { return a == none })
	}
	w.outliers = nil
}
