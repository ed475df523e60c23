package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A clock compares the tick counts of a side with the time of the capture, stretch by
// stretch. The lowest difference in a stretch is that of the acknowledgement that was
// underway the shortest.
type clock struct {
	set    bool
	told   bool
	n      int   // acknowledgements
	same   int   // in a row with the same tick
	sameAt int64 // since when, ns
	tick   uint32
	from   int64 // time of the first one, ns
	time   int64 // of the latest, ns
	ticks  int64 // since the first, ms
	diff   int64 // of the latest: by how much the capture's time is ahead of the ticks, pauses left out, ns
	gone   int64 // what pauses made of that, ns
	frame  uint64

	length int64 // of a stretch, ns
	done   int   // stretches that are over
	runs   [clockStretches]stretch
}

// A stretch is a part of the time of a clock.
type stretch struct {
	begin int64 // ns
	low   int64 // lowest difference in it, ns
	at    int64 // when that was
}

const (
	clockStretches = 8
	clockFirst     = 2.5e9 // ns, length of a stretch at first
	clockLeast     = 20    // acknowledgements (guard SAMPLE)
	clockRoom      = 5e9   // ns by which the path may have become slower or faster
	ratedStretches = 3     // in so many a rate shows
	pauseLeast     = 2.5e9 // ns by which a pause sets tick and time apart
	pauseShows     = 8     // after so many acknowledgements the rate so far tells a pause from a gap
	stillTime      = 1e9   // ns for which a tick may stay the same while many are sent
)

func (k *clock) start(y *heard) {
	*k = clock{set: true, n: 1, same: 1, sameAt: y.time, tick: y.tick, from: y.time, time: y.time, frame: y.frame, length: clockFirst}
	k.runs[0] = stretch{begin: y.time, at: y.time}
}

// judgeClock: the tick count grows by one a millisecond (MC-DPL4R 3.1.3,
// AMB-DP4-21).
func (j *judge) judgeClock(dir dissect.Dir, y *heard) {
	k := &j.side[dir].hearing.clock
	if !k.set {
		k.start(y)
		return
	}
	k.n++
	if y.tick == k.tick {
		k.same++
		j.judgeStill(dir, k, y)
	} else {
		if k.same > 1 || k.n%clockLeast == 0 {
			j.c.Rules.Pass(r313TickConst)
		}
		k.same, k.sameAt = 1, y.time
	}
	k.ticks += int64(int32(y.tick - k.tick))
	k.tick = y.tick
	diff := y.time - k.from - k.ticks*1e6 - k.gone
	if jump := diff - k.diff; abs(jump) >= pauseLeast && k.pauses(y.time, jump) {
		k.gone, diff = k.gone+jump, k.diff
		j.c.Rules.Unclear(r313TickRate, conform.GuardClock, fmt.Sprintf("the tick and the capture time drift apart by %d ms in one step: a host paused, or a clock was set", abs(jump)/1e6), k.frame)
	}
	k.diff, k.time = diff, y.time
	s := &k.runs[k.done]
	if diff < s.low {
		s.low, s.at = diff, y.time
	}
	if y.time-s.begin < k.length {
		return
	}
	k.done++
	if k.n < clockLeast || k.done <= ratedStretches || !j.checkRate(dir, k, y) {
		k.next(y.time, diff)
	}
}

// pauses reports whether tick and time go apart by a jump otherwise than by the rate at
// which they did until then.
func (k *clock) pauses(now, jump int64) bool {
	rate, before := float64(jump)/float64(max(now-k.time, 1)), float64(k.diff)/float64(max(k.time-k.from, 1))
	return k.n > pauseShows && !alike(rate, before)
}

// next begins another stretch. When there is no room for it, two each become one of
// double length.
func (k *clock) next(now, diff int64) {
	if k.done == clockStretches {
		k.done /= 2
		for i := range k.done {
			k.runs[i] = k.runs[2*i].join(&k.runs[2*i+1])
		}
		k.length *= 2
	}
	k.runs[k.done] = stretch{begin: now, low: diff, at: now}
}

// join is the stretch that two are, the one after the other.
func (s stretch) join(o *stretch) stretch {
	if o.low < s.low {
		s.low, s.at = o.low, o.at
	}
	return s
}

func abs(n int64) int64 { return max(n, -n) }

// judgeStill: a tick that does not move at all.
func (j *judge) judgeStill(dir dissect.Dir, k *clock, y *heard) {
	if k.told || k.same < clockLeast || y.time-k.sameAt < stillTime {
		return
	}
	k.told = true
	j.broken(r313TickConst, fmt.Sprintf("the tick is %d in %d acknowledgements over %d ms", y.tick, k.same, (y.time-k.sameAt)/1e6), k.frame)
}

// checkRate compares the first and the latest stretch. What the clocks differ by then
// may be due to a pause of the host or to a step of either clock: a rate shows in all
// of the time. checkRate reports whether the clock starts again.
func (j *judge) checkRate(dir dissect.Dir, k *clock, y *heard) (restarts bool) {
	rules, drift, span := &j.c.Rules, k.drift(), y.time-k.from
	if k.told {
		return false
	}
	if abs(drift) <= max(clockRoom, span/100) {
		rules.Pass(r313TickRate)
		return false
	}
	ruling := conform.Case{Rule: r313TickRate, Dir: dir, Frame: y.frame, Time: y.time, HasTime: true, Proof: []uint64{k.frame}, Milder: abs(drift) <= span/20,
		Message: fmt.Sprintf("the tick grew by %d in %d ms of capture time", k.ticks, span/1e6)}
	if k.told = k.rated(); !k.told {
		ruling.Blocked = conform.GuardClock
		ruling.Message = fmt.Sprintf("the tick and the capture time drifted apart by %d ms, but not at a steady rate: a host paused, or a clock was set", abs(drift)/1e6)
		k.start(y)
	}
	rules.Judge(ruling)
	return !k.told
}

// drift is by how much more the capture's time has grown than the ticks, in ns, from the
// first stretch to the last that is over.
func (k *clock) drift() int64 { return k.runs[k.done-1].low - k.runs[0].low }

// rated reports whether the drift is spread over the stretches, as that of a rate is: nearly
// all of them have their share.
func (k *clock) rated() bool {
	shows, mean := 0, k.runs[0].rate(&k.runs[k.done-1])
	for i := 1; i < k.done; i++ {
		if alike(k.runs[i-1].rate(&k.runs[i]), mean) {
			shows++
		}
	}
	return shows >= ratedStretches && shows*4 >= (k.done-1)*3
}

// rate is how fast the lowest difference grows from one stretch to another.
func (s *stretch) rate(o *stretch) float64 {
	return float64(o.low-s.low) / float64(max(o.at-s.at, 1))
}

// alike reports whether a rate is that of the mean, give or take the half.
func alike(rate, mean float64) bool { return rate/mean >= 0.5 && rate/mean <= 2 }
