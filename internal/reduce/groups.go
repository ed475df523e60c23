package reduce

import "slices"

// groups say which frames are left out together. The zero value has each alone.
type groups struct{ first map[uint64]uint64 }

// of gives the frame that a group is known by.
func (g *groups) of(frame uint64) uint64 {
	for {
		up, ok := g.first[frame]
		if !ok {
			return frame
		}
		frame = up
	}
}

// join puts two frames into one group.
func (g *groups) join(a, b uint64) {
	if a, b = g.of(a), g.of(b); a != b {
		if g.first == nil {
			g.first = map[uint64]uint64{}
		}
		g.first[max(a, b)] = min(a, b)
	}
}

// split puts places together by what a key says of them, in the order of the first of each.
func split[K comparable](places []int, key func(at int) K) (parts [][]int) {
	number := map[K]int{}
	for _, at := range places {
		k := key(at)
		n, ok := number[k]
		if !ok {
			n = len(parts)
			number[k], parts = n, append(parts, nil)
		}
		parts[n] = append(parts[n], at)
	}
	return parts
}

// together are the places of parts, in order.
func together(parts [][]int) []int {
	all := slices.Concat(parts...)
	slices.Sort(all)
	return all
}
