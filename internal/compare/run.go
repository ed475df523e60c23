package compare

import "math"

// Bounds of runs that are lost.
const (
	byChance  = 1e-6 // that a capture missed them all
	shortRun  = 8
	quarters  = 4
	meanwhile = 2  // datagrams captured during each of them
	leastGap  = 4  // datagrams in a row …
	gapTimes  = 3  // … during so many times the mean time between …
	gapAround = 32 // … so many datagrams before and after
)

// resolveRuns finds datagrams of a way, one after the other, of which the second point has none
// while it captured others as usual: they were lost, however often it misses some.
func (p *pairing) resolveRuns() {
	p.rates = p.missRates()
	p.ways(func(_ *line, _ int, w *way) {
		if w.first == none {
			return
		}
		c := p.c[w.first]
		var run []int32
		flush := func() {
			if p.lostRun(w.first, run, p.rates[1-w.first]) {
				for _, i := range run {
					c.fate[i] = LostBetween
				}
			}
			run = run[:0]
		}
		for _, i := range w.lists[w.first] {
			switch c.fate[i] {
			case NoFate:
			case Uncertain, LostBetween:
				run = append(run, i)
			default:
				flush()
			}
		}
		flush()
	})
}

// doubtGaps makes losses uncertain that are as long as nothing at all was captured at the second point, unusually
// long: it may have been the capture that missed them.
func (p *pairing) doubtGaps() {
	p.ways(func(_ *line, _ int, w *way) {
		if w.first == none {
			return
		}
		c := p.c[w.first]
		var run []int32
		flush := func() {
			if len(run) >= leastGap && p.inGap(w, run) {
				for _, i := range run {
					if c.list[i].bits&missing == 0 {
						c.fate[i] = Uncertain
					}
				}
			}
			run = run[:0]
		}
		for _, i := range w.lists[w.first] {
			switch c.fate[i] {
			case NoFate:
			case LostBetween:
				run = append(run, i)
			default:
				flush()
			}
		}
		flush()
	})
}

// inGap reports whether the second point captured nothing while the datagrams of a run were to arrive there,
// for several times as long as it usually takes until the next one.
func (p *pairing) inGap(w *way, run []int32) bool {
	other := p.c[1-w.first]
	_, from := p.arrival(w, w.first, run[0])
	to, _ := p.arrival(w, w.first, run[len(run)-1])
	k := other.indexAt(from)
	if to <= from || other.indexAt(to) != k || k < 0 || k+1 >= len(other.list) { // else it says that it listened
		return false
	}
	a, b := max(0, k-gapAround), min(len(other.list)-1, k+1+gapAround)
	return a < b && (to-from)*int64(b-a) > gapTimes*(other.list[b].time-other.list[a].time)
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
