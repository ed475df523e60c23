package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// bidirTime is for how long a side may be silent before its direction no longer
// counts as visible, in ns.
const bidirTime = 10e9

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
		return l.fr() == nil || l.fr().Frame != x.Frame || !l.fr().Cut() && !(l.fr().Err != nil && l.fr().Oversize())
	case conform.GuardStart:
		return l.c.Complete
	case conform.GuardBidir:
		return l.BothVisible()
	case conform.GuardClean:
		return l.Clean(x.Since)
	case conform.GuardRTT:
		return l.c.Dir[x.Dir].Quality().RoundTrips() >= leastSamples
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
	s := l.sight
	return s.frames[0] > 0 && s.frames[1] > 0 && s.now-min(s.last[0], s.last[1]) <= bidirTime
}

// ClockFine reports whether the times of the capture can be judged.
func (l *Evaluation) ClockFine() bool {
	s := l.sight
	return s.timed > 0 && (s.fine || s.timed < coarseAfter) && !(s.backwards.N > 0 && s.now-s.backAt <= bidirTime) && !l.ClocksDiffer()
}

// ClockSure reports whether the times of the capture can be judged, even early in it.
func (l *Evaluation) ClockSure() bool { return l.sight.fine && l.ClockFine() }

// Clean reports whether nothing shows that the capture misses frames, of either
// side, since a time.
func (l *Evaluation) Clean(since int64) bool {
	s := l.sight
	if s.lost.N > 0 && s.dropAt >= since {
		return false
	}
	return l.CleanOf(0, since) && l.CleanOf(1, since)
}

// CleanOf is Clean for what one side sent.
func (l *Evaluation) CleanOf(dir dissect.Dir, since int64) bool {
	return l.c.Dir[dir].Quality().CleanSince(since, 0)
}

// CleanBut is CleanOf, but so many numbers may be missing: those of which the caller knows why
// they are.
func (l *Evaluation) CleanBut(dir dissect.Dir, since int64, missing uint64) bool {
	return l.c.Dir[dir].Quality().CleanSince(since, missing)
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
func (l *Evaluation) SideDelay(dir dissect.Dir) (ns int64, ok bool) {
	d := &l.c.Dir[dir.Other()]
	return d.MinRTT(), d.HasRTT()
}

// Slack is what an upper bound on a reaction of a side allows on top, in ns:
// the way there and back, and the clock.
func (l *Evaluation) Slack(dir dissect.Dir) (ns int64, ok bool) {
	delay, ok := l.SideDelay(dir)
	return delay + slackTime, ok
}

const slackTime = 20e6

// NeededOdds is in how many independent intervals something must be seen before
// "the capture missed the explaining frames of that side" is absurd: chances
// below 10^-9.
func (l *Evaluation) NeededOdds(dir dissect.Dir) int {
	d := &l.c.Dir[dir]
	return conform.NeededOdds(d.Quality().Uncaptured()+d.Missing(), d.Quality().Distinct())
}

// NeededTwice is NeededOdds where the capture must each time have missed the first sending of
// a number and had the next one. So many numbers, seen, may have been such.
func (l *Evaluation) NeededTwice(dir dissect.Dir, seen uint64) int {
	q := l.c.Dir[dir].Quality()
	return conform.NeededTwice(q.Uncaptured()+l.c.Dir[dir].Missing()+seen, q.Distinct())
}

// Frames is how many frames of a side were seen.
func (l *Evaluation) Frames(dir dissect.Dir) uint64 { return l.sight.frames[dir] }

// Now is the time of the latest frame, in ns.
func (l *Evaluation) Now() int64 { return l.sight.now }

// LastOf is when a side was last seen, in ns, 0 for never.
func (l *Evaluation) LastOf(dir dissect.Dir) int64 { return l.sight.last[dir] }

// SawCut reports whether the capture has a datagram of a side only in part.
func (l *Evaluation) SawCut(dir dissect.Dir) bool { return l.c.Dir[dir].Quality().Cuts() > 0 }

// ClocksDiffer reports that the two sides were captured with clocks that differ: nothing
// follows from the order of their frames, or from times between them.
func (l *Evaluation) ClocksDiffer() bool { return l.clockDiffers(0) || l.clockDiffers(1) }

// clockDiffers is ClocksDiffer by what came before the numbers of a side. A clock that is so far
// behind would show in the round trips of the other side: where these are shorter, and most
// numbers were acknowledged so early, the acknowledgements are false.
func (l *Evaluation) clockDiffers(dir dissect.Dir) bool {
	q, back := l.c.Dir[dir].Quality(), &l.c.Dir[dir.Other()]
	lead, n, _ := q.ClockLead()
	return q.ClockDiffers() && !(2*n >= q.Distinct() && back.HasRTT() && lead > back.MinRTT())
}
