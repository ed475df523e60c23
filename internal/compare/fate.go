package compare

import (
	"cmp"
	"slices"
	"sort"

	"github.com/dpdissect/dpdissect/session/seq"
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
	edge      = 5e6  // ns
	laterCopy = 100e6
)

// An unseen datagram is in neither capture: numbers prove that it was sent.
type unseen struct {
	fate  Fate
	point int   // whose analysis says so
	time  int64 // of that point's clock
	conn  numbersOf
}

// tellFates tells the fate of each datagram.
func (p *pairing) tellFates() {
	for at, c := range p.c {
		c.fate = make([]Fate, len(c.list))
		p.markAcked(at)
	}
	var misses [2][]int64
	for at, c := range p.c {
		for i := range c.list {
			if c.list[i].bits&copied == 0 {
				c.fate[i] = p.fateOf(at, int32(i))
			}
			switch d := &c.list[i]; c.fate[i] {
			case MissedByFirst, MissedBySecond:
				misses[1-at] = append(misses[1-at], p.convert(at, int32(i), d.time))
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
		for i := range c.list {
			if c.fate[i] != LostBetween || c.list[i].bits&missing != 0 || p.partAt(at, int32(i)) != nil {
				continue
			}
			if p.poor[1-at].has(p.convert(at, int32(i), c.list[i].time)) {
				c.fate[i] = Uncertain
			}
		}
	}
	p.resolveRuns()
	p.markReordered()
}

// fateOf is the fate of one datagram, as far as poor captures do not matter.
func (p *pairing) fateOf(at int, i int32) Fate {
	c, other := p.c[at], p.c[1-at]
	if c.mate[i] != none {
		return Delivered
	}
	d := &c.list[i]
	w := p.wayAt(at, d)
	if !other.hasTime || !c.hasTime {
		return p.alone(w, at, d)
	}
	lo, hi := p.arrival(w, at, i)
	if hi < other.begins()-edge || lo > other.ends()+edge {
		return Outside
	}
	if (lo < other.begins() || hi > other.ends()) && w.first != 1-at && d.bits&(acked|sole) != acked|sole {
		return Outside
	}
	return p.alone(w, at, d)
}

// alone is the fate of a datagram that one point alone has.
func (p *pairing) alone(w *way, at int, d *datagram) Fate {
	switch {
	case w.first == none:
		return Uncertain
	case w.first != at:
		return MissedByFirst
	case d.bits&(acked|sole) == acked|sole:
		return MissedBySecond
	}
	return LostBetween
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

// begins and ends are from when until when a capture listened.
func (c *Capture) begins() int64 { return c.first }
func (c *Capture) ends() int64   { return c.last }

// resolveCopies tells copies from what the other point missed, among the datagrams that
// stayed alone behind an equal one and whose identification tells nothing.
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

// markAcked notes which datagrams of a capture were acknowledged, and could not have been
// acknowledged for another transmission, nor passed over.
func (p *pairing) markAcked(at int) {
	c := p.c[at]
	alone, others := c.aloneFrames(), p.alonePayloads(1-at)
	by := map[uint32]uint32{} // of transmissions of units that were sent again
	for _, k := range c.acks {
		if c.sendings.repeats(k.frame) {
			by[k.frame] = k.by
		}
	}
	for _, k := range c.acks {
		if alone[k.frame/64]>>(k.frame%64)&1 == 0 {
			continue
		}
		if i := c.frameIndex(k.frame); i != none {
			c.list[i].bits |= acked
			if c.mate[i] == none && c.list[i].bits&skippable == 0 && !others[payload{p.wayAt(at, &c.list[i]), c.list[i].hash}] && c.sendings.alone(k.frame, by) {
				c.list[i].bits |= sole
			}
		}
	}
	for k, n := range c.numbers {
		if len(n.suspects) == 0 {
			continue
		}
		for _, x := range p.claims(k, n) {
			if i := c.frameIndex(uint32(x.Frame)); x.Place == seq.AfterCapture && x.Frame != 0 && i != none {
				c.list[i].bits |= missing
			}
		}
	}
}

// aloneFrames marks the frames whose datagrams the other point lacks.
func (c *Capture) aloneFrames() []uint64 {
	last := uint32(0)
	if n := len(c.list); n > 0 {
		last = c.list[n-1].frame
	}
	marks := make([]uint64, last/64+1)
	for i := range c.list {
		if f := c.list[i].frame; c.mate[i] == none {
			marks[f/64] |= 1 << (f % 64)
		}
	}
	return marks
}

// A payload is one of a direction.
type payload struct {
	way  *way
	hash uint64
}

// alonePayloads are those of the datagrams that a point alone has: one of them may have been acknowledged in
// the place of another.
func (p *pairing) alonePayloads(at int) map[payload]bool {
	out := map[payload]bool{}
	for i := range p.c[at].list {
		if d := &p.c[at].list[i]; p.c[at].mate[i] == none {
			out[payload{p.wayAt(at, d), d.hash}] = true
		}
	}
	return out
}

// claims are the losses that an analysis counts of a side.
func (p *pairing) claims(k numbersOf, n *numbers) []seq.Claim {
	k.conn.Unpack()
	defer k.conn.Rest()
	return k.conn.Dir[k.dir].Lost().Claims(n.suspects)
}

// sendings are the transmissions of units that were sent again.
type sendings struct {
	first map[uint32]uint32 // of a frame, the one it repeats
	all   map[uint32][]uint32
}

func (s *sendings) add(retries []link) {
	if s.first == nil {
		s.first, s.all = map[uint32]uint32{}, map[uint32][]uint32{}
	}
	for _, r := range retries {
		s.first[r.frame] = r.by
	}
	for _, r := range retries {
		root := s.root(r.frame)
		s.all[root] = append(s.all[root], r.frame)
	}
}

// of gives the frames of the unit that a frame is of.
func (s *sendings) of(frame uint32) []uint32 {
	root := s.root(frame)
	return append([]uint32{root}, s.all[root]...)
}

// repeats reports whether a frame is a transmission of a unit that was sent again.
func (s *sendings) repeats(frame uint32) bool { return s.first[frame] != 0 || s.all[frame] != nil }

// alone reports whether what acknowledges a frame acknowledges no other transmission of its
// unit: by is what acknowledges each.
func (s *sendings) alone(frame uint32, by map[uint32]uint32) bool {
	for _, f := range s.of(frame) {
		if f != frame && by[f] != 0 && by[f] == by[frame] {
			return false
		}
	}
	return true
}

func (s *sendings) root(frame uint32) uint32 {
	for n := 0; n < 64; n++ {
		f, ok := s.first[frame]
		if !ok {
			return frame
		}
		frame = f
	}
	return frame
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
	radius := max(int64(nearMiss), min(int64(farMiss), missTimes*(c.last-c.first)/int64(len(misses))))
	for _, t := range misses {
		if n := len(p.to); n > 0 && t-radius <= p.to[n-1] {
			p.to[n-1] = t + radius
			continue
		}
		p.from, p.to = append(p.from, t-radius), append(p.to, t+radius)
	}
	return p
}

// has reports whether a time lies in one of them.
func (p *poor) has(t int64) bool {
	i := sort.Search(len(p.to), func(i int) bool { return p.to[i] >= t })
	return i < len(p.to) && p.from[i] <= t
}

// markReordered marks what came to the second point behind what passed the first one later.
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

// tellUnseen finds the datagrams that are in neither capture.
func (p *pairing) tellUnseen() {
	if p.same {
		return
	}
	for at, c := range p.c {
		keys := make([]numbersOf, 0, len(c.numbers))
		for k, n := range c.numbers {
			if len(n.suspects) > 0 {
				keys = append(keys, k)
			}
		}
		slices.SortFunc(keys, func(a, b numbersOf) int { return cmp.Or(a.conn.ID-b.conn.ID, int(a.dir)-int(b.dir)) })
		for _, k := range keys {
			p.unseenOf(at, k)
		}
	}
}

// unseenOf finds those of one side of a connection that an analysis tells of.
func (p *pairing) unseenOf(at int, k numbersOf) {
	c, n := p.c[at], p.c[at].numbers[k]
	other, shift, ok := p.sameNumbers(at, k)
	if !ok {
		return
	}
	told := map[seq.Num]bool{}
	if first := p.c[Point1].numbers[other]; at == Point2 && first != nil { // the first analysis has told what it knows
		for _, x := range p.claims(other, first) {
			told[x.Num-shift] = true
		}
	}
	for _, x := range p.claims(k, n) {
		if x.Place == seq.AfterCapture || told[x.Num] || p.c[1-at].numbers[other].frame(x.Num+shift) != 0 {
			continue
		}
		u := unseen{fate: LostBefore, point: at, time: x.Time - (k.conn.LastTime - k.conn.LastStamp), conn: k}
		if x.Place == seq.NotCaptured {
			u.fate = MissedByBoth
		}
		if !c.hasTime || u.time < c.first || u.time > c.last {
			u.time = max(c.first, min(c.last, u.time))
		}
		p.unseen = append(p.unseen, u)
	}
}

// sameNumbers finds the side of a connection at the other point that sends the same datagrams,
// and what to add to a number for the one it has there.
func (p *pairing) sameNumbers(at int, k numbersOf) (other numbersOf, shift seq.Num, ok bool) {
	const tries = 64
	c, o, n := p.c[at], p.c[1-at], p.c[at].numbers[k]
	wanted := map[uint32]seq.Num{}
	stride := max(1, len(n.frames)/tries)
	for i := 0; i < len(n.frames); i += stride {
		for d := i; d < min(len(n.frames), i+stride); d++ {
			f := c.frameIndex(n.frames[d])
			if n.frames[d] == 0 || f == none || c.mate[f] == none || c.list[f].bits&copied != 0 {
				continue
			}
			m := &o.list[c.mate[f]]
			conn := o.connOf(&o.flows[m.flow])
			if conn == nil {
				continue
			}
			if !ok {
				other, ok = numbersOf{conn, o.flows[m.flow].dir}, true
			}
			if other.conn == conn {
				wanted[m.frame] = n.from + seq.Num(d)
			}
			break
		}
	}
	if !ok || o.numbers[other] == nil {
		return other, 0, false
	}
	votes := map[seq.Num]int{}
	for i, f := range o.numbers[other].frames {
		if num, ok := wanted[f]; ok && f != 0 {
			votes[o.numbers[other].from+seq.Num(i)-num]++
		}
	}
	best := 0
	for s, v := range votes {
		if v > best || v == best && s < shift {
			best, shift = v, s
		}
	}
	return other, shift, best > 0
}
