package sim

import (
	"math/rand/v2"
	"time"
)

// A Segment is one half of the way in one direction.
type Segment struct {
	Delay  time.Duration
	Jitter time.Duration // up to this much more, order kept
	Loss   float64       // chance that a packet is lost
	Dup    float64       // chance that it is doubled
	Late   float64       // chance that it is overtaken
	LateBy time.Duration // up to this much late
}

// A Path is the way from a sender to a receiver.
type Path struct{ Near, Far Segment }

// lane is a segment at work: it remembers who left last, to keep order.
type lane struct {
	Segment
	last time.Duration
	dice *rand.Rand // nil: the network's
}

// copies decides how often a packet leaves the segment.
func (l *lane) copies(r *rand.Rand) int {
	switch x := r.Float64(); {
	case x < l.Loss:
		return 0
	case x < l.Loss+l.Dup:
		return 2
	}
	return 1
}

// transit decides how long copy n of a packet that enters now takes.
func (l *lane) transit(r *rand.Rand, now time.Duration, n int) time.Duration {
	d := l.Delay + spread(r, l.Jitter)
	if n > 0 || r.Float64() < l.Late {
		return d + spread(r, max(l.LateBy, time.Millisecond))
	}
	at := max(now+d, l.last+time.Microsecond)
	l.last = at
	return at - now
}

func spread(r *rand.Rand, d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(r.Int64N(int64(d)))
}
