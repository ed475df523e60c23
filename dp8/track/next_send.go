package track

import (
	"github.com/dpdissect/dpdissect/session/seq"
)

// An announcement is what the bNSeq of a SACK says beside what was captured of its side.
type announcement struct {
	what    announced
	highest int64  // captured of the side
	sent    uint64 // of nextIsSent: the frame with that number
	other   bool   // … it may be of another connection
	stray   *stray // … it is, unless this one goes on
}

type announced uint8

const (
	nothingAnnounced announced = iota
	nextIsNext
	nextIsAhead // numbers before it were not captured
	nextIsSent  // it was sent before, for certain
)

// latestNext is the latest bNSeq of a side that was right.
type latestNext struct {
	known bool
	num   int64
	tick  uint32
}

// heedsNext reports whether a SACK that is no copy may change anything: not where its bNSeq
// is proven wrong (MC-DPL8R 2.2.1.5).
func (c *conn) heedsNext(dir int, next int64) bool {
	out, w, a := &c.c.Dir[dir], &c.side[dir].next, &c.announced
	a.what, a.other, a.stray = nothingAnnounced, false, nil
	highest, ok := out.Window().Highest()
	if !ok || !c.fr.HasTime {
		return true
	}
	a.highest = highest
	tick := c.f.SACK.Timestamp
	sentLater := w.known && int32(tick-w.tick) > 0 && next < w.num
	switch {
	case next == highest+1:
		a.what = nextIsNext
		*w = latestNext{true, next, tick}
		return true
	case next > highest+1:
		a.what = nextIsAhead
		return true
	}
	x, known := out.Look(next)
	if !known || !c.unwraps(dir) || !x.First || c.atLeast(x.Time) <= 2*c.c.Rules.Horizon() && !sentLater {
		return true // overtaken, or too long ago to tell
	}
	a.what, a.sent = nextIsSent, x.Frame
	// A new connection of which the start was not captured begins again.
	if a.other = c.life.hard != [2]bool{} || c.atMost(x.Time) > longest; a.other {
		return false
	}
	if x.Time < c.trusted {
		return true
	}
	a.stray = newStray(c.fr, dir, 0)
	a.stray.side = dir
	c.addStray(a.stray)
	return false
}

// unwraps reports whether the full number behind one of a side is beyond doubt: too
// little time has passed for half of all numbers, at eight times the side's rate.
func (c *conn) unwraps(dir int) bool {
	out := &c.c.Dir[dir]
	highest, ok := out.Window().Highest()
	x, known := out.Look(highest)
	if !ok || !known || highest > out.Window().Lowest() && !captured(out, highest-1) {
		return false // one apart from the others may be an old one, unwrapped wrongly
	}
	return c.unwrapsAfter(highest, x.Time)
}

func captured(d *seq.Direction, n int64) bool {
	yes, ok := d.Captured(n)
	return yes && ok
}

// unwrapsAfter is unwraps for the time since a number was the highest.
func (c *conn) unwrapsAfter(highest, at int64) bool {
	idle, age := c.atMost(at), max(at-c.c.FirstTime, 1e8)
	return float64(highest+1)*8*float64(idle)/float64(age)+16 < 128
}
