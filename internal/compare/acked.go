package compare

import (
	"slices"

	"github.com/dpdissect/dpdissect/session/seq"
)

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

// markAcked notes which datagrams of a capture were acknowledged, and could not have been
// acknowledged for another transmission, nor passed over.
func (p *pairing) markAcked(at int) {
	c := p.c[at]
	alone, others, likes := p.aloneFrames(at), p.alonePayloads(1-at), p.likes(at)
	by := map[uint32]uint32{} // of transmissions of units that were sent again
	for _, k := range c.acks {
		if c.transmissions.repeats(k.frame) {
			by[k.frame] = k.by
		}
	}
	soon := p.ackTimes(at)
	for _, k := range c.acks {
		if !alone.has(k.frame) || c.isAltered(k.by) {
			continue
		}
		if i := c.frameIndex(k.frame); i != none {
			d := &c.list[i]
			w := p.wayAt(at, d)
			d.bits |= acked
			if took, ok := c.took(k); ok && took >= soon[w] {
				d.bits |= slow
			}
			if c.mate[i] == none && d.bits&skippable == 0 && likes[payload{w, d.hash}] <= 1 && !others[payload{w, d.hash}] && c.transmissions.alone(k.frame, by) {
				d.bits |= sole
			}
		}
	}
	for _, f := range c.answered {
		if i := c.frameIndex(f); i != none && c.mate[i] == none && !others[payload{p.wayAt(at, &c.list[i]), c.list[i].hash}] {
			c.list[i].bits |= acked | sole
		}
	}
	for k, n := range c.numbers {
		if len(n.suspects) == 0 {
			continue
		}
		for _, x := range p.claims(k, n) {
			if i := c.frameIndex(uint32(x.Frame)); x.Place == seq.AfterCapture && x.Frame != 0 && i != none {
				c.list[i].bits |= missing
				if c.mate[i] != none {
					p.wayAt(at, &c.list[i]).drops = true
				}
			}
		}
	}
}

// isAltered reports whether the bytes of a frame were changed on the way: what it acknowledges may have been, too.
func (c *Capture) isAltered(frame uint32) bool {
	i := c.frameIndex(frame)
	return i != none && c.list[i].bits&altered != 0
}

// slowAck is how many times as long as usual an acknowledgement takes at least that is of a
// second transmission: it is sent after such a time at the soonest.
const slowAck = 2

// ackTimes are from when on acknowledgements may be of a second transmission, of each direction that a capture
// shows: that is sent after the shortest time after which any was, or after twice the time that those of what
// arrived at once take in the median.
func (p *pairing) ackTimes(at int) map[*way]int64 {
	c := p.c[at]
	times, again := map[*way][]int64{}, map[*way]int64{}
	step := max(1, len(c.acks)/mostCounted)
	for i := 0; i < len(c.acks); i += step {
		if k := c.acks[i]; c.transmissions.repeats(k.frame) {
			continue
		} else if took, ok := c.took(k); ok {
			if f := c.frameIndex(k.frame); c.mate[f] != none {
				w := p.wayAt(at, &c.list[f])
				times[w] = append(times[w], took)
			}
		}
	}
	for frame, by := range c.transmissions.first {
		if took, ok := c.took(link{by, frame}); ok && took > 0 {
			w := p.wayAt(at, &c.list[c.frameIndex(frame)])
			if least, ok := again[w]; !ok || took < least {
				again[w] = took
			}
		}
	}
	for w, list := range times {
		usual := median(list)
		slow := slowAck*usual + leastJitter
		if least, ok := again[w]; ok {
			slow = min(slow, least+slices.Min(list)/2) // its acknowledgement takes a while, too
		}
		again[w] = slow
	}
	return again
}

// took is how long an acknowledgement took.
func (c *Capture) took(k link) (ns int64, ok bool) {
	i, by := c.frameIndex(k.frame), c.frameIndex(k.by)
	if i == none || by == none || c.list[i].bits&c.list[by].bits&timed == 0 {
		return 0, false
	}
	return c.list[by].time - c.list[i].time, true
}

// aloneFrames marks the frames whose datagrams the other point lacks.
func (p *pairing) aloneFrames(at int) (marks frameSet) {
	for _, i := range p.open[at] {
		marks.add(p.c[at].list[i].frame)
	}
	return marks
}

// A frameSet is frames of a capture, a bit each.
type frameSet []uint64

func (s *frameSet) add(f uint32) {
	for int(f/64) >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[f/64] |= 1 << (f % 64)
}

func (s frameSet) has(f uint32) bool { return int(f/64) < len(s) && s[f/64]>>(f%64)&1 != 0 }

// A payload is one of a direction.
type payload struct {
	way  *way
	hash uint64
}

// alonePayloads are those of the datagrams that a point alone has: one of them may have been acknowledged in
// the place of another.
func (p *pairing) alonePayloads(at int) map[payload]bool {
	out := map[payload]bool{}
	for _, i := range p.open[at] {
		d := &p.c[at].list[i]
		out[payload{p.wayAt(at, d), d.hash}] = true
	}
	return out
}

// likes counts the datagrams of each payload of a point, where captures hold the beginnings alone: different ones
// look alike then.
func (p *pairing) likes(at int) map[payload]int {
	if p.c[0].shortest == none && p.c[1].shortest == none {
		return nil
	}
	out := map[payload]int{}
	for i := range p.c[at].list {
		if d := &p.c[at].list[i]; d.bits&copied == 0 {
			out[payload{p.wayAt(at, d), d.hash}]++
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

// transmissions are the transmissions of units that were sent again.
type transmissions struct {
	first map[uint32]uint32 // of a frame, the one it repeats
	all   map[uint32][]uint32
	among frameSet // the frames of all
}

func (s *transmissions) add(retries []link) {
	if s.first == nil {
		s.first, s.all = map[uint32]uint32{}, map[uint32][]uint32{}
	}
	for _, r := range retries {
		s.first[r.frame] = r.by
	}
	for _, r := range retries {
		root := s.root(r.frame)
		s.all[root] = append(s.all[root], r.frame)
		s.among.add(r.frame)
		s.among.add(root)
	}
}

// of gives the frames of the unit that a frame is of.
func (s *transmissions) of(frame uint32) []uint32 {
	root := s.root(frame)
	return append([]uint32{root}, s.all[root]...)
}

// repeats reports whether a frame is a transmission of a unit that was sent again.
func (s *transmissions) repeats(frame uint32) bool { return s.among.has(frame) }

// alone reports whether what acknowledges a frame acknowledges no other transmission of its
// unit: by is what acknowledges each.
func (s *transmissions) alone(frame uint32, by map[uint32]uint32) bool {
	for _, f := range s.of(frame) {
		if f != frame && by[f] != 0 && by[f] == by[frame] {
			return false
		}
	}
	return true
}

func (s *transmissions) root(frame uint32) uint32 {
	for n := 0; n < 64; n++ {
		f, ok := s.first[frame]
		if !ok {
			return frame
		}
		frame = f
	}
	return frame
}
