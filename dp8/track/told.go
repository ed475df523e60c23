package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A stamp tells when, in the order of its side, a frame with an acknowledgement was
// sent: a data frame at its number, a SACK before its bNSeq and at its tick, a
// retry at no known place.
type stamp struct {
	data, retry bool
	num         int64 // own number, or bNSeq
	tick        uint32
	frame       uint64
	time        int64
}

// set copies a stamp field by field: all at once would wait for the narrow stores
// that have just made it.
func (x *stamp) set(y *stamp) {
	x.data, x.retry, x.num, x.tick, x.frame, x.time = y.data, y.retry, y.num, y.tick, y.frame, y.time
}

// A told is what a frame said of bNRcv.
type told struct {
	stamp
	next int64
}

// after reports whether the frame at hand was certainly sent after x, which was
// captured before: by numbers and ticks, else by the reorder horizon (guard
// REORD).
func (c *conn) after(x *stamp) bool {
	y := &c.stamp
	apart := y.time-x.time > c.apart()
	switch {
	case x.retry || y.retry:
		return apart
	case y.data && x.data:
		return y.num > x.num
	case y.data:
		return y.num >= x.num
	case x.data:
		return y.num > x.num
	}
	return y.num >= x.num && (int32(y.tick-x.tick) > 0 || y.tick == x.tick && apart)
}

// A reading is what a frame that is no copy acknowledges, and what is believed of it.
type reading struct {
	heard    bool // the other side was, so that something can be said of it
	opening  bool // it is the first acknowledgement of its side
	ahead    bool // it acknowledges more than was captured
	bit63    bool // its mask names bNRcv + 64, which is outside the window
	progress progress
	back     told   // of wentBack: what an earlier frame said
	mask     uint64 // as it was heeded, but for far
	far      bool   // the mask names numbers far above all that were captured
	highest  int64  // of the other side then
}

// progress says how bNRcv compares with what its side said before.
type progress uint8

const (
	noProgress progress = iota // it is ahead: nothing is said
	onward
	onwardRetry // of a frame that is marked as a retry, or the first one
	cycle       // it may have gone on by half a cycle, unseen
	wentBack    // it is lower, and was certainly sent later
	late        // it is lower, and was overtaken
)

// read reads bNRcv and SACK mask of a frame that is no copy, before they are applied. It
// gives back the mask without what is impossible.
func (c *conn) read(dir int, nrcv uint8, mask uint64) uint64 {
	n, o, r := &c.side[dir].numbers, &c.side[1-dir].numbers, &c.reading
	next := near(o.seen, nrcv)
	c.said = saying{next: next}
	r.heard, r.opening, r.ahead, r.far, r.progress, r.mask = false, false, false, false, noProgress, 0 // one by one: back stays
	r.bit63, r.highest = mask>>63 != 0, o.seen
	if r.bit63 || c.fr.Err != nil {
		mask = 0 // … or it is cut within
	}
	if !o.started || !c.fr.HasTime || c.silent(1-dir) {
		c.said.ahead = true // nothing can be said of it
		n.answered = true
		return mask
	}
	r.ahead = next > o.seen+1
	wrapped := n.claims.Len() > 0 && next <= o.seen-dp8.WindowSize // it counted on beyond half a cycle
	if wrapped || next > o.seen+1+seq.MaxAckExcess {
		if n.outran++; wrapped || n.outran > 1 {
			c.numbered[1-dir], c.vouched[1-dir] = 1, 0 // it is the other side that is not seen
			return mask
		}
	}
	r.heard = true
	if n.claims.Len() > 0 {
		c.contradict(dir, next)
	}
	r.opening = !n.answered
	if n.answered = true; r.ahead && (c.c.Complete || !r.opening) {
		c.claim(dir, claim{from: o.seen + 1, next: next, high: o.seen, opening: r.opening})
	}
	n.beyond = n.beyond || r.ahead
	if c.said.ahead = r.ahead; !r.ahead {
		if !n.beyond && (n.queued == 0 || next >= n.queue[n.queued-1].next) {
			c.vouched[1-dir] = max(c.vouched[1-dir], c.fr.Time)
		}
		r.progress = c.proceed(dir, next)
	}
	if r.mask = mask; mask != 0 {
		mask = c.readMask(dir, next, mask)
	}
	c.said.mask = mask
	return mask
}

// proceed compares bNRcv with what its side said before (MC-DPL8R 3.1.5.2.2, 3.1.6.5).
func (c *conn) proceed(dir int, next int64) progress {
	n := &c.side[dir].numbers
	if n.queued == 0 || next >= n.queue[n.queued-1].next {
		p := onwardRetry
		if !c.stamp.retry && n.queued > 0 {
			p = onward
		}
		if n.queued == 0 || next > n.queue[n.queued-1].next {
			n.push(c, next)
		}
		return p
	}
	if back := n.queue[n.queued-1].next - next; back > dp8.WindowSize/4 && !c.c.Rules.ClockSure() || back > dp8.WindowSize {
		return cycle
	}
	for i := n.queued - 1; i >= 0 && n.queue[i].next > next; i-- {
		if x := &n.queue[i]; x.frame < c.fr.Frame && c.after(&x.stamp) { // what is believed late comes behind later ones
			c.reading.back = *x
			if !c.stamp.retry {
				n.queued = 0
				n.push(c, next)
			}
			return wentBack
		}
	}
	return late
}

// readMask reads a SACK mask: one far above all that was captured says nothing
// (MC-DPL8R 3.1.5.2.1, 3.1.5.2.3).
func (c *conn) readMask(dir int, next int64, mask uint64) uint64 {
	seen := c.side[1-dir].numbers.seen
	top := next + int64(bits.Len64(mask))
	if c.reading.ahead || top <= seen+1 {
		return mask
	}
	c.claim(dir, claim{from: next + 1, next: next, mask: mask, high: seen})
	if c.reading.far = top > seen+seq.MaxAckExcess; c.reading.far {
		return 0
	}
	return mask
}

// push notes the latest bNRcv of a side.
func (l *numberState) push(c *conn, next int64) {
	if l.queued == len(l.queue) {
		copy(l.queue[:], l.queue[1:])
		l.queued--
	}
	t := &l.queue[l.queued]
	t.set(&c.stamp)
	t.next = next
	l.queued++
}

// carry notes what the data frame at hand, which is no copy, carries besides its content:
// who acknowledges it knows that. Only a first sending counts: whatever is sent later
// under its number carries what is newer. A send mask must be in all sendings.
func (c *conn) carry(dir int, num int64, d *dp8.DFrame) {
	m := &c.side[dir].history
	f := m.at(num)
	switch {
	case f == nil:
		return
	case d.Control&dp8.CtlRetry != 0:
		f.drops &= c.said.drops
		return
	}
	f.next, f.sacks, f.drops, f.carries = c.said.next, c.said.mask, c.said.drops, true
	if f.drops != 0 {
		m.dropped = max(m.dropped, num)
	}
	if c.said.ahead || c.fr.Err != nil || !c.fr.HasTime {
		f.next, f.sacks = 0, 0
	}
}

// carried is a number of a side of which it is known what its first sending carried, or nil.
func (c *conn) carried(dir int, num int64) *sentFrame {
	if f := c.side[dir].history.at(num); f != nil && f.carries && f.time >= c.trusted {
		return f
	}
	return nil
}

// received unwraps a bNRcv of a side; ok is false when nothing is certain of the
// other side.
func (c *conn) received(dir int, nrcv uint8) (next int64, ok bool) {
	o := &c.side[1-dir].numbers
	next = near(o.seen, nrcv)
	return next, o.started && next <= o.seen+1 && !c.silent(1-dir)
}

// passedHole notes an acknowledgement that passes numbers which were not captured:
// if they are sent for the first time later, they were not there to be acknowledged.
func (c *conn) passedHole(dir int, cum int64) {
	o := &c.side[1-dir].numbers
	if c.said.ahead || !o.started || !c.fr.HasTime {
		return
	}
	for from := max(cum, o.seen-dp8.WindowSize); from < c.said.next; from++ {
		if yes, ok := c.c.Dir[1-dir].Captured(from); ok && !yes {
			c.claim(dir, claim{from: from, next: c.said.next, high: o.seen, hole: true})
			return
		}
	}
}
