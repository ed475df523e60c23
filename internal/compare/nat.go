package compare

import (
	"cmp"
	"maps"
	"slices"
)

// Bounds of the search for translated addresses.
const (
	mostEqual   = 4096    // payloads of one kind, at one point times those at the other, that are looked at
	mostVotes   = 4 << 20 // of all
	leastUnique = 4       // payloads that make two pairs one
	sameDelay   = 250e6   // by which delays of one pair differ, ns
)

// A candidate is two pairs that may be one, and a direction of it.
type candidate struct {
	mapping
	dir int // of the pair at point 1: 1 is what the upper endpoint sends
}

// translated finds the pairs that are others at the other point: by what they say, and by
// when they say it.
func (p *pairing) translated(same []mapping, left [2][]int32) []mapping {
	votes := p.votes(left)
	shift, ok := commonShift(votes)
	if !ok {
		return nil
	}
	type scored struct {
		mapping
		n int
	}
	scores := map[mapping]int{}
	for c, list := range votes {
		scores[c.mapping] += near(list, shift)
	}
	var all []scored
	isSame := map[mapping]bool{}
	for _, m := range same {
		isSame[m] = true
	}
	for m, n := range scores {
		if n >= leastUnique && !isSame[m] {
			all = append(all, scored{m, n})
		}
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(b.n-a.n, int(a.pairs[0]-b.pairs[0]), int(a.pairs[1]-b.pairs[1]))
	})
	taken := [2]map[int32]bool{{}, {}}
	for _, m := range same {
		if scores[m] > 0 {
			taken[0][m.pairs[0]], taken[1][m.pairs[1]] = true, true
		}
	}
	var out []mapping
	for _, x := range all { // one to one, but for mappings that take over
		both := taken[0][x.pairs[0]] && taken[1][x.pairs[1]]
		one := taken[0][x.pairs[0]] || taken[1][x.pairs[1]]
		if both || one && !p.takesOver(x.mapping, taken, x.n) {
			continue
		}
		taken[0][x.pairs[0]], taken[1][x.pairs[1]] = true, true
		out = append(out, x.mapping)
	}
	return out
}

// takesOver reports whether a pair that only one capture has carries on what another one of it
// said before: much of what it says is at the other point.
func (p *pairing) takesOver(m mapping, taken [2]map[int32]bool, n int) bool {
	at := 0
	if taken[0][m.pairs[0]] {
		at = 1
	}
	total := 0
	for i := range p.c[at].flows {
		if p.c[at].flows[i].pair == m.pairs[at] {
			total += len(p.byFlow[at][i])
		}
	}
	return n*4 >= total
}

// votes gives, for each two pairs that may be one, what their clocks differ by where their payloads
// are equal.
func (p *pairing) votes(left [2][]int32) map[candidate][]int64 {
	isLeft := [2][]bool{make([]bool, len(p.c[0].pairs)), make([]bool, len(p.c[1].pairs))}
	var lists [2][]entry
	for at, c := range p.c {
		for _, i := range left[at] {
			isLeft[at][i] = true
		}
		lists[at] = make([]entry, len(c.list))
		for i := range c.list {
			lists[at][i] = entry{c.list[i].hash, int32(i)}
		}
		lists[at] = byKey(lists[at])
	}
	votes, n := map[candidate][]int64{}, 0
	join(lists[0], lists[1], func(a, b []entry) {
		if len(a)*len(b) > mostEqual || n > mostVotes {
			return
		}
		for _, x := range a {
			for _, y := range b {
				dx, dy := &p.c[0].list[x.at], &p.c[1].list[y.at]
				fx, fy := &p.c[0].flows[dx.flow], &p.c[1].flows[dy.flow]
				if !isLeft[0][fx.pair] && !isLeft[1][fy.pair] && (len(a) > 1 || len(b) > 1) {
					continue
				}
				c := candidate{mapping{[2]int32{fx.pair, fy.pair}, fx.back != fy.back}, 0}
				if fx.back {
					c.dir = 1
				}
				votes[c] = append(votes[c], dy.time-dx.time)
				n++
			}
		}
	})
	for _, list := range votes {
		slices.Sort(list)
	}
	return votes
}

// commonShift is what the clocks of both points differ by for most pairs, each counted
// once.
func commonShift(votes map[candidate][]int64) (shift int64, ok bool) {
	var modes []int64
	for _, list := range votes {
		if mode, n := mode(list); n >= leastUnique {
			modes = append(modes, mode)
		}
	}
	slices.Sort(modes)
	modes = slices.Compact(modes)
	const mostModes = 512
	step := max(1, len(modes)/mostModes)
	best := 0
	for i := 0; i < len(modes); i += step {
		most := map[[2]int32]int{} // of each pair at point 1 and direction
		for c, list := range votes {
			k := [2]int32{c.pairs[0], int32(c.dir)}
			most[k] = max(most[k], near(list, modes[i]))
		}
		n := 0
		for v := range maps.Values(most) {
			n += v
		}
		if n > best {
			best, shift, ok = n, modes[i], true
		}
	}
	return shift, ok
}

// mode is where most of a sorted list lie near each other, and how many these are.
func mode(list []int64) (at int64, n int) {
	for from, to := 0, 0; to < len(list); to++ {
		for list[to]-list[from] > sameDelay {
			from++
		}
		if to-from+1 > n {
			n, at = to-from+1, list[from+(to-from)/2]
		}
	}
	return at, n
}

// near counts those of a sorted list that lie near a value.
func near(list []int64, at int64) int {
	from, _ := slices.BinarySearch(list, at-2*sameDelay)
	to, _ := slices.BinarySearch(list, at+2*sameDelay+1)
	return to - from
}
