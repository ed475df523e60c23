package compare

import "strconv"

// A Packet is what is told of one packet of a capture.
type Packet struct {
	Time   int64 // on the axis, ns since 1970
	Told   bool  // it is a datagram: the rest is known
	Fate   string
	Other  uint32 // frame of the same datagram at the other point, 0 for none
	OneWay string // ms, "" where it is not known
}

// Packet tells of a packet of a point, by its frame and time.
func (r *Comparison) Packet(at int, frame uint64, time int64) (x Packet) {
	c := r.p.c[at]
	i := c.frameIndex(uint32(frame))
	if i == none {
		near := int32(max(0, min(c.frameBefore(uint32(frame)), len(c.list)-1)))
		x.Time = r.axis(at, near, time)
		return x
	}
	d := &c.list[i]
	x.Time, x.Told = r.axis(at, int32(i), time), true
	if d.bits&copied != 0 {
		x.Fate, x.Other = "copy", 0
		return x
	}
	var p passage
	r.fill(&p, at, int32(i))
	x.Fate, x.Other = p.fate.String(), r.frames(&p)[1-at]
	if p.timed && p.truly {
		x.OneWay = strconv.FormatFloat(millis(p.delay), 'f', -1, 64)
	}
	return x
}

// frameBefore is the place of the latest datagram before a frame.
func (c *Capture) frameBefore(frame uint32) int {
	switch {
	case frame == 0 || len(c.upTo) == 0:
		return none
	case int(frame) > len(c.upTo):
		return len(c.list) - 1
	}
	return int(c.upTo[frame-1]) - 1
}
