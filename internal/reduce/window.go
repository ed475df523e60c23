package reduce

import "slices"

// A window is some packets at the beginning, and those around the finding.
type window struct{ head, before, after int }

// firstWindow is how many packets of each kind are tried first.
const firstWindow = 8

// time leaves out what was long before the finding and long after it, but the beginning,
// without which little is known of a connection. proof are frames that are kept in any case.
func (r *reduction) time(proof []uint64) {
	all := r.kept
	least := map[int]bool{}
	center := 0
	for i, at := range all {
		frame := r.packets.list[at].frame
		if frame == r.target.Frame {
			center = i
		}
		least[at] = frame == r.target.Frame || slices.Contains(proof, frame)
	}
	keeps := func(w window) []int {
		var some []int
		for i, at := range all {
			if i < w.head || i >= center-w.before && i <= center+w.after || least[at] {
				some = append(some, at)
			}
		}
		return some
	}
	w := window{firstWindow, firstWindow, firstWindow}
	for !r.keep(keeps(w)) {
		if w.head >= len(all) || r.spent() {
			return
		}
		w = window{2 * w.head, 2 * w.before, 2 * w.after}
	}
	for _, side := range []*int{&w.after, &w.head, &w.before} {
		r.bisect(side, func() bool { return r.keep(keeps(w)) })
	}
}

// bisect makes a number as small as holds lets it be, if it holds for all larger ones.
func (r *reduction) bisect(n *int, holds func() bool) {
	least, most := 0, *n
	for least < most {
		*n = (least + most) / 2
		if holds() {
			most = *n
		} else {
			least = *n + 1
		}
	}
	*n = most
}
