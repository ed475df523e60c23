package compare

import "slices"

// Bounds of what shows that an acknowledgement arrived.
const (
	longTimes   = 8   // an acknowledgement takes usually …
	longLeast   = 3e9 // … and at least, ns
	resendTimes = 2   // the longest time after which anything was sent again for the first time, at least
)

// markArrivedAcks notes which acknowledgements of a point, that the other one lacks, arrived: whose receiver would have
// sent again what they acknowledge, and did not.
func (p *pairing) markArrivedAcks(at int) {
	c, other := p.c[at], p.c[1-at]
	var links []link // acknowledged frames of the other point, and what acknowledges them here
	wanted := frameSet{}
	for _, k := range c.acks {
		by := c.frameIndex(k.by)
		if by == none || c.mate[by] != none {
			continue
		}
		i := c.frameIndex(k.frame)
		if i == none || c.mate[i] == none || c.list[i].bits&copied != 0 || p.wayAt(at, &c.list[by]).first != at {
			continue
		}
		m := c.mate[i]
		d, x := &c.list[i], &other.list[m]
		if d.bits&x.bits&timed == 0 || d.bits&final != 0 || c.transmissions.repeats(k.frame) || other.transmissions.repeats(x.frame) {
			continue
		}
		wanted.add(x.frame)
		links = append(links, link{x.frame, k.by})
	}
	if len(links) == 0 {
		return
	}
	heard := map[uint32]int64{} // when the other point has an acknowledgement of each
	for _, acks := range [][]link{other.unproved, other.acks} {
		for _, k := range acks {
			if by := other.frameIndex(k.by); by != none && wanted.has(k.frame) {
				heard[k.frame] = other.list[by].time
			}
		}
	}
	waits := p.longestWaits(1 - at)
	for _, k := range links {
		i, by := int32(other.frameIndex(k.frame)), int32(c.frameIndex(k.by))
		x := &other.list[i]
		wait := waits[p.wayAt(1-at, x)]
		if t, ok := heard[k.frame]; wait == 0 || ok && t < x.time+wait {
			continue
		}
		silent := p.without(1-at, i, wait, func(d *datagram, _ int32) bool { return d.bits&again != 0 })
		only := p.without(at, by, wait, func(_ *datagram, mate int32) bool { return mate == none })
		if silent && only {
			c.list[by].bits |= acked | sole
		}
	}
}

// without reports whether a sender went on for longer than a time after a datagram, and sent nothing of some kind
// within that.
func (p *pairing) without(at int, i int32, time int64, kind func(d *datagram, mate int32) bool) bool {
	c := p.c[at]
	list := p.wayAt(at, &c.list[i]).lists[at]
	from, _ := slices.BinarySearch(list, i)
	for _, k := range list[from+1:] {
		if c.list[k].time > c.list[i].time+time {
			return true
		}
		if kind(&c.list[k], c.mate[k]) {
			return false
		}
	}
	return false
}

// longestWaits gives for each direction the time, in ns, after which its sender has most likely sent again what was not
// acknowledged.
func (p *pairing) longestWaits(at int) map[*way]int64 {
	c, out := p.c[at], map[*way]int64{}
	for w, usual := range p.ackTimes(at) {
		out[w] = max(longLeast, longTimes*usual)
	}
	for frame, retries := range c.transmissions.all {
		if took, ok := c.took(link{frame, retries[0]}); ok {
			w := p.wayAt(at, &c.list[c.frameIndex(frame)])
			out[w] = max(out[w], resendTimes*took)
		}
	}
	return out
}
