package compare

import (
	"math"
	"slices"
)

// Bounds of runs that are lost.
const (
	byChance  = 1e-6 // that a capture missed them all
	shortRun  = 8
	quarters  = 4
	meanwhile = 2 // datagrams captured during each of them
	leastGap  = 4 // datagrams in a row
)

// resolveRuns finds datagrams of a way, one after the other, of which the second point has none
// while it captured others as usual: they were lost, however often it misses some.
func (p *pairing) resolveRuns() {
	p.rates = p.missRates()
	p.runs(func(w *way, run []int32, _, _ int32) {
		if p.lostRun(w.first, run, p.rates[1-w.first]) {
			for _, i := range run {
				p.c[w.first].fate[i] = LostBetween
			}
		}
	})
}

// doubtGaps makes losses in a row uncertain while nothing at all was captured at the second point: it may have
// been the capture that missed them.
func (p *pairing) doubtGaps() {
	p.runs(func(w *way, run []int32, before, after int32) {
		if len(run) < leastGap || !(before != none && after == before+1) && !p.inGap(w, run) {
			return
		}
		for _, i := range run {
			if c := p.c[w.first]; !p.reported(w.first, &c.list[i]) {
				c.fate[i] = Uncertain
			}
		}
	})
}

// runs calls f with datagrams of a way, one after the other, that the second point lacks, and with what the
// delivered ones before and after them are there, none where others are.
func (p *pairing) runs(f func(w *way, run []int32, before, after int32)) {
	p.ways(func(_ *line, _ int, w *way) {
		if w.first == none {
			return
		}
		c, list, to := p.c[w.first], w.lists[w.first], 0
		mate := func(k int) int32 {
			if k >= 0 && k < len(list) && c.fate[list[k]] == Delivered {
				return c.mate[list[k]]
			}
			return none
		}
		for _, i := range w.open[w.first] {
			from, _ := slices.BinarySearch(list, i)
			if from < to || !c.doubted(i) {
				continue
			}
			before := from - 1
			for before >= 0 && c.fate[list[before]] == NoFate {
				before--
			}
			run := []int32{}
			for to = from; to < len(list) && (c.fate[list[to]] == NoFate || c.doubted(list[to])); to++ {
				if c.doubted(list[to]) {
					run = append(run, list[to])
				}
			}
			f(w, run, mate(before), mate(to))
		}
	})
}

// doubted reports whether a datagram was lost, or may have been.
func (c *Capture) doubted(i int32) bool { return c.fate[i] == LostBetween || c.fate[i] == Uncertain }

// inGap reports whether the second point captured nothing while the datagrams of a run were to arrive there.
func (p *pairing) inGap(w *way, run []int32) bool {
	other := p.c[1-w.first]
	_, from := p.arrival(w, w.first, run[0])
	to, _ := p.arrival(w, w.first, run[len(run)-1])
	k := other.indexAt(from)
	return to > from && other.indexAt(to) == k && k >= 0 && k+1 < len(other.list) // else it says that it listened
}

// missRates are the shares of datagrams that each point misses: of those that passed it first and
// that the other one has.
func (p *pairing) missRates() (rates [2]float64) {
	var missed, all [2]float64
	p.ways(func(_ *line, _ int, w *way) {
		if w.first == none {
			return
		}
		for _, i := range w.lists[1-w.first] {
			switch p.c[1-w.first].fate[i] {
			case MissedByFirst:
				missed[w.first]++
				all[w.first]++
			case Delivered:
				all[w.first]++
			}
		}
	})
	for at := range rates {
		rates[at] = (missed[at] + 1) / (all[at] + 2)
	}
	return rates
}

// lostRun reports whether the second point cannot have missed a run by chance, nor because it
// captured nothing meanwhile.
func (p *pairing) lostRun(at int, run []int32, rate float64) bool {
	n := len(run)
	if n < shortRun || float64(n)*math.Log(rate) > math.Log(byChance) {
		return false
	}
	other, w := p.c[1-at], p.wayAt(at, &p.c[at].list[run[0]])
	for q := range quarters { // bursts of misses leave some of them empty
		_, from := p.arrival(w, at, run[q*(n-1)/quarters])
		to, _ := p.arrival(w, at, run[(q+1)*(n-1)/quarters])
		if other.indexAt(to)-other.indexAt(from) < max(meanwhile, n/16) {
			return false
		}
	}
	return true
}
