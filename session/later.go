package session

import "github.com/dpdissect/dpdissect/dissect"

// A wait is what is settled once whatever came late would have come.
type wait struct {
	dir    dissect.Dir
	until  int64
	frames uint64 // of the side
	doubt  Doubt
}

// A Doubt is what waits to be settled (Conn.Later).
type Doubt interface{ Settle() }

// maxWaits is how many of a connection may be open; the oldest is dropped to make room.
const maxWaits = 16

// Later settles a doubt when a later frame had the time to explain what is doubtful at the
// frame at hand, which a side sent: after Evaluation.HoldTime and HoldSideFrames further
// frames of it, or at the end of the connection. A wait that the end of the capture cuts
// short is dropped.
func (c *Conn) Later(dir dissect.Dir, doubt Doubt) {
	a := c.active
	if len(a.waits) == maxWaits {
		a.waits = append(a.waits[:0], a.waits[1:]...)
	}
	a.waits = append(a.waits, wait{dir, a.sight.now + c.Rules.HoldTime(), a.sight.frames[dir] + HoldSideFrames, doubt})
}

// settleWaits settles what waited long enough.
func (a *active) settleWaits() {
	left := a.waits[:0]
	for _, w := range a.waits {
		if a.sight.now < w.until || a.sight.frames[w.dir] < w.frames {
			left = append(left, w)
		} else {
			w.doubt.Settle()
		}
	}
	clear(a.waits[len(left):])
	a.waits = left
}

// endWaits settles what still waits when the connection, or the capture, ended.
func (a *active) endWaits(end int64, over bool) {
	waits := a.waits
	a.waits = nil
	for _, w := range waits {
		if over || end >= w.until {
			w.doubt.Settle()
		}
	}
}
