package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Numbers are what is known of the numbers of one side, and of those that it
// acknowledges.
type Numbers struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	Started    bool
	hasOutlier bool
	answered   bool    // some acknowledgement of the side was captured
	unseen     bool    // what it acknowledges first was not captured
	beyond     bool    // it acknowledges more than was captured since the other side was
	TopFirst   seq.Num // highest number sent for the first time, outliers left out
	TopSeen    seq.Num // highest captured, outliers left out
	queued     int     // of queue
	claims     conform.Pending[Claim]
	outran     int  // acknowledgements in a row far beyond what was captured
	jump       Jump // the latest step over numbers

	outlier seq.Num // number of a frame that was out of place, valid with hasOutlier
	queue   [8]Told // its latest acknowledgements
}

// A Jump is a step over numbers that were not captured: either the capture or the
// network lost them, or the frame behind the step is out of place.
type Jump struct {
	after int // first transmissions after num

	set   bool
	Num   seq.Num // the frame behind the step
	next  seq.Num // where numbers go on if that is out of place
	Cum   seq.Num // what was acknowledged then
	Known bool    // cum is valid
	Frame uint64
	Time  int64
}

// A Prior is what was known of a number before the frame at hand.
type Prior struct {
	Look    seq.Look
	Known   bool
	horizon int64
}

// A Saying is what the frame at hand says of the other side's numbers.
type Saying struct {
	Next   seq.Num
	Mask   uint64
	Ahead  bool
	Drops  uint64 // of its own
	Begins bool   // nothing of the other side was captured before, nor any acknowledgement of it: it is 0
}

// An Applied is what it did to apply an acknowledgement.
type Applied struct {
	Done  bool    // the frame at hand has one, is no copy, and its other side was captured
	Known bool    // something was acknowledged before
	Cum   seq.Num // … up to this number
	Words dissect.Words
}

// longPause is longer than sides that keep to the text are silent, in ns: they send KeepAlives after
// 25 s, at a granularity of 4 s (MC-DPL8R 3.1.2.6).
const longPause = 30e9

// longAgo is a time, ns since 1970, too long ago for any number to be still in flight; 0 is that of
// nothing seen.
const longAgo = 1

// silence is for how long, in ns, nothing numbered may be captured before numbers
// are in doubt, where nothing is known of path and speed (guard UNWRAP).
const silence = 200e6

// placeInTime looks at the time since the side's frame before: when so much may have been
// sent unseen that a number may have wrapped, nothing before counts any more (guard
// UNWRAP). What the stamp says besides number and time was set before.
func (c *conn) placeInTime(dir dissect.Dir, num seq.Num) {
	t := c.Frame.Time
	c.Said, c.Applied = Saying{}, Applied{}
	c.Stamp.Num, c.Stamp.Frame, c.Stamp.Time = num, c.Frame.Frame, t
	if !c.Frame.HasTime {
		return
	}
	c.coarsen(t)
	if pause := t - c.spoke; pause > longPause && c.spoke != 0 {
		c.Pause = pause
		c.tellOf(dir, num, Woken)
	}
	c.spoke = max(c.spoke, t)
	if c.silent(dir) || c.Stamp.data && c.displaced(dir, num) {
		c.forgetNumbers(t)
	}
	c.numbered[dir] = max(c.numbered[dir], t)
	c.side[dir.Other()].Numbers.outran, c.side[dir.Other()].Numbers.beyond = 0, false
}

// displaced reports a number so far below the highest that no side has it in flight
// any more: it stands for another one, unless the highest was out of place.
func (c *conn) displaced(dir dissect.Dir, num seq.Num) bool {
	l := &c.side[dir].Numbers
	j := &l.jump
	return l.Started && num <= l.TopFirst-dp8.WindowSize && !(j.set && j.after == 0 && num == j.next) || num < 0 && c.c.Complete
}

// silent reports whether a side was not seen for so long that its numbers are in
// doubt. What its peer acknowledges confirms them: they are not far ahead.
func (c *conn) silent(dir dissect.Dir) bool {
	gap := c.Frame.Time - max(c.numbered[dir], c.confirmedAt[dir])
	return gap > 10e6 && c.numbered[dir] != 0 && gap > c.bearable(dir)
}

// bearable is for how long nothing of a side may be captured: as long as it takes to
// send a window of numbers, as fast as it was seen to.
func (c *conn) bearable(dir dissect.Dir) int64 {
	m, out := &c.side[dir].History, &c.c.Dir[dir]
	if m.hasSpeed {
		return min(m.fastest, longest)
	}
	n, took := int64(out.DataFrames+out.KeepAlives), c.numbered[dir]-c.c.FirstTime
	if n == 0 || n >= 2*dp8.WindowSize {
		return silence
	}
	if next, ok := c.side[dir].nseq.Known(); m.Started || c.c.Complete && ok {
		n = max(n, int64(max(m.Top+1, next)-m.Bottom)) // it sent those that were not captured as well
	}
	return min(max(silence, took*dp8.WindowSize/n/4), longest)
}

// longest is for how long any side may be silent, in ns: another connection may have
// begun since, unseen.
const longest = 10e9

// forgetNumbers forgets everything that numbers before t would be compared with.
func (c *conn) forgetNumbers(t int64) {
	c.trusted = max(c.trusted, t) // frames that are believed late come from before
	for i := range dissect.Dirs {
		c.endClaims(i, ClaimForgotten)
		if c.judge != nil {
			c.judge.Forget(i)
		}
		n := &c.side[i].Numbers
		*n = Numbers{claims: n.claims, answered: n.answered, unseen: n.unseen}
	}
}

// recall takes down what is known of the number of the frame at hand.
func (c *conn) recall(dir dissect.Dir, num seq.Num) {
	p, l := &c.Prior, &c.side[dir].Numbers
	p.Known = false
	if num == l.TopFirst+1 && c.side[dir.Other()].Numbers.claims.Len() == 0 {
		return
	}
	p.Look, p.Known = c.c.Dir[dir].Look(num)
	p.horizon = c.apart()
}

// remembered gives what was captured of a number of a side, nothing where it may be of another number. A clock that
// shows no more than seconds does not tell how many numbers went by from one to the next
// (guard CLOCK).
func (c *conn) remembered(dir dissect.Dir, num seq.Num) Record {
	f := c.side[dir].History.At(num)
	if !f.IsKnown() || !f.Timed() || f.Time() < c.trusted || c.grain >= 1e9 && c.Frame != nil && c.Frame.Time > f.Time() {
		return Record{}
	}
	return f
}

// cumulative is what was captured of acknowledgements of a side's numbers.
func (c *conn) cumulative(dir dissect.Dir) (next seq.Num, ok bool) {
	if next, ok = c.c.Dir[dir].Window().Cumulative(); !ok && c.c.Complete {
		return 0, true
	}
	return next, ok
}
