package compare

import (
	"fmt"
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
)

// leastTransmissions is how often one packet is lost to say that it was the reason, and nearEnd how long
// before its side sends nothing any more it is sent last at most, ns.
const (
	leastTransmissions = 3
	nearEnd            = 12e9
)

// unitLost is a packet all transmissions of which were lost while others passed.
func unitLost(j *joint) (f finding, ok bool) {
	if !j.says(explain.Closed, explain.Reset, explain.RetriesExhausted, explain.SizeBlackHole, explain.Undecided, explain.PeerSilent, explain.PortClosed) {
		return f, false
	}
	for dir := range dissect.Dirs {
		if f, ok = j.unitOf(dir); ok {
			return f, true
		}
	}
	return f, false
}

func (j *joint) unitOf(dir dissect.Dir) (f finding, ok bool) {
	l := j.r.p.lines[j.k.line]
	way := int(dir)
	if j.k.flip {
		way = 1 - way
	}
	w := &l.dirs[way]
	if w.first == none {
		return f, false
	}
	c := j.r.p.c[w.first]
	longest, done := uint16(0), map[uint32]bool{}
	for _, i := range w.lists[w.first] {
		if c.fate[i] == Delivered {
			longest = max(longest, c.list[i].length)
		}
	}
	end := j.dirs[dir].last // the other side may go on for long
	for _, i := range w.lists[w.first] {
		d := &c.list[i]
		if c.fate[i] != LostBetween && c.fate[i] != Uncertain || done[c.transmissions.root(d.frame)] {
			continue
		}
		done[c.transmissions.root(d.frame)] = true
		frames, last := j.allLost(w.first, d.frame)
		if len(frames) < leastTransmissions || end-last > nearEnd {
			continue
		}
		passed := j.dirs[dir].lastArrived
		if passed < j.r.axis(w.first, i, d.time) {
			continue // nothing else passed meanwhile
		}
		f = finding{cause: explain.RetriesExhausted, side: "path", at: last,
			sentence:  fmt.Sprintf("One packet of %s was sent %d times from %s on and lost each time between the two capture points, while others passed.", j.who(dir), len(frames), clock(j.r.axis(w.first, i, d.time))),
			decidedBy: fmt.Sprintf("%s, which holds none of the %d transmissions", j.name(1-w.first), len(frames)),
			refute:    fmt.Sprintf("one of these transmissions in %s", j.name(1-w.first))}
		if d.length > longest {
			f.cause = explain.SizeBlackHole
			f.sentence = fmt.Sprintf("A packet of %s with %d bytes was sent %d times and lost each time between the two capture points; none with more than %d bytes ever passed.", j.who(dir), d.length, len(frames), longest)
		}
		f.frames[w.first] = frames
		return f, true
	}
	return f, false
}

// allLost gives the frames of all transmissions of a unit at a point, none where one of them was not
// lost, and when the last one was sent.
func (j *joint) allLost(at int, frame uint32) (frames []uint64, last int64) {
	c, unsure := j.r.p.c[at], false
	for _, f := range c.transmissions.of(frame) {
		i := c.frameIndex(f)
		if i == none || c.fate[i] != LostBetween && c.fate[i] != Uncertain {
			return nil, 0
		}
		unsure = unsure || c.fate[i] == Uncertain
		frames, last = append(frames, uint64(f)), max(last, j.r.axis(at, int32(i), c.list[i].time))
	}
	if unsure && float64(len(frames))*math.Log(j.r.p.rates[1-at]) > math.Log(byChance) {
		return nil, 0 // the other point may have missed them all
	}
	return frames, last
}
