package capture

import (
	"sync/atomic"
	"time"
)

// streams merges inputs of which some are fed (feeder): their packets are given as
// they come. As with files a packet waits for those of all other inputs, but of an
// input that gave nothing for a second only when it comes as from a file.
type streams struct {
	*files
	ready   chan struct{}
	last    *input // whose packet was given last
	idle    bool   // it was told that nothing waits
	alarm   alarm
	stopAt  atomic.Pointer[time.Time]
	limitAt *time.Time // stopAt, when it was chosen in advance: nothing more is waited for
	maxSize uint64
	size    uint64
}

// How long is waited.
const (
	// mergeWait is for how long an input may give nothing before the others no
	// longer wait for it.
	mergeWait = time.Second
	// drainTime is how long a pipe may give nothing after it was told to stop before
	// that is its end: who writes to it may have been told as well. drainMost is when
	// it ends in any case.
	drainTime = 200 * time.Millisecond
	drainMost = time.Second
)

// limit sets when the source ends by itself.
func (s *streams) limit(l Limits) {
	s.maxSize = l.Bytes
	if l.Duration > 0 {
		at := time.Now().Add(l.Duration)
		s.limitAt = &at
		s.stopAt.Store(&at)
	}
}

func (s *streams) next(out *fed) (wait, ok bool) {
	if s.last != nil {
		s.last.full, s.last = false, nil
	}
	for {
		in, rest := s.first()
		switch {
		case s.over(in):
			return false, false
		case in != nil && (rest == 0 || !s.awaited()):
			if s.give(in, out) {
				return false, true
			}
		case in == nil && rest == 0:
			return false, false
		case !s.idle:
			s.idle = true
			return true, true
		default:
			s.sleep()
			s.idle = false
		}
	}
}

// first finds the input with the earliest packet; rest is how many have none now and
// may have one later.
func (s *streams) first() (first *input, rest int) {
	for _, in := range s.inputs {
		if !in.full && !in.closed {
			in.full = in.advance()
		}
		switch {
		case in.full && (first == nil || s.before(in, first)):
			first = in
		case !in.full && !in.closed:
			rest++
		}
		if s.inOrder && !in.closed {
			break
		}
	}
	return first, rest
}

// awaited reports whether there is an input without a packet that the others must
// wait for.
func (s *streams) awaited() bool {
	now := time.Now()
	for _, in := range s.inputs {
		f := in.feeder
		if f == nil || in.full || in.closed {
			continue
		}
		if f.Format() == "" || f.bulk() || f.starving(now) < mergeWait {
			return true
		}
	}
	return false
}

// give hands out the packet of an input, if the filter lets it pass.
func (s *streams) give(in *input, out *fed) bool {
	s.frame++
	out.drops += in.newDrops()
	s.last = in
	if s.filter != nil && !in.passes(s.filter) {
		in.full, s.last = false, nil
		return false
	}
	in.count()
	s.size += uint64(len(in.rec.Data))
	out.rec, out.frame, out.file = &in.rec, s.frame, in.index
	return true
}

// over reports whether a limit or a stop ends the run. in is who has a packet.
func (s *streams) over(in *input) bool {
	if s.maxSize != 0 && s.size >= s.maxSize {
		return true
	}
	at := s.stopAt.Load()
	if at == nil || in != nil && s.frame%lookEvery != 0 {
		return false
	}
	now := time.Now()
	since := now.Sub(*at)
	switch {
	case since < 0:
		return false
	case since > drainMost:
		return true
	case in != nil:
		return false
	case at == s.limitAt:
		return true
	}
	return s.drained(now) && since >= drainTime
}

// drained stops what is fed and reports whether no more comes of it.
func (s *streams) drained(now time.Time) bool {
	empty := true
	for _, in := range s.inputs {
		if in.feeder != nil && !in.closed {
			in.feeder.stop()
			empty = empty && in.feeder.starving(now) >= drainTime
		}
	}
	return empty
}

// sleep waits for a packet.
func (s *streams) sleep() {
	now := time.Now()
	d := s.alarm.left(now, maxSleep)
	if at := s.stopAt.Load(); at != nil {
		left := at.Sub(now)
		if left <= 0 {
			left = drainTime / 8
		}
		d = min(d, left)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-s.ready:
	case <-t.C:
	}
}

// stop ends the pipes once they are empty, and files that grow where they end now.
func (s *streams) stop() {
	now := time.Now()
	for {
		at := s.stopAt.Load()
		if at != nil && at.Before(now) || s.stopAt.CompareAndSwap(at, &now) {
			break
		}
	}
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// waitAtMost is how long a packet may wait for what later ones tell of it, where d is
// asked for and it is to be shown in time: twice as long when packets are old, as
// those of a small file that is piped, whose end may come late. Packets that come as
// from a large file wait as those of files do, unless no more come for a second.
func (s *streams) waitAtMost(d time.Duration) time.Duration {
	now, old := time.Now(), false
	for _, in := range s.inputs {
		if in.feeder == nil || in.closed {
			continue
		}
		if in.feeder.bulk() && in.feeder.starving(now) < bulkTime {
			return forever
		}
		old = old || !in.feeder.recent()
	}
	if old {
		d *= 2
	}
	return d
}

func (s *streams) wakeAt(at time.Time) { s.alarm.set(at) }

// forever is longer than any run.
const forever = 1 << 62

// An alarm is when a source that waits for packets must return, whether one comes or
// not.
type alarm struct{ at time.Time }

// maxSleep is how long a source sleeps at most.
const maxSleep = time.Second

// set lets the next wait end at a time, or earlier.
func (a *alarm) set(at time.Time) {
	if a.at.IsZero() || at.Before(a.at) {
		a.at = at
	}
}

// left is how long may be slept, at most so long; the alarm is off then.
func (a *alarm) left(now time.Time, most time.Duration) time.Duration {
	if !a.at.IsZero() {
		most = min(most, max(a.at.Sub(now), 0))
	}
	a.at = time.Time{}
	return most
}
