package compare

import (
	"slices"
	"sort"
)

// A Fate is what became of a datagram between two points.
type Fate uint8

const (
	NoFate Fate = iota // of copies
	Delivered
	LostBetween
	MissedByFirst
	MissedBySecond
	Uncertain
	LostBefore
	MissedByBoth
	Outside
	fates
)

// FateNames are those of records.
var FateNames = [fates]string{"", "delivered", "lost_between", "missed_by_first", "missed_by_second", "uncertain", "lost_before", "missed_by_both", "outside"}

func (f Fate) String() string { return FateNames[f] }

// Bounds of fates.
const (
	nearMiss  = 5e9  // from a miss of a capture within which it is poor, ns
	farMiss   = 60e9 // at most
	missTimes = 3    // of the mean distance of misses
	nearCount = 64   // datagrams of a capture around a miss at least, where there are so few that they last longer …
	farCount  = 4096 // … and at most
	edge      = 5e6  // ns
	laterCopy = 100e6
)

// tellFates tells the fate of each datagram.
func (p *pairing) tellFates() {
	p.votes2 = p.flowPairs()
	for at, c := range p.c {
		c.fate = make([]Fate, len(c.list))
		p.markAcked(at)
		p.markArrivedAcks(at)
	}
	for at := range p.c {
		if !p.same {
			p.markAcross(at)
		}
	}
	var misses [2][]int64
	for at, c := range p.c {
		for i, m := range c.mate {
			if m != none && c.list[i].bits&copied == 0 {
				c.fate[i] = Delivered
			}
		}
		for _, i := range p.open[at] {
			c.fate[i] = p.fateOf(at, i)
			if f := c.fate[i]; f == MissedByFirst || f == MissedBySecond {
				misses[1-at] = append(misses[1-at], p.convert(at, i, c.list[i].time))
			}
		}
		for _, d := range c.drops {
			misses[at] = append(misses[at], d.time)
		}
	}
	p.tellUnseen()
	for _, x := range p.unseen {
		if x.fate == MissedByBoth {
			misses[x.point] = append(misses[x.point], x.time)
		}
	}
	for at := range p.poor {
		p.poor[at] = p.c[at].poorAt(misses[at])
	}
	for at, c := range p.c {
		for _, i := range p.open[at] {
			if c.fate[i] == MissedBySecond && c.list[i].bits&slow != 0 && p.poor[at].has(c.list[i].time) {
				c.fate[i] = Uncertain
			}
			if c.fate[i] != LostBetween || p.reported(at, &c.list[i]) || p.partAt(at, i) != nil {
				continue
			}
			if p.poor[1-at].has(p.convert(at, i, c.list[i].time)) {
				c.fate[i] = Uncertain
			}
		}
	}
	p.resolveRuns()
	p.doubtGaps()
	p.markReordered()
}

// missedBy counts the datagrams that a point missed and the other one has.
func (p *pairing) missedBy(at int) (n int) {
	c := p.c[1-at]
	for _, i := range p.open[1-at] {
		if f := c.fate[i]; f == MissedByFirst || f == MissedBySecond {
			n++
		}
	}
	return n
}

// reported reports whether the receiver of a datagram reports it missing, which proves that it did not arrive: not where
// others did that are missing, as those whose bytes are changed.
func (p *pairing) reported(at int, d *datagram) bool {
	return d.bits&missing != 0 && !p.wayAt(at, d).drops
}

// findOpen lists the datagrams that a point alone has.
func (p *pairing) findOpen() {
	for at, c := range p.c {
		for i, m := range c.mate {
			if m == none {
				p.open[at] = append(p.open[at], int32(i))
				w := p.wayAt(at, &c.list[i])
				w.open[at] = append(w.open[at], int32(i))
			}
		}
	}
}

// dropPaired takes those off the lists that have been paired since.
func (p *pairing) dropPaired() {
	for at, c := range p.c {
		paired := func(i int32) bool { return c.mate[i] != none }
		p.open[at] = slices.DeleteFunc(p.open[at], paired)
		p.ways(func(_ *line, _ int, w *way) { w.open[at] = slices.DeleteFunc(w.open[at], paired) })
	}
}

// fateOf is the fate of one datagram that a point alone has, as far as poor captures do not matter.
func (p *pairing) fateOf(at int, i int32) Fate {
	c, other := p.c[at], p.c[1-at]
	d := &c.list[i]
	w := p.wayAt(at, d)
	if !other.hasTime || !c.hasTime {
		if first, last := c.paired(); i > last && p.windowed() {
			return Uncertain
		} else if i < first || i > last {
			return Outside // nothing else tells from when until when the other one listened
		}
		return p.alone(w, at, d)
	}
	lo, hi := p.arrival(w, at, i)
	if other.cut() && hi > other.window.last-edge {
		return Uncertain
	}
	if hi < other.begins()-edge || lo > other.ends()+edge {
		return Outside
	}
	if (lo < other.begins() || hi > other.ends()) && w.first != 1-at && d.bits&(acked|sole) != acked|sole {
		return Outside
	}
	return p.alone(w, at, d)
}

// paired are the first and the last datagram of a capture that the other one has.
func (c *Capture) paired() (first, last int32) {
	if c.within == [2]int32{} {
		c.within = [2]int32{int32(len(c.mate)), none}
		for i, m := range c.mate {
			if m != none && c.list[i].bits&copied == 0 {
				c.within[0], c.within[1] = min(c.within[0], int32(i)), int32(i)
			}
		}
	}
	return c.within[0], c.within[1]
}

// arrival bounds when a datagram was at the other point, on its clock.
func (p *pairing) arrival(w *way, at int, i int32) (lo, hi int64) {
	t := p.c[at].list[i].time
	if len(w.anchors) == 0 {
		x := p.convert(at, i, t)
		b := int64(max(0, p.segment(at, i).bound))
		return x - b - edge, x + b + edge
	}
	k := p.nearestAnchor(w, at, i)
	lo, hi = p.delta(w.anchors[k]), p.delta(w.anchors[k])
	for n := max(0, k-2); n < min(len(w.anchors), k+3); n++ {
		lo, hi = min(lo, p.delta(w.anchors[n])), max(hi, p.delta(w.anchors[n]))
	}
	if at == Point2 {
		lo, hi = -hi, -lo
	}
	return t + lo - w.jitter, t + hi + w.jitter
}

// nearestAnchor is the place of the anchor before a datagram, or the first one.
func (p *pairing) nearestAnchor(w *way, at int, i int32) int {
	k := sort.Search(len(w.anchors), func(k int) bool {
		a := w.anchors[k]
		if at == Point2 {
			a = p.c[0].mate[a]
		}
		return a > i
	})
	return max(0, k-1)
}

// begins is from when on a capture listened: from its first packet on, or as its file says (pcapng).
func (c *Capture) begins() int64 {
	begin := c.first
	for i := range c.Infos {
		if t := c.Infos[i].Listened.From; t != 0 {
			begin = min(begin, t)
		}
	}
	return begin
}

// ends is until when it listened.
func (c *Capture) ends() int64 {
	end := c.last
	for i := range c.Infos {
		end = max(end, c.Infos[i].Listened.To)
	}
	return end
}

// resolveCopies tells copies from what the other point missed, among the datagrams that
// stayed alone after an equal one and whose identification tells nothing.
func (p *pairing) resolveCopies() {
	p.ways(func(_ *line, _ int, w *way) {
		if w.first == none || 2*w.repeated(1-w.first) >= float64(len(w.maybe[1-w.first])) {
			return // the first capture missed what was sent twice
		}
		at := 1 - w.first
		for _, x := range w.maybe[at] {
			d, of := &p.c[at].list[x[0]], &p.c[at].list[x[1]]
			if of.bits&copied == 0 && d.time-of.time < laterCopy && !(d.ipid != 0 && p.counts(at, d.flow)) {
				d.bits |= copied
				p.c[at].mate[x[0]] = x[1]
			}
		}
	})
}

// repeated is how many datagrams that were sent twice, soon one after the other, are at the
// second point twice and at the first one once, because that missed the other one.
func (w *way) repeated(second int) float64 {
	alone := float64(w.alone[second])
	return float64(w.again[1-second]) * alone / (float64(len(w.anchors)) + alone + 1)
}

// partAt finds a datagram of which the second point has some fragments alone.
func (p *pairing) partAt(at int, i int32) *part {
	d := &p.c[at].list[i]
	if d.bits&fragmented == 0 || d.ipid == 0 {
		return nil
	}
	lo, hi := p.arrival(p.wayAt(at, d), at, i)
	for k := range p.c[1-at].parts {
		if x := &p.c[1-at].parts[k]; x.ipid == d.ipid && x.time > lo-mostOff && x.time < hi+mostOff {
			return x
		}
	}
	return nil
}

// A poor is the stretches of a capture near which it missed something.
type poor struct{ from, to []int64 }

// poorAt are the stretches around misses.
func (c *Capture) poorAt(misses []int64) (p poor) {
	if len(misses) == 0 {
		return p
	}
	slices.Sort(misses)
	times := c.times(misses)
	radius := max(int64(nearMiss), min(int64(farMiss), missTimes*(c.last-c.first)/times))
	count := max(nearCount, min(farCount, 2*missTimes*len(c.list)/int(times)))
	for _, t := range misses {
		k := c.indexAt(t)
		from := min(t-radius, c.list[max(0, k-count)].time)
		to := max(t+radius, c.list[min(len(c.list)-1, k+count)].time)
		if n := len(p.to); n > 0 && from <= p.to[n-1] {
			p.to[n-1] = max(p.to[n-1], to)
			continue
		}
		p.from, p.to = append(p.from, from), append(p.to, to)
	}
	return p
}

// times is how often a capture missed something: what it missed without anything captured between
// is one time.
func (c *Capture) times(misses []int64) (n int64) {
	last := none
	for i, t := range misses {
		k := c.indexAt(t)
		if i == 0 || k > last+1 {
			n++
		}
		last = k
	}
	return n
}

// has reports whether a time lies in one of them.
func (p *poor) has(t int64) bool {
	i := sort.Search(len(p.to), func(i int) bool { return p.to[i] >= t })
	return i < len(p.to) && p.from[i] <= t
}

// markReordered marks what came to the second point after what passed the first one later.
func (p *pairing) markReordered() {
	p.ways(func(_ *line, _ int, w *way) {
		if w.first == none {
			return
		}
		first, second := p.c[w.first], p.c[1-w.first]
		highest := int32(none)
		for _, i := range w.lists[1-w.first] {
			if second.fate[i] != Delivered {
				continue
			}
			if m := second.mate[i]; m > highest {
				highest = m
			} else {
				first.list[m].bits |= reordered
				second.list[i].bits |= reordered
			}
		}
	})
}
