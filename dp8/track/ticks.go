package track

import "github.com/dpdissect/dpdissect/dissect"

// Ticks follow the tick count in one side's command frames.
type Ticks struct {
	any         bool
	Tick        uint32
	At          int64
	Frame       uint64
	First       uint32 // and its time, for the rate
	FirstAt     int64
	N           int
	suspect     bool // a tick far ahead of time, not yet believed
	sTick       uint32
	sAt         int64
	sFrame      uint64
	back        bool // the latest one went back to backTick
	backTick    uint32
	Contradicts bool
}

// A Ticking is what the tick count of a command frame says beside those before it.
type Ticking struct {
	Onward  int    // so many go on: its own, and one that waited for it
	Back    bool   // it runs back
	Other   bool   // … and may be of the connection before
	Since   int64  // … so long behind the one before, ns
	Between bool   // one that was far ahead stands between the one before and it
	Was     uint32 // the one before, and its frame
	WasIn   uint64
	Far     uint32 // of between: the one that was far ahead
	FarIn   uint64
	FarAt   int64
}

// tickJump is how far, in ms, a tick may run ahead of the capture's time and be
// believed at once; behind it, one more must confirm it.
const tickJump = 2000

// noteTick compares the tick count of a command frame with the ones before: it
// never runs back (MC-DPL8R 2.2.1).
func (c *conn) noteTick(dir dissect.Dir, tick uint32) {
	t, fr := &c.side[dir].Ticks, c.Frame
	c.Ticking = Ticking{}
	if !fr.HasTime {
		return
	}
	if !t.any {
		t.any, t.First, t.FirstAt = true, tick, fr.Time
		t.take(tick, fr)
		return
	}
	if ahead := int32(tick - t.Tick); ahead >= 0 && ahead <= tickJump && fr.Time >= t.At && !t.suspect {
		c.Ticking.Onward++ // the short way
		t.take(tick, fr)
		return
	}
	if t.suspect {
		c.resolveTick(dir, tick)
	}
	ahead, since := int64(int32(tick-t.Tick)), c.atLeast(t.At)
	switch {
	case ahead >= 0 && ahead > 4*c.atMost(t.At)/1e6+tickJump && !t.suspect:
		t.suspect, t.sTick, t.sAt, t.sFrame = true, tick, fr.Time, fr.Frame
	case ahead >= 0 && ahead > 4*c.atMost(t.At)/1e6+tickJump: // one is looked at already
	case ahead >= 0:
		c.Ticking.Onward++
		t.take(tick, fr)
	case since-t.inTime(ahead) <= 3*c.c.Rules.Horizon(): // overtaken
	case t.back && int32(tick-t.backTick) >= 0: // it went back once, and on from there
		t.take(tick, fr)
	default:
		c.Ticking.Back, c.Ticking.Other = true, !c.c.Complete && len(c.pair.conns) > 1
		c.Ticking.Was, c.Ticking.WasIn, c.Ticking.Since = t.Tick, t.Frame, since
		if !c.Ticking.Other {
			t.back, t.backTick, t.Contradicts = true, tick, true
		}
	}
}

// inTime is how long, in ns, a number of ticks takes at the rate seen so far, which
// is one a millisecond or faster.
func (t *Ticks) inTime(ticks int64) int64 {
	rate := 1.0
	if span := t.At - t.FirstAt; span > 0 {
		rate = max(1, float64(int64(t.Tick-t.First))*1e6/float64(span))
	}
	return int64(float64(ticks) * 1e6 / rate)
}

// passed reports whether the side has sent a later tick: what carries this one was sent
// before.
func (t *Ticks) passed(tick uint32) bool { return t.any && int32(t.Tick-tick) > 0 }

func (t *Ticks) take(tick uint32, fr *dissect.Frame) {
	t.Tick, t.At, t.Frame, t.back = tick, fr.Time, fr.Frame, false
	t.N++
}

// resolveTick decides about a tick far ahead: the next one confirms it, or shows
// that it was the wrong one.
func (c *conn) resolveTick(dir dissect.Dir, tick uint32) {
	t := &c.side[dir].Ticks
	switch {
	case int32(tick-t.sTick) >= 0:
		c.Ticking.Onward++
		t.suspect = false
		t.Tick, t.At, t.Frame = t.sTick, t.sAt, t.sFrame
		if t.N++; t.N <= 2 { // the first was the wrong one
			t.First, t.FirstAt = t.sTick, t.sAt
		}
	case c.atLeast(t.sAt) <= 2*c.c.Rules.Horizon(): // it may have been overtaken
	case int32(tick-t.Tick) >= 0:
		t.suspect = false
		t.Contradicts = true
		c.Ticking.Between, c.Ticking.Was, c.Ticking.WasIn = true, t.Tick, t.Frame
		c.Ticking.Far, c.Ticking.FarIn, c.Ticking.FarAt = t.sTick, t.sFrame, t.sAt
	default:
		t.suspect = false
	}
}
