package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// An Announcement is what the bNSeq of a SACK says beside what was captured of its side.
type Announcement struct {
	What    Announced
	Highest seq.Num // captured of the side
	Sent    uint64  // of NextIsSent: the frame with that number
	Other   bool    // … it may be of another connection
	Stray   *Stray  // … it is, unless this one goes on
}

type Announced uint8

const (
	NothingAnnounced Announced = iota
	NextIsNext
	NextIsAhead // numbers before it were not captured
	NextIsSent  // it was sent before, for certain
)

// latestNext is the latest bNSeq of a side that was right.
type latestNext struct {
	known bool
	num   seq.Num
	tick  uint32
}

// heedsNext reports whether a SACK that is no copy may change anything: not where its bNSeq
// is proven wrong (MC-DPL8R 2.2.1.5).
func (c *conn) heedsNext(dir dissect.Dir, next seq.Num) bool {
	out, w, a := &c.c.Dir[dir], &c.side[dir].next, &c.Announced
	a.What, a.Other, a.Stray = NothingAnnounced, false, nil
	highest, ok := out.Window().Highest()
	if !ok || !c.Frame.HasTime {
		return true
	}
	a.Highest = highest
	tick := c.Packet.SACK.Timestamp
	sentLater := w.known && int32(tick-w.tick) > 0 && next < w.num
	switch {
	case next == highest+1:
		a.What = NextIsNext
		*w = latestNext{true, next, tick}
		return true
	case next > highest+1:
		a.What = NextIsAhead
		return true
	}
	x, known := out.Look(next)
	if !known || !c.unwraps(dir) || !x.First || c.atLeast(x.Time) <= c.inOrder() && !sentLater {
		return true // overtaken, or too long ago to tell
	}
	a.What, a.Sent = NextIsSent, x.Frame
	// A new connection of which the start was not captured begins again.
	if a.Other = c.life.hard != [2]bool{} || c.atMost(x.Time) > longest; a.Other {
		return false
	}
	if x.Time < c.trusted {
		return true
	}
	a.Stray = newStray(c.Frame, dir, 0)
	a.Stray.side = dir
	c.addStray(a.Stray)
	return false
}

// unwraps reports whether the full number behind one of a side is beyond doubt: too
// little time has passed for half of all numbers, at eight times the side's rate.
func (c *conn) unwraps(dir dissect.Dir) bool {
	out := &c.c.Dir[dir]
	highest, ok := out.Window().Highest()
	x, known := out.Look(highest)
	if !ok || !known || highest > out.Window().Lowest() && !captured(out, highest-1) {
		return false // one apart from the others may be an old one, unwrapped wrongly
	}
	return c.unwrapsAfter(highest, x.Time)
}

func captured(d *seq.Direction, n seq.Num) bool {
	yes, ok := d.Captured(n)
	return yes && ok
}

// unwrapsAfter is unwraps for the time since a number was the highest.
func (c *conn) unwrapsAfter(highest seq.Num, at int64) bool {
	idle, age := c.atMost(at), max(at-c.c.FirstTime, 1e8)
	return float64(highest+1)*8*float64(idle)/float64(age)+16 < 128
}
