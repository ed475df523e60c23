package sim

import (
	"slices"
	"testing"
	"time"
)

// TestClockFollows lets a clock follow another one: what is due runs at its time,
// and now is the other one's.
func TestClockFollows(t *testing.T) {
	var c Clock
	var ran []time.Duration
	note := func() { ran = append(ran, c.Now()) }
	if _, ok := c.Next(); ok {
		t.Error("an empty clock has a next event")
	}
	c.After(2, note).Stop()
	c.After(5, func() {
		note()
		c.Do(1, note)
	})
	c.Do(9, note)
	if at, ok := c.Next(); !ok || at != 5 {
		t.Errorf("next is %v, %v: an event that was called off is none", at, ok)
	}
	c.Advance(7)
	c.Advance(3)
	if want := []time.Duration{5, 6}; !slices.Equal(ran, want) || c.Now() != 7 {
		t.Errorf("ran at %v, now %v, want %v and 7", ran, c.Now(), want)
	}
	if at, ok := c.Next(); !ok || at != 9 {
		t.Errorf("next is %v, %v", at, ok)
	}
}
