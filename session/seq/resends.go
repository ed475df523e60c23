package seq

// resends are the latest retries of a side, to tell what was acknowledged by its retry
// from what was only slow.
type resends struct {
	latest []resend // keptResends at most
	next   uint8    // place of the oldest, once there are so many

	quiet, quietTo int64 // when nothing of several sendings was acknowledged, the latest time, ns
	ended, first   int64 // when that was sent which was acknowledged then, and sent again; 0 for never
}

// quietSends is of how many sendings none was acknowledged for that to be quiet; so few of the
// peer's answers may have been on their way when it began.
const (
	quietSends   = 3
	quietAnswers = 2
)

// endRun notes that a frame, which acknowledges what was sent at a time, ends a run of numbers of which none was acknowledged. Where the
// peer answered all the while, and left these out, they were lost; where it was silent, all may
// have been held back.
func (r *resends) endRun(run *Deaf, sent int64, a *Acknowledgement) {
	if run.First.N >= quietSends && run.Answers() <= quietAnswers {
		r.quiet, r.quietTo, r.ended, r.first = run.First.Time, a.Time, sent, 0
	}
}

// heldBack reports whether a number and its retry may have been held back together with all that
// was sent while nothing was acknowledged: then the answers come when they are let go, those to what
// was sent first before others, and not, as those to retries do, as long after one another as
// these were sent.
func (r *resends) heldBack(u *unit, last int64, a *Acknowledgement, trip int64) bool {
	if last > r.quietTo || u.time < r.quiet-trip {
		return false
	}
	if a.Time == r.quietTo {
		r.first = last
	}
	if u.time < r.ended && a.Time-r.quietTo > ackJitter {
		return false
	}
	apart, off := last-r.first, (a.Time-r.quietTo)-(last-r.first)
	return r.first == 0 || apart <= 2*ackJitter || max(off, -off) > ackJitter
}

// keptResends limits the retries that are remembered: as many as a burst of losses makes.
const keptResends = 32

type resend struct {
	num    Num
	time   int64
	passed bool // a number sent later had been acknowledged
}

// add keeps a retry.
func (r *resends) add(s *Sending, passed bool) {
	switch x := (resend{s.Num, s.Time, passed}); {
	case !s.HasTime:
	case len(r.latest) < keptResends:
		r.latest = append(r.latest, x)
	default:
		r.latest[r.next] = x
		r.next = (r.next + 1) % keptResends
	}
}

// of gives the latest retry of a number; ok is false when none is remembered.
func (r *resends) of(num Num) (latest resend, ok bool) {
	for _, x := range r.latest {
		if x.num == num && x.time > latest.time {
			latest, ok = x, true
		}
	}
	return latest, ok
}

// needed looks at a number that was sent again and is acknowledged for the first time. It
// was most likely lost before when a later one had been acknowledged by its retry, or when
// the acknowledgement comes as long behind the retry as acknowledgements take: one that
// answers a slow sending comes at any time.
func (d acknowledging) needed(n Num, u *unit, a *Acknowledgement) bool {
	r, ok := d.account.resends.of(n)
	if !ok || !d.hasRTT || a.Time-r.time < d.minRTT*3/4 {
		return false
	}
	usual := d.beat.smooth
	if u.state&firstSending != 0 && r.time-u.time < usual/3+ackJitter {
		return false // both were held back and came at once: the answer is as long behind either
	}
	off := a.Time - r.time - usual
	if !r.passed && (off >= usual/3+ackJitter || off <= -usual/3) {
		return false
	}
	if !r.passed && d.account.resends.heldBack(u, r.time, a, d.minRTT) {
		return true
	}
	l := &d.account.Losses
	l.lose(&l.Needed, n, u)
	d.trouble(Missed, u.time, u.time, 0, SignAt(u.frame(), u.time))
	return true
}

// ackJitter is by how much an acknowledgement may come late on any path, in ns.
const ackJitter = 10e6
