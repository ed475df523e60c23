package session

import "testing"

// doubt is a Doubt that calls a function.
type doubt func()

func (d doubt) Settle() { d() }

// TestLater: what is doubtful is settled once what came late would have come, or at the end of
// its connection, and never when the capture ends before that.
func TestLater(t *testing.T) {
	c, settled := newCourt(0), 0
	c.c.Later(0, doubt(func() { settled++ }))
	for range HoldSideFrames - 1 {
		c.now += HoldLeast / 10
		c.say(1, 2, "yes")
	}
	if settled != 0 {
		t.Fatal("settled early")
	}
	c.say(1, 2, "yes")
	if settled != 1 {
		t.Errorf("settled %d times, want once", settled)
	}
	for _, over := range []bool{true, false} {
		c, settled := newCourt(0), false
		c.c.Later(0, doubt(func() { settled = true }))
		c.c.active.endWaits(c.now, over)
		if settled != over {
			t.Errorf("the connection is over: %v, settled: %v", over, settled)
		}
	}
}

// TestWaitsAreBounded: of more than there is room for the oldest is dropped, and stays doubtful.
func TestWaitsAreBounded(t *testing.T) {
	c, settled := newCourt(0), map[int]bool{}
	for i := range maxWaits + 1 {
		c.c.Later(0, doubt(func() { settled[i] = true }))
	}
	c.c.active.endWaits(c.now, true)
	if len(settled) != maxWaits || settled[0] {
		t.Errorf("%d are settled, the oldest: %v", len(settled), settled[0])
	}
}
