package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// Bounds of the search for translated addresses.
const (
	mostEqual   = 4096    // payloads of one kind, at one point times those at the other, that are looked at
	mostVotes   = 4 << 20 // of all
	leastUnique = 4       // payloads that make two pairs one
	wide        = 500e6   // by which delays of all pairs and both directions differ, ns
	narrow      = 15e6    // by which those of most datagrams of one direction do
	mostModes   = 512
)

// A candidate is two pairs that may be one, and a direction of it.
type candidate struct {
	mapping
	dir int // of the pair at point 1: 1 is what the upper endpoint sends
}

// A vote is two equal payloads.
type vote struct {
	delta int64 // what clock 2 showed more
	at    [2]int32
}

// A ballot is the votes of candidates, in the order of their deltas.
type ballot map[candidate][]vote

// A search looks for pairs that are others at the other point.
type search struct {
	p     *pairing
	left  [2][]bool // of each pair: it is at one point alone
	votes ballot
	shift int64    // the one that most pairs have
	peaks [2]int64 // near it, those of both directions
	taken [2]map[int32]bool
	used  [2]map[int32]bool // datagrams
}

// translated finds the pairs that are others at the other point: by what they say, and by
// when they say it.
func (p *pairing) translated(same []mapping, left [2][]int32) []mapping {
	s := &search{p: p, taken: [2]map[int32]bool{{}, {}}, used: [2]map[int32]bool{{}, {}}}
	for at := range left {
		s.left[at] = make([]bool, len(p.c[at].pairs))
		for _, i := range left[at] {
			s.left[at][i] = true
		}
	}
	unique := s.vote()
	if !s.findShift(unique) && !s.findShift(s.votes) {
		return nil
	}
	s.findPeaks()
	for _, m := range same {
		s.take(m)
	}
	return append(s.choose(), s.single()...)
}

// vote collects the votes, and gives those of payloads that each point has once.
func (s *search) vote() (unique ballot) {
	var lists [2][]entry
	for at, c := range s.p.c {
		lists[at] = make([]entry, len(c.list))
		for i := range c.list {
			lists[at][i] = entry{c.list[i].hash, int32(i), c.list[i].ipid}
		}
		lists[at], s.p.room = byKey(lists[at], s.p.room)
	}
	s.votes, unique = ballot{}, ballot{}
	n := 0
	join(lists[0], lists[1], func(a, b []entry) bool {
		if len(a)*len(b) > mostEqual {
			return true
		}
		for _, x := range a {
			for _, y := range b {
				dx, dy := &s.p.c[0].list[x.at], &s.p.c[1].list[y.at]
				fx, fy := &s.p.c[0].flows[dx.flow], &s.p.c[1].flows[dy.flow]
				c := candidate{mapping{[2]int32{fx.pair, fy.pair}, fx.back != fy.back}, 0}
				if fx.back {
					c.dir = 1
				}
				v := vote{dy.time - dx.time, [2]int32{x.at, y.at}}
				s.votes[c] = append(s.votes[c], v)
				if n++; len(a) == 1 && len(b) == 1 {
					unique[c] = append(unique[c], v)
				}
			}
		}
		return n < mostVotes
	})
	for _, all := range []ballot{s.votes, unique} {
		for _, list := range all {
			stable.Sort(list, func(x, y vote) int {
				return cmp.Or(cmp.Compare(x.delta, y.delta), int(x.at[0]-y.at[0]), int(x.at[1]-y.at[1]))
			})
		}
	}
	return unique
}

// findShift finds what the clocks of both points differ by for most pairs, each counted once.
func (s *search) findShift(votes ballot) (ok bool) {
	s.shift, ok = votes.commonest(votes.modes(), wide, nil)
	return ok
}

// findPeaks finds what the clocks differ by more closely, for each direction.
func (s *search) findPeaks() {
	modes := slices.DeleteFunc(s.votes.modes(), func(m int64) bool { return abs(m-s.shift) > 2*wide })
	s.peaks[0], _ = s.votes.commonest(modes, narrow, nil)
	s.peaks[1] = s.peaks[0]
	fit, most, explained := map[source]int{}, map[source]int{}, map[source]bool{}
	for c, list := range s.votes {
		k := c.source()
		_, n := mode(list)
		fit[k], most[k] = max(fit[k], len(near(list, s.peaks[0], narrow))), max(most[k], n)
		explained[k] = 2*fit[k] > most[k]
	}
	if at, ok := s.votes.commonest(modes, narrow, explained); ok {
		s.peaks[1] = at
	}
}

// modes are where the votes of candidates lie near each other.
func (b ballot) modes() (out []int64) {
	for _, list := range b {
		if at, n := mode(list); n >= leastUnique {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A source is a pair at point 1, and a direction of it.
type source struct {
	pair int32
	dir  int
}

func (c *candidate) source() source { return source{c.pairs[0], c.dir} }

// commonest is the one of some shifts that fits most datagrams, those of each source
// counted for one pair at point 2.
func (b ballot) commonest(modes []int64, within int64, without map[source]bool) (shift int64, ok bool) {
	best, step := 0, max(1, len(modes)/mostModes)
	for i := 0; i < len(modes); i += step {
		most := map[source]int{}
		for c, list := range b {
			if k := c.source(); !without[k] {
				most[k] = max(most[k], len(near(list, modes[i], within)))
			}
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

// mode is where most of some votes lie near each other, and how many these are.
func mode(list []vote) (at int64, n int) {
	for from, to := 0, 0; to < len(list); to++ {
		for list[to].delta-list[from].delta > narrow {
			from++
		}
		if to-from+1 > n {
			n, at = to-from+1, list[from+(to-from)/2].delta
		}
	}
	return at, n
}

// near are the votes that lie near a shift.
func near(list []vote, at, within int64) []vote {
	place := func(t int64) int {
		i, _ := slices.BinarySearchFunc(list, t, func(v vote, t int64) int { return cmp.Compare(v.delta, t) })
		return i
	}
	return list[place(at-within):place(at+within+1)]
}

// of gives the votes for a mapping that agree, and how well they do: those with the usual delay of
// a direction count more than those that agree with each other alone, as where a clock was set.
func (s *search) of(m mapping) (fit []vote, score int) {
	for dir := range 2 {
		list := s.votes[candidate{m, dir}]
		var best []vote
		most := 0
		for _, peak := range s.peaks {
			if v := near(list, peak, narrow); 2*len(v) > most {
				best, most = v, 2*len(v)
			}
		}
		if at, n := mode(list); n > most {
			best, most = near(list, at, narrow), n
		}
		fit, score = append(fit, best...), score+most
	}
	return fit, score
}

// take takes a mapping, and the datagrams that it explains.
func (s *search) take(m mapping) {
	fit, _ := s.of(m)
	for at := range s.taken {
		if len(fit) > 0 {
			s.taken[at][m.pairs[at]] = true
		}
		for _, v := range fit {
			s.used[at][v.at[at]] = true
		}
	}
}

// choose takes mappings one to one, the best first, but for those that take over what another
// one said before.
func (s *search) choose() (out []mapping) {
	type scored struct {
		mapping
		score int
	}
	var all []scored
	seen := map[mapping]bool{}
	for c := range s.votes {
		if m := c.mapping; !seen[m] && (s.left[0][m.pairs[0]] || s.left[1][m.pairs[1]]) {
			seen[m] = true
			if fit, score := s.of(m); len(fit) >= leastUnique {
				all = append(all, scored{m, score})
			}
		}
	}
	stable.Sort(all, func(a, b scored) int {
		return cmp.Or(b.score-a.score, int(a.pairs[0]-b.pairs[0]), int(a.pairs[1]-b.pairs[1]))
	})
	for _, x := range all {
		if s.fits(x.mapping) {
			s.take(x.mapping)
			out = append(out, x.mapping)
		}
	}
	return out
}

// fits reports whether a mapping explains what no other one does: of a pair that is mapped already, much
// of what its new partner says.
func (s *search) fits(m mapping) bool {
	a, b := s.taken[0][m.pairs[0]], s.taken[1][m.pairs[1]]
	if !a && !b {
		return true
	}
	if a && b {
		return false
	}
	fit, _ := s.of(m)
	fresh := [2]map[int32]bool{{}, {}}
	for _, v := range fit {
		if !s.used[0][v.at[0]] && !s.used[1][v.at[1]] {
			fresh[0][v.at[0]], fresh[1][v.at[1]] = true, true
		}
	}
	n := min(len(fresh[0]), len(fresh[1]))
	at := 0
	if a {
		at = 1
	}
	return n >= leastUnique && n*4 >= s.p.said(at, m.pairs[at])
}

// said counts the datagrams that a pair has at a point.
func (p *pairing) said(at int, i int32) (n int) {
	for _, f := range p.flowsOfPair(at, i) {
		n += len(p.byFlow[at][f])
	}
	return n
}

// single takes mappings of pairs that say too little to prove anything, where the other sessions told
// the shift and nothing else comes into question: those that take as long as the others, then those of
// which one end is the same.
func (s *search) single() (out []mapping) {
	out = s.alone(func(c candidate, list []vote) bool {
		return len(near(list, s.peaks[0], narrow)) > 0 || len(near(list, s.peaks[1], narrow)) > 0
	})
	for _, m := range out {
		s.taken[0][m.pairs[0]], s.taken[1][m.pairs[1]] = true, true
	}
	return append(out, s.alone(func(c candidate, list []vote) bool {
		return s.sharesEnd(c.mapping) && len(near(list, s.shift, wide)) > 0
	})...)
}

// alone are the mappings that fit and whose pairs no other mapping fits.
func (s *search) alone(fits func(c candidate, list []vote) bool) (out []mapping) {
	options := [2]map[int32][]mapping{{}, {}}
	seen := map[mapping]bool{}
	for c, list := range s.votes {
		m := c.mapping
		if seen[m] || s.taken[0][m.pairs[0]] || s.taken[1][m.pairs[1]] || !fits(c, list) {
			continue
		}
		seen[m] = true
		for at := range options {
			options[at][m.pairs[at]] = append(options[at][m.pairs[at]], m)
		}
	}
	for _, i := range slices.Sorted(maps.Keys(options[0])) {
		if list := options[0][i]; len(list) == 1 && len(options[1][list[0].pairs[1]]) == 1 {
			out = append(out, list[0])
		}
	}
	return out
}

// sharesEnd reports whether one end of a mapping is the same at both points.
func (s *search) sharesEnd(m mapping) bool {
	x, y := s.p.c[0].pairs[m.pairs[0]], s.p.c[1].pairs[m.pairs[1]]
	if m.swaps {
		y.lo, y.hi = y.hi, y.lo
	}
	return x.lo == y.lo || x.hi == y.hi
}
