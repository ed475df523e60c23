package lab

import (
	"math"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/pairs"
)

// A ClockCount measures what is said of two clocks and of one-way delays.
type ClockCount struct {
	Segments, Outside int     // with an offset; of them, those where the truth lies beyond the bound
	Beyond            float64 // by how much at most, ms
	Middle            float64 // greatest error in the middle of a segment, ms
	Drifts            int     // over at least 15 s
	Drift             float64 // greatest error, ppm

	Steps, Found, Invented int
	StepError              float64 // greatest, ms

	Directions  int        // with 20 delivered datagrams or more, and a delay
	OneWay      [3]float64 // greatest errors of p50, p95 and the greatest, ms
	Queue       [3]float64
	Near        int // directions of which no one-way figure is off by more than nearDelay
	NearQueue   int // … and no queue
	Timed       int // datagrams with a delay
	BeyondBound int // of them, those whose delay is off by more than the bound
}

// nearDelay is how far figures of delays may be off, ms.
const nearDelay = 0.4

// slack is what rounding to microseconds does, ms.
const slack = 0.003

func (c *ClockCount) add(o *ClockCount) {
	c.Segments, c.Outside, c.Drifts = c.Segments+o.Segments, c.Outside+o.Outside, c.Drifts+o.Drifts
	c.Steps, c.Found, c.Invented = c.Steps+o.Steps, c.Found+o.Found, c.Invented+o.Invented
	c.Directions, c.Near, c.NearQueue, c.BeyondBound, c.Timed = c.Directions+o.Directions, c.Near+o.Near, c.NearQueue+o.NearQueue, c.BeyondBound+o.BeyondBound, c.Timed+o.Timed
	c.Beyond, c.Middle = max(c.Beyond, o.Beyond), max(c.Middle, o.Middle)
	c.Drift, c.StepError = max(c.Drift, o.Drift), max(c.StepError, o.StepError)
	for i := range c.OneWay {
		c.OneWay[i], c.Queue[i] = max(c.OneWay[i], o.OneWay[i]), max(c.Queue[i], o.Queue[i])
	}
}

// judgeClocks compares what is said of the clocks with what they showed. Sessions that are not
// calm are too short, or jitter too much, for errors of the offset and the drift to tell
// anything but that.
func judgeClocks(p *pairs.Pair, said *Compared, calm bool, owner func(*Passage) *pairs.Datagram) *ClockCount {
	c := &ClockCount{}
	for i := range said.Clock.Segments {
		s := &said.Clock.Segments[i]
		from, to := instant(s.From), instant(s.To)
		if s.Offset == nil {
			continue
		}
		c.Segments++
		worst := 0.0
		inset := min((to-from)/4, int64(250*time.Millisecond)) // where a clock is set, datagrams are on their way
		for k, at := range []int64{from + inset, (from + to) / 2, to - inset} {
			told := *s.Offset + s.Drift*1e-6*float64(at-from)/1e6
			off := offsetError(p, at, told)
			if k == 1 && calm {
				c.Middle = max(c.Middle, off)
			}
			worst = max(worst, off)
		}
		if worst > s.Bound+slack {
			c.Outside++
			c.Beyond = max(c.Beyond, worst-s.Bound)
		}
		if calm && to-from >= int64(15*time.Second) {
			c.Drifts++
			c.Drift = max(c.Drift, math.Abs(s.Drift-(p.Plan.Points[1].Clock.PPM-p.Plan.Points[0].Clock.PPM)))
		}
	}
	c.steps(p, said)
	c.delays(p, said, owner)
	return c
}

// offsetError is how far an offset, ms, is from the truth at a time of clock 1. Where that
// clock was set back, a time has two true ones.
func offsetError(p *pairs.Pair, at int64, told float64) float64 {
	clock, start := &p.Plan.Points[0].Clock, p.Truth.Start
	best, from, by := math.Inf(1), int64(math.MinInt64), int64(0)
	for i := range len(clock.Steps) + 1 {
		to := int64(math.MaxInt64)
		if i < len(clock.Steps) {
			to = start + int64(clock.Steps[i].At)
		}
		t := at - int64(clock.Offset) - by
		t -= int64(clock.PPM * 1e-6 * float64(t-start))
		for _, x := range []int64{t - rounding, t, t + rounding} {
			if x >= from && x < to {
				best = min(best, math.Abs(told-float64(p.Plan.Offset(start, x))/1e6))
			}
		}
		if from = to; i < len(clock.Steps) {
			by += int64(clock.Steps[i].By)
		}
	}
	return best
}

// rounding is how far times may be off, ns.
const rounding = 2000

// steps compares the steps that are said with the true ones. One is found where it is said
// between the last datagram before and the first one after it, a second more or less.
func (c *ClockCount) steps(p *pairs.Pair, said *Compared) {
	used := make([]bool, len(said.Clock.Steps))
	all := p.Plan.Changes()
	for _, s := range all {
		from, to := around(p, p.Truth.Start+int64(s.At))
		if to == 1<<62 {
			continue // the session was over
		}
		c.Steps++
		clock, by := &p.Plan.Points[0].Clock, float64(s.By)/1e6
		for i := range said.Clock.Steps {
			at, step := instant(said.Clock.Steps[i].Time), said.Clock.Steps[i].Step
			off := math.Abs(step - by)
			if used[i] || off > max(10, math.Abs(by)/4) || at < clock.Tell(p.Truth.Start, from)-2*int64(time.Second) || at > clock.Tell(p.Truth.Start, to)+2*int64(time.Second) {
				continue
			}
			used[i] = true
			c.Found++
			c.StepError = max(c.StepError, off)
			break
		}
	}
	for _, u := range used {
		if !u {
			c.Invented++
		}
	}
}

// around are the true times of the datagrams that were seen last before and first after a time.
func around(p *pairs.Pair, at int64) (from, to int64) {
	from, to = p.Truth.Start, 1<<62
	for i := range p.Truth.Datagrams {
		if t := p.Truth.Datagrams[i].Sent; t < at {
			from = max(from, t)
		} else {
			to = min(to, t)
		}
	}
	return from, to
}

// A delayKey names a direction of a connection.
type delayKey struct {
	conn int
	dir  string
}

// delays compares what is said of each direction of the connections.
func (c *ClockCount) delays(p *pairs.Pair, said *Compared, owner func(*Passage) *pairs.Datagram) {
	least := [2]int64{1 << 62, 1 << 62}
	for i := range p.Truth.Datagrams {
		if d := &p.Truth.Datagrams[i]; d.Fate == pairs.Delivered && d.UDP {
			least[d.Side] = min(least[d.Side], d.OneWay)
		}
	}
	bounds := map[delayKey]*Spread{}
	for i := range said.Connections {
		for name, dir := range said.Connections[i].Directions {
			bounds[delayKey{said.Connections[i].ID, name}] = dir.OneWay
		}
	}
	ways, queues := map[delayKey][]int64{}, map[delayKey][]int64{}
	for i := range said.Passages {
		r := &said.Passages[i]
		d := owner(r)
		if d == nil || d.Fate != pairs.Delivered || r.Conn == nil || r.Fate != pairs.Delivered {
			continue
		}
		key := delayKey{*r.Conn, r.Direction}
		if dir := bounds[key]; r.OneWay != nil && dir != nil {
			c.Timed++
			if math.Abs(*r.OneWay-float64(d.OneWay)/1e6) > dir.Bound+slack {
				c.BeyondBound++
			}
		}
		ways[key] = append(ways[key], d.OneWay)
		queues[key] = append(queues[key], d.OneWay-least[d.Side])
	}
	for i := range said.Connections {
		conn := &said.Connections[i]
		for name, dir := range conn.Directions {
			key := delayKey{conn.ID, name}
			if len(ways[key]) < 20 || dir.OneWay == nil {
				continue
			}
			c.Directions++
			off := dir.OneWay.errors(ways[key])
			if slices.Max(off[:]) <= nearDelay {
				c.Near++
			}
			for k := range off {
				c.OneWay[k] = max(c.OneWay[k], off[k])
			}
			if dir.Queue == nil {
				continue
			}
			off = dir.Queue.errors(queues[key])
			if slices.Max(off[:]) <= nearDelay {
				c.NearQueue++
			}
			for k := range off {
				c.Queue[k] = max(c.Queue[k], off[k])
			}
		}
	}
}

// errors are how far the figures are from those of the true times, ns, in ms. Who counts
// ranks in another way may be one off.
func (s *Spread) errors(truth []int64) (off [3]float64) {
	slices.Sort(truth)
	last := len(truth) - 1
	for i, x := range []struct{ share, said float64 }{{0.5, s.P50}, {0.95, s.P95}, {1, s.Max}} {
		rank := int(math.Ceil(x.share*float64(len(truth)))) - 1
		off[i] = math.Inf(1)
		reach := 1
		if x.share == 1 {
			reach = 0
		}
		for k := max(0, rank-reach); k <= min(last, rank+reach); k++ {
			off[i] = min(off[i], math.Abs(x.said-float64(truth[k])/1e6))
		}
	}
	return off
}
