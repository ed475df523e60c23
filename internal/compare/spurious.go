package compare

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
)

// A needless is what a side sent again.
type needless struct {
	retries int // that the first capture has …
	arrived int // … of what the second one has, too …
	unheard int // … and of which the acknowledgement was lost between them, or came later than the retry
	frames  []uint64
}

// needless counts what a direction sent again although it had arrived, as only both captures show.
func (p *pairing) needless(w *way) (n needless) {
	c, other := p.c[w.first], p.c[1-w.first]
	acked := map[uint32]uint32{} // frames of the second point, by what
	for _, k := range other.acks {
		if i := other.frameIndex(k.frame); i != none && other.mate[i] != none && other.list[i].bits&copied == 0 && c.transmissions.repeats(c.list[other.mate[i]].frame) {
			acked[k.frame] = k.by
		}
	}
	for _, i := range w.lists[w.first] {
		if c.list[i].bits&(again|copied) == again {
			n.retries++
		}
	}
	for _, frame := range slices.Sorted(maps.Keys(c.transmissions.first)) {
		i := c.frameIndex(frame)
		if i == none || p.wayAt(w.first, &c.list[i]) != w || c.list[i].bits&copied != 0 {
			continue
		}
		for _, earlier := range c.transmissions.of(frame) {
			k := c.frameIndex(earlier)
			if earlier >= frame || k == none || c.fate[k] != Delivered {
				continue
			}
			n.arrived++
			if len(n.frames) < mostTailFrames {
				n.frames = append(n.frames, uint64(frame))
			}
			if by := other.frameIndex(acked[other.list[c.mate[k]].frame]); by != none && p.unheard(1-w.first, int32(by), c.list[i].time) {
				n.unheard++
			}
			break
		}
	}
	return n
}

// unheard reports whether a datagram of a point did not come to the other one before a time of its clock.
func (p *pairing) unheard(at int, i int32, time int64) bool {
	c := p.c[at]
	return c.fate[i] == LostBetween || c.fate[i] == Delivered && p.c[1-at].list[c.mate[i]].time > time
}

// needlessly says what both captures show of retries that one of them found needless, false where they were needed.
func (j *joint) needlessly(c *Contribution, dir dissect.Dir) bool {
	w := &j.r.p.lines[j.k.line].dirs[j.k.side(int(dir))]
	if w.first == none {
		return true
	}
	n := j.r.p.needless(w)
	if n.arrived == 0 {
		return false
	}
	c.Certainty, c.Numbers = explain.Proved, map[string]float64{"retries": float64(n.retries), "unneeded": float64(n.arrived), "acks_lost": float64(n.unheard)}
	c.Frames1, c.Frames2 = n.frames, []uint64{}
	if w.first == Point2 {
		c.Frames1, c.Frames2 = c.Frames2, c.Frames1
	}
	c.Sentence = fmt.Sprintf("%d of %d packets that %s sent again had arrived", n.arrived, n.retries, j.who(dir))
	if n.unheard > 0 {
		c.Sentence += fmt.Sprintf("; the acknowledgements of %d were lost between the two capture points, or came later", n.unheard)
	}
	c.Sentence += "."
	if 2*n.unheard >= n.arrived {
		c.Side = "path"
	}
	return true
}
