package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// bidirTime is for how long a side may be silent before its direction no longer
// counts as visible, in ns.
const bidirTime = 10e9

// clockStep is how far time may run backwards, and how coarse it may be, before
// times prove nothing, in ns.
const clockStep = 1e6

// coarseStep is what all times are multiples of when they are too coarse, in ns: a
// resolution of 1 ms is fine enough.
const coarseStep = 5e6

// longPause is a silence worth looking at, in ns.
const longPause = 1e9

// coarseAfter is how many times of one granularity make it the capture's.
const coarseAfter = 20

// sight is what the capture shows of a connection: what guards ask for.
type sight struct {
	now     int64 // of the latest frame
	stamp   int64 // latest time of the capture since its clock was set
	frames  [2]uint64
	last    [2]int64
	backAt  int64 // when time last ran backwards
	back    bool
	fine    bool   // some time is no multiple of coarseStep
	timed   uint64 // frames with a time
	dropped uint64 // packets the capture said it lost, before the frame at hand
	dropAt  int64
	drops   bool

	lost      seq.Sign // packets the capture lost while the connection lived; frame: the one behind them
	backwards seq.Sign
	backMost  int64    // ns
	waiting   bool     // an acknowledgement was due when the frame at hand came
	silence   int64    // longest time without a frame while one was due, ns
	wokenBy   seq.Sign // the frame behind it
	firstAt   int64    // time of the first frame
	ttl       [2]uint8 // usual ones
	ttlRun    [2]uint32
	stranger  bool // the frame at hand has an unusual one
}

func (s *sight) see(fr *dissect.Frame, dir int) {
	s.frames[dir]++
	if s.stranger = fr.TTL != s.ttl[dir]; s.stranger {
		s.seeTTL(fr.TTL, dir)
	} else if s.ttlRun[dir] < usualTTL {
		s.ttlRun[dir]++
	}
	if !fr.HasTime {
		return
	}
	stamp := fr.Stamp()
	step := stamp - s.stamp
	if s.timed == 0 || step < 0 || step > longPause || fr.Dropped != s.dropped || !s.fine {
		s.seeTime(fr, step)
	}
	s.timed++
	s.now = fr.Time
	if s.last[dir] = fr.Time; step > 0 || step < -clockSet || s.timed == 1 {
		s.stamp = stamp
	}
}

// seeTime looks at what is rare about the time of a frame; step is the time since
// the one before.
func (s *sight) seeTime(fr *dissect.Frame, step int64) {
	s.fine = s.fine || fr.Stamp()%coarseStep != 0
	dropped := fr.Dropped - s.dropped
	s.dropped = fr.Dropped
	if s.timed == 0 {
		s.firstAt = fr.Time
		return
	}
	if step < -clockStep {
		s.backAt, s.back = s.now, true
		s.backwards.See(fr.Frame, fr.Time)
		s.backMost = max(s.backMost, -step)
	}
	if dropped != 0 {
		s.dropAt, s.drops = fr.Time, true
		s.lost.See(fr.Frame, fr.Time)
		s.lost.N += dropped - 1
	}
	if step > longPause && step > s.silence && s.waiting {
		s.silence, s.wokenBy = step, seq.SignAt(fr.Frame, fr.Time)
	}
}

// usualTTL is how many frames in a row make a time to live a side's usual one.
const usualTTL = 8

// seeTTL learns the time to live of a side's frames from one that differs.
func (s *sight) seeTTL(ttl uint8, dir int) {
	if s.ttlRun[dir] < usualTTL {
		s.ttl[dir], s.ttlRun[dir], s.stranger = ttl, 1, false
	}
}

// blocked gives a guard of a rule that shows on the connection and is not
// satisfied for the case.
func (l *Evaluation) blocked(r *conform.Rule, x *conform.Case) conform.Guard {
	for _, g := range [...]conform.Guard{conform.GuardSnap, conform.GuardStart, conform.GuardBidir, conform.GuardClean, conform.GuardRTT, conform.GuardClock, conform.GuardRole, conform.GuardVer, conform.GuardDial, conform.GuardReord, conform.GuardVant} {
		if (g == conform.GuardSnap || r.Guards.Has(g)) && !l.satisfied(g, x) {
			return g
		}
	}
	return conform.GuardNone
}

func (l *Evaluation) satisfied(g conform.Guard, x *conform.Case) bool {
	switch g {
	case conform.GuardSnap:
		return l.fr == nil || l.fr.Frame != x.Frame || !l.fr.Cut() && !(l.fr.Err != nil && l.fr.Oversize())
	case conform.GuardStart:
		return l.c.Complete
	case conform.GuardBidir:
		return l.BothVisible()
	case conform.GuardClean:
		return l.Clean(x.Since)
	case conform.GuardRTT:
		return l.c.Dir[x.Dir].RoundTrips() >= leastSamples
	case conform.GuardClock:
		return l.ClockFine()
	case conform.GuardReord, conform.GuardVant:
		return !l.ClocksDiffer()
	case conform.GuardRole:
		return l.c.Roles[0] != ""
	case conform.GuardVer:
		return l.c.Version != 0 || l.c.Signing != ""
	case conform.GuardDial:
		return l.c.Dialect != "" || l.c.Dir[x.Dir].Dialect != ""
	}
	return true
}

// leastSamples is how many round trips guard RTT asks for.
const leastSamples = 5

// BothVisible reports whether both directions were captured lately.
func (l *Evaluation) BothVisible() bool {
	s := &l.sight
	return s.frames[0] > 0 && s.frames[1] > 0 && s.now-min(s.last[0], s.last[1]) <= bidirTime
}

// ClockFine reports whether the times of the capture can be judged.
func (l *Evaluation) ClockFine() bool {
	s := &l.sight
	return s.timed > 0 && (s.fine || s.timed < coarseAfter) && !(s.back && s.now-s.backAt <= bidirTime) && !l.ClocksDiffer()
}

// ClockSure reports whether the times of the capture can be judged, even early in it.
func (l *Evaluation) ClockSure() bool { return l.sight.fine && l.ClockFine() }

// Clean reports whether nothing shows that the capture misses frames, of either
// side, since a time.
func (l *Evaluation) Clean(since int64) bool {
	s := &l.sight
	if s.drops && s.dropAt >= since {
		return false
	}
	return l.CleanOf(0, since) && l.CleanOf(1, since)
}

// CleanOf is Clean for what one side sent.
func (l *Evaluation) CleanOf(dir int, since int64) bool {
	return l.c.Dir[dir].CleanSince(since, 0)
}

// CleanBut is CleanOf when up to so many numbers may be missing that the caller
// knows the reason of.
func (l *Evaluation) CleanBut(dir int, since int64, missing uint64) bool {
	return l.c.Dir[dir].CleanSince(since, missing)
}

// Horizon is the reorder horizon, in ns: two frames of one side captured further
// apart were sent in this order.
func (l *Evaluation) Horizon() int64 {
	return l.c.Dir[0].Horizon()
}

// roundTrip is the whole round trip as far as it was seen, in ns, 0 when it was
// not: the times from the capture point to either side and back.
func (l *Evaluation) roundTrip() int64 { return l.c.Dir[0].MinRTT() + l.c.Dir[1].MinRTT() }

// SideDelay is the shortest time, in ns, between a frame passing towards a side and
// its reaction passing back.
func (l *Evaluation) SideDelay(dir int) (ns int64, ok bool) {
	d := &l.c.Dir[1-dir]
	return d.MinRTT(), d.HasRTT()
}

// Slack is what an upper bound on a reaction of a side allows on top, in ns:
// the way there and back, and the clock.
func (l *Evaluation) Slack(dir int) (ns int64, ok bool) {
	delay, ok := l.SideDelay(dir)
	return delay + slackTime, ok
}

const slackTime = 20e6

// NeededOdds is in how many independent intervals something must be seen before
// "the capture missed the explaining frames of that side" is absurd: chances
// below 10^-9.
func (l *Evaluation) NeededOdds(dir int) int {
	d := &l.c.Dir[dir]
	return conform.NeededOdds(d.Uncaptured()+d.Missing(), d.Distinct())
}

// Frames is how many frames of a side were seen.
func (l *Evaluation) Frames(dir int) uint64 { return l.sight.frames[dir] }

// Now is the time of the latest frame, in ns.
func (l *Evaluation) Now() int64 { return l.sight.now }

// LastOf is when a side was last seen, in ns, 0 for never.
func (l *Evaluation) LastOf(dir int) int64 { return l.sight.last[dir] }

// SawCut reports whether the capture cut some datagram of a side.
func (l *Evaluation) SawCut(dir int) bool { return l.c.Dir[dir].Cuts() > 0 }
