package compare

import (
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
	alone, others := c.aloneFrames(), p.alonePayloads(1-at)
	by := map[uint32]uint32{} // of transmissions of units that were sent again
	for _, k := range c.acks {
		if c.transmissions.repeats(k.frame) {
			by[k.frame] = k.by
		}
	}
	for _, k := range c.acks {
		if alone[k.frame/64]>>(k.frame%64)&1 == 0 {
			continue
		}
		if i := c.frameIndex(k.frame); i != none {
			c.list[i].bits |= acked
			if c.mate[i] == none && c.list[i].bits&skippable == 0 && !others[payload{p.wayAt(at, &c.list[i]), c.list[i].hash}] && c.transmissions.alone(k.frame, by) {
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

// transmissions are the transmissions of units that were sent again.
type transmissions struct {
	first map[uint32]uint32 // of a frame, the one it repeats
	all   map[uint32][]uint32
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
	}
}

// of gives the frames of the unit that a frame is of.
func (s *transmissions) of(frame uint32) []uint32 {
	root := s.root(frame)
	return append([]uint32{root}, s.all[root]...)
}

// repeats reports whether a frame is a transmission of a unit that was sent again.
func (s *transmissions) repeats(frame uint32) bool { return s.first[frame] != 0 || s.all[frame] != nil }

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
