package track

import (
	"math"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Stamp tells when, in the order of its side, a frame with an acknowledgement was
// sent: a data frame at its number, a SACK before its bNSeq and at its tick, a
// retry at no known place.
type Stamp struct {
	data, Retry bool
	tick        uint32
	Num         seq.Num // own number, or bNSeq
	Frame       uint64
	Time        int64
}

// Set copies a stamp field by field: all at once would wait for the narrow stores
// that have just made it.
func (x *Stamp) Set(y *Stamp) {
	x.data, x.Retry, x.Num, x.tick, x.Frame, x.Time = y.data, y.Retry, y.Num, y.tick, y.Frame, y.Time
}

// A Told is the bNRcv of a frame, unwrapped.
type Told struct {
	Stamp
	Next seq.Num
}

// after reports whether the frame at hand was certainly sent after x, which was
// captured before: by numbers and ticks, else by the reorder horizon (guard
// REORD).
func (c *conn) after(x *Stamp) bool {
	y := &c.Stamp
	apart := y.Time-x.Time > c.apart()
	switch {
	case x.Retry || y.Retry:
		return apart
	case y.data && x.data:
		return y.Num > x.Num
	case y.data:
		return y.Num >= x.Num
	case x.data:
		return y.Num > x.Num
	}
	return y.Num >= x.Num && (int32(y.tick-x.tick) > 0 || y.tick == x.tick && apart)
}

// A Reading is what a frame that is no copy acknowledges, and what is believed of it.
type Reading struct {
	Heard    bool // numbers of the other side are known, and it is compared with them
	Opening  bool // it is the first acknowledgement of its side
	Ahead    bool // it acknowledges more than was captured
	Masked   bool // it has a mask that names something
	Bit0     bool // its mask names bNRcv + 1, even where Heard is false
	Bit63    bool // its mask names bNRcv + 64, which is outside the window
	Progress Progress
	Back     Told    // of WentBack: the earlier frame that had more
	Mask     uint64  // the mask as it is applied
	Highest  seq.Num // the highest number of the other side then
}

// Progress says how bNRcv compares with what its side said before.
type Progress uint8

const (
	NoProgress Progress = iota // not compared: it acknowledges more than was captured
	Onward
	OnwardRetry // of a frame that is marked as a retry, or the first one
	Cycle       // it looks lower, but may be half a cycle further: numbers may have passed unseen
	WentBack    // it is lower, and was certainly sent later
	Late        // it is lower, and was overtaken
)

// read reads bNRcv and SACK mask of a frame that is no copy, before they are applied. It
// gives back the mask without what is impossible.
func (c *conn) read(dir dissect.Dir, nrcv uint8, mask uint64) uint64 {
	n, o, r := &c.side[dir].Numbers, &c.side[dir.Other()].Numbers, &c.Reading
	next := near(o.TopSeen, nrcv)
	c.Said = Saying{Next: next}
	r.Heard, r.Opening, r.Ahead, r.Progress, r.Mask = false, false, false, NoProgress, 0 // one by one, for Back is large and counts with WentBack alone
	r.Masked, r.Bit0, r.Bit63, r.Highest = mask != 0, mask&1 != 0, mask>>63 != 0, o.TopSeen
	if r.Bit63 || c.Frame.Err != nil {
		mask = 0 // … or it is cut within
	}
	late := c.Frame.Frame < c.toldIn // it is believed after others were captured, whose numbers it can't acknowledge
	if !o.Started || !c.Frame.HasTime || c.Frame.Time < c.trusted || c.silent(dir.Other()) || late && next > o.TopSeen+1 {
		c.Said.Ahead = true // nothing can be said of it
		n.answered = true
		return mask
	}
	r.Ahead = next > o.TopSeen+1
	wrapped := n.claims.Len() > 0 && next <= o.TopSeen-dp8.WindowSize // it counted on beyond half a cycle
	if wrapped || next > o.TopSeen+1+seq.MaxAckExcess {
		if n.outran++; wrapped || n.outran > 1 {
			c.unseen(dir.Other())
			return mask
		}
	}
	r.Heard = true
	if n.claims.Len() > 0 {
		c.contradict(dir, next)
	}
	r.Opening = !n.answered
	if n.answered = true; r.Ahead && (c.c.Complete || !r.Opening) {
		c.claim(dir, Claim{from: o.TopSeen + 1, Next: next, High: o.TopSeen, Opening: r.Opening})
	}
	n.beyond = n.beyond || r.Ahead
	if c.Said.Ahead = r.Ahead; !r.Ahead {
		if !n.beyond && (n.queued == 0 || next >= n.queue[n.queued-1].Next) {
			c.confirmedAt[dir.Other()] = max(c.confirmedAt[dir.Other()], c.Frame.Time)
		}
		r.Progress = c.proceed(dir, next)
	}
	if r.Mask, c.Said.Mask = mask, mask; mask != 0 {
		c.claimMask(dir, next, mask)
	}
	return mask
}

// unseen notes that numbers of a side may have gone round unseen: what it sent before no longer
// tells which cycle a number is in.
func (c *conn) unseen(dir dissect.Dir) {
	c.numbered[dir], c.confirmedAt[dir] = longAgo, 0
	m := &c.side[dir].History
	m.SureSince = max(m.SureSince, c.Frame.Time)
}

// proceed compares bNRcv with those that its side sent before (MC-DPL8R 3.1.5.2.2, 3.1.6.5).
func (c *conn) proceed(dir dissect.Dir, next seq.Num) Progress {
	n := &c.side[dir].Numbers
	if n.queued == 0 || next >= n.queue[n.queued-1].Next {
		p := OnwardRetry
		if !c.Stamp.Retry && n.queued > 0 {
			p = Onward
		}
		if n.queued == 0 || next > n.queue[n.queued-1].Next {
			n.push(c, next)
		}
		return p
	}
	back := n.queue[n.queued-1].Next - next
	round := back > dp8.WindowSize || c.mayHaveComeFar(dir.Other())
	if round || back > dp8.WindowSize/4 && !c.c.Rules.ClockSure() {
		n.queued = 0 // what was told before is in doubt
		if round {
			c.unseen(dir.Other()) // … and so are the numbers
		}
		return Cycle
	}
	for i := n.queued - 1; i >= 0 && n.queue[i].Next > next; i-- {
		if x := &n.queue[i]; x.Frame < c.Frame.Frame && c.after(&x.Stamp) { // what is believed late comes behind later ones
			c.Reading.Back = *x
			if !c.Stamp.Retry {
				n.queued = 0
				n.push(c, next)
			}
			return WentBack
		}
	}
	return Late
}

// claimMask claims, for frames to come, that the numbers exist which a SACK mask names above all
// that was captured
// (MC-DPL8R 3.1.5.2.1, 3.1.5.2.3).
func (c *conn) claimMask(dir dissect.Dir, next seq.Num, mask uint64) {
	seen := c.side[dir.Other()].Numbers.TopSeen
	if top := next + seq.Num(bits.Len64(mask)); !c.Reading.Ahead && top > seen+1 {
		c.claim(dir, Claim{from: next + 1, Next: next, Mask: mask, High: seen})
	}
}

// push puts the latest bNRcv of a side into its queue, from which the oldest drops out.
func (l *Numbers) push(c *conn, next seq.Num) {
	if l.queued == len(l.queue) {
		copy(l.queue[:], l.queue[1:])
		l.queued--
	}
	t := &l.queue[l.queued]
	t.Set(&c.Stamp)
	t.Next = next
	l.queued++
}

// carry remembers the acknowledgement and the send mask of the data frame at hand, which is no
// copy: a side that acknowledges the frame has read them. Only the first transmission counts, for
// retries carry newer ones. A send mask counts as far as all transmissions have it.
func (c *conn) carry(m *History, num seq.Num, d *dp8.DFrame) {
	f := &c.Record
	switch {
	case !f.IsKnown():
		return
	case d.Control&dp8.CtlRetry != 0:
		if f.is(masked) {
			m.masks.At(num).drops &= c.Said.Drops
		}
		return
	}
	x := masks{drops: c.Said.Drops}
	if x.drops != 0 {
		m.Dropped = max(m.Dropped, num)
	}
	if f.next = 0; !c.Said.Ahead && c.Frame.Err == nil && c.Frame.HasTime && c.Said.Next <= math.MaxInt32 {
		f.next, x.sacks = int32(c.Said.Next), c.Said.Mask
	}
	f.has |= carries
	m.setMasks(*f, x)
}

// carried gives the record of a number where it is known what its first transmission carried, and
// an empty one elsewhere.
func (c *conn) carried(dir dissect.Dir, num seq.Num) Record {
	if f := c.side[dir].History.At(num); f.IsKnown() && f.is(carries) && f.Time() >= c.trusted {
		return f
	}
	return Record{}
}

// received unwraps a bNRcv of a side; ok is false when nothing is certain of the
// other side.
func (c *conn) received(dir dissect.Dir, nrcv uint8) (next seq.Num, ok bool) {
	o := &c.side[dir.Other()].Numbers
	next = near(o.TopSeen, nrcv)
	return next, o.Started && next <= o.TopSeen+1 && !c.silent(dir.Other())
}

// passedHole claims, of an acknowledgement that passes numbers which were not captured, that they
// were sent before: if one is sent for the first time later, the acknowledgement was false.
func (c *conn) passedHole(dir dissect.Dir, cum seq.Num) {
	o := &c.side[dir.Other()].Numbers
	if c.Said.Ahead || !o.Started || !c.Frame.HasTime {
		return
	}
	for from := max(cum, o.TopSeen-dp8.WindowSize); from < c.Said.Next; from++ {
		if yes, ok := c.c.Dir[dir.Other()].Captured(from); ok && !yes {
			c.claim(dir, Claim{from: from, Next: c.Said.Next, High: o.TopSeen, Hole: true})
			return
		}
	}
}
