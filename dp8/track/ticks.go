package track

import "github.com/dpdissect/dpdissect/dissect"

// A tickWatch follows the tick count in one side's command frames.
type tickWatch struct {
	any         bool
	tick        uint32
	at          int64
	frame       uint64
	first       uint32 // and its time, for the rate
	firstAt     int64
	n           int
	suspect     bool // a tick far ahead of time, not yet believed
	sTick       uint32
	sAt         int64
	sFrame      uint64
	back        bool // the latest one went back to backTick
	backTick    uint32
	contradicts bool
}

// A ticking is what the tick count of a command frame says beside those before it.
type ticking struct {
	onward  int    // so many go on: its own, and one that waited for it
	back    bool   // it runs back
	other   bool   // … and may be of the connection before
	since   int64  // … so long behind the one before, ns
	between bool   // one that was far ahead stands between the one before and it
	was     uint32 // the one before, and its frame
	wasIn   uint64
	far     uint32 // of between: the one that was far ahead
	farIn   uint64
	farAt   int64
}

// tickStep is the coarsest step of tick counts, in ms.
const tickStep = 16

// tickJump is how far, in ms, a tick may run ahead of the capture's time and be
// believed at once; behind it, one more must confirm it.
const tickJump = 2000

// noteTick compares the tick count of a command frame with the ones before: it
// never runs back (MC-DPL8R 2.2.1).
func (c *conn) noteTick(dir int, tick uint32) {
	t, fr := &c.side[dir].ticks, c.fr
	c.ticking = ticking{}
	if !fr.HasTime {
		return
	}
	if !t.any {
		t.any, t.first, t.firstAt = true, tick, fr.Time
		t.take(tick, fr)
		return
	}
	if ahead := int32(tick - t.tick); ahead >= 0 && ahead <= tickJump && fr.Time >= t.at && !t.suspect {
		c.ticking.onward++ // the short way
		t.take(tick, fr)
		return
	}
	if t.suspect {
		c.resolveTick(dir, tick)
	}
	ahead, since := int64(int32(tick-t.tick)), c.atLeast(t.at)
	switch {
	case ahead >= 0 && ahead > 4*c.atMost(t.at)/1e6+tickJump && !t.suspect:
		t.suspect, t.sTick, t.sAt, t.sFrame = true, tick, fr.Time, fr.Frame
	case ahead >= 0 && ahead > 4*c.atMost(t.at)/1e6+tickJump: // one is looked at already
	case ahead >= 0:
		c.ticking.onward++
		t.take(tick, fr)
	case since-t.inTime(ahead) <= 3*c.c.Rules.Horizon(): // overtaken
	case t.back && int32(tick-t.backTick) >= 0: // it went back once, and on from there
		t.take(tick, fr)
	default:
		c.ticking.back, c.ticking.other = true, !c.c.Complete && len(c.pair.conns) > 1
		c.ticking.was, c.ticking.wasIn, c.ticking.since = t.tick, t.frame, since
		if !c.ticking.other {
			t.back, t.backTick, t.contradicts = true, tick, true
		}
	}
}

// inTime is how long, in ns, a number of ticks takes at the rate seen so far, which
// is one a millisecond or faster.
func (t *tickWatch) inTime(ticks int64) int64 {
	rate := 1.0
	if span := t.at - t.firstAt; span > 0 {
		rate = max(1, float64(int64(t.tick-t.first))*1e6/float64(span))
	}
	return int64(float64(ticks) * 1e6 / rate)
}

// passed reports whether the side has sent a later tick: what carries this one was sent
// before.
func (t *tickWatch) passed(tick uint32) bool { return t.any && int32(t.tick-tick) > 0 }

func (t *tickWatch) take(tick uint32, fr *dissect.Frame) {
	t.tick, t.at, t.frame, t.back = tick, fr.Time, fr.Frame, false
	t.n++
}

// resolveTick decides about a tick far ahead: the next one confirms it, or shows
// that it was the wrong one.
func (c *conn) resolveTick(dir int, tick uint32) {
	t := &c.side[dir].ticks
	switch {
	case int32(tick-t.sTick) >= 0:
		c.ticking.onward++
		t.suspect = false
		t.tick, t.at, t.frame = t.sTick, t.sAt, t.sFrame
		if t.n++; t.n <= 2 { // the first was the wrong one
			t.first, t.firstAt = t.sTick, t.sAt
		}
	case c.atLeast(t.sAt) <= 2*c.c.Rules.Horizon(): // it may have been overtaken
	case int32(tick-t.tick) >= 0:
		t.suspect = false
		t.contradicts = true
		c.ticking.between, c.ticking.was, c.ticking.wasIn = true, t.tick, t.frame
		c.ticking.far, c.ticking.farIn, c.ticking.farAt = t.sTick, t.sFrame, t.sAt
	default:
		t.suspect = false
	}
}
