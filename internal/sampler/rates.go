package sampler

import (
	"time"

	"github.com/dpdissect/dpdissect/session/seq"
)

// What a Sampler looks back at.
const (
	// DefaultWindow is the time that Loss, Quality and RetryShare are taken over.
	DefaultWindow = 10 * time.Second
	// rateTime is the least time that rates are taken over.
	rateTime = time.Second
	// samplesKept bounds the samples that a window has.
	samplesKept = 10
)

// counters are those of one side that differences are taken of.
type counters struct {
	frames, bytes, data uint64
	numbers, missing    uint64
	retries, unneeded   uint64
	late                uint64
}

func count(d *seq.Direction, p *seq.Pulse) counters {
	return counters{
		frames: p.Frames, bytes: p.Bytes, data: d.DataFrames, numbers: p.Numbers, missing: p.Missing,
		retries: d.Retries, unneeded: d.UnneededRetries, late: d.OutOfOrder,
	}
}

// minus gives what was added since. A gap that was filled meanwhile takes from
// missing: nothing is less than 0.
func (c counters) minus(o *counters) counters {
	return counters{
		frames: less(c.frames, o.frames), bytes: less(c.bytes, o.bytes), data: less(c.data, o.data),
		numbers: less(c.numbers, o.numbers), missing: less(c.missing, o.missing),
		retries: less(c.retries, o.retries), unneeded: less(c.unneeded, o.unneeded), late: less(c.late, o.late),
	}
}

func less(a, b uint64) uint64 { return a - min(a, b) }

// shares fills in what the window of a side shows.
func (c *counters) shares(d *Dir) {
	needed := less(c.retries, c.unneeded)
	lost, numbers := c.missing+needed, c.numbers+c.missing
	if sent := numbers + needed; sent > 0 {
		d.Loss, d.LostLately, d.SentLately = Known(share(lost, sent)), lost, sent
	}
	if c.data > 0 {
		d.RetryShare = Known(100 * float64(c.retries) / float64(c.data))
	}
	if bad := lost + c.late; numbers > 0 {
		d.Quality = Known(share(less(numbers, bad), numbers))
	} else if needed > 0 {
		d.Quality = Known(0) // nothing but retries of what was sent before
	}
}

// A sample is what was counted at one time.
type sample struct {
	at  int64 // ns
	dir [2]counters
}

// A history is the samples of the window, oldest first: one from before it, or from
// the start of the connection, and up to samplesKept and one within it.
type history []sample

// add enters a sample. Those in between that are closer together than a window needs
// are left out; the latest is always there.
func (h history) add(s sample, window int64) history {
	n := len(h)
	if n > 0 && s.at < h[n-1].at { // the clock was set back
		h, n = h[:0], 0
	}
	if n >= 2 && (s.at-h[n-2].at)*samplesKept < window {
		h[n-1] = s
		return h
	}
	h = append(h, s)
	out := 0
	for out+2 < len(h) && s.at-h[out+1].at >= window {
		out++
	}
	return append(h[:0], h[out:]...)
}

// since is the newest sample that is at least so old, or the oldest.
func (h history) since(age int64) *sample {
	now := h[len(h)-1].at
	for i := len(h) - 2; i > 0; i-- {
		if now-h[i].at >= age {
			return &h[i]
		}
	}
	return &h[0]
}

// rates fills in what the history shows of a side.
func (h history) rates(dir int, d *Dir) {
	last := &h[len(h)-1]
	window := last.dir[dir].minus(&h[0].dir[dir])
	window.shares(d)
	// Snapshots come a little early at times; a tenth less is a second, too.
	base := h.since(int64(rateTime) * 9 / 10)
	lately := last.dir[dir].minus(&base.dir[dir])
	seconds := float64(max(last.at-base.at, int64(rateTime))) / 1e9
	d.BytesPerSec, d.FramesPerSec = float64(lately.bytes)/seconds, float64(lately.frames)/seconds
}

// share is a part of a whole in percent, never more than 100.
func share(part, whole uint64) float64 { return 100 * min(1, float64(part)/float64(whole)) }
