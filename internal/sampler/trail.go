package sampler

import (
	"math"
	"time"

	"github.com/dpdissect/dpdissect/internal/measure"
)

const (
	TrailStep = 2 * time.Second // between two moments, at least
	trailKept = 150             // moments that are shown: the last five minutes
	maxTrails = 1024            // connections whose moments are kept
)

// A Moment is how a connection did at one time.
type Moment struct {
	At  int64 // ns since 1970, on the clock of the capture
	Dir [2]Pace
}

// A Pace is how one side did; NaN stands for what is not known.
type Pace struct {
	Ping float32 // ms, as in Dir
	Wait float32 // likewise, where it ended since the moment before
	Loss float32 // percent, as in Dir
	Rate float32 // bytes a second since the moment before
}

// A trail is the moments of a connection. Snapshots share them: what was appended never
// changes again.
type trail struct {
	moments []Moment
	at      int64    // of the snapshot that the next rates begin at
	bytes   [2]int64 // sent until then
}

// newTrail begins where the connection was when its first snapshot was taken.
func newTrail(r *Row, now int64) *trail {
	return &trail{at: now, bytes: [2]int64{r.Dir[0].Counts[measure.Bytes], r.Dir[1].Counts[measure.Bytes]}}
}

// add enters how a connection does now, unless the moment before is too close.
func (t *trail) add(r *Row, now int64) {
	past := now - t.at
	if past < 0 { // the clock was set back
		*t = *newTrail(r, now)
		return
	}
	if past < int64(TrailStep)*9/10 { // snapshots come a little early at times
		return
	}
	m := Moment{At: now}
	for i := range m.Dir {
		d := &r.Dir[i]
		wait, bytes := d.Wait, d.Counts[measure.Bytes]
		wait.Known = wait.Known && d.WaitAt > t.at
		m.Dir[i] = Pace{Ping: orNaN(d.Ping), Wait: orNaN(wait), Loss: orNaN(d.Loss), Rate: float32(float64(max(0, bytes-t.bytes[i])) / (float64(past) / 1e9))}
		t.bytes[i] = bytes
	}
	t.at = now
	if len(t.moments) == cap(t.moments) && len(t.moments) >= trailKept {
		t.moments = append(make([]Moment, 0, 2*trailKept), t.latest()[1:]...)
	}
	t.moments = append(t.moments, m)
}

// latest are the moments that are shown, oldest first.
func (t *trail) latest() []Moment {
	n := len(t.moments)
	return t.moments[max(0, n-trailKept):n:n]
}

func orNaN(v Value) float32 {
	if !v.Known {
		return float32(math.NaN())
	}
	return float32(v.V)
}
