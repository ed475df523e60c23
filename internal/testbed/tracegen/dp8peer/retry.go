package dp8peer

import (
	"slices"
	"time"
)

// retryPeriod is the time until retry n+1: 2.5 round trips and the acknowledgement
// delay, linear for the second and third, then doubling, at most 5 s
// (MC-DPL8R 3.1.2.5).
func (s *sender) retryPeriod(n int) time.Duration {
	d := s.rtt*5/2 + ackDelay
	switch {
	case n < 3:
		d *= time.Duration(n + 1)
	default:
		d *= 3 << min(n-2, 8)
	}
	return min(d, retryMax)
}

// hurry brings the retry of the window's first frame forward to 10 ms from now
// (MC-DPL8R 3.1.5.2.3), but not to less than a round trip after a retry: the
// mask may be older than that.
func (s *sender) hurry(f *frame) {
	wait := retryFast
	if f.retries > 0 {
		wait = max(wait, f.sentAt+s.rtt-s.peer.now())
	}
	if !f.timer.Active() || f.timer.At <= s.peer.now()+wait {
		return
	}
	f.timer.Stop()
	f.timer = s.peer.after(wait, func() { s.onRetry(f) })
}

func (s *sender) onRetry(f *frame) {
	if !f.reliable() {
		s.giveUp(f)
		return
	}
	if f.retries == maxRetries {
		s.peer.abandon() // MC-DPL8R 3.1.6.5: the connection is lost
		return
	}
	if s.peer.now()-s.shrunk > s.rtt {
		s.shrunk = s.peer.now()
		s.room = max(2, s.room/2)
	}
	f.retries++
	s.peer.Retries++
	s.transmit(f)
	f.timer = s.peer.after(s.retryPeriod(f.retries), func() { s.onRetry(f) })
}

// giveUp remembers an unreliable frame for the send mask (MC-DPL8R 3.1.6.5).
func (s *sender) giveUp(f *frame) {
	i, _ := slices.BinarySearch(s.masked, f.seq)
	s.masked = slices.Insert(slices.Clone(s.masked), i, f.seq)
	s.maskSent = 0
	if !s.maskAt.Active() || s.maskAt.At > s.peer.now()+sendMaskDelay {
		s.maskAt.Stop()
		s.maskAt = s.peer.after(sendMaskDelay, s.onMaskTimer)
	}
}

// onMaskTimer sends a mask that found no frame to ride on.
func (s *sender) onMaskTimer() {
	if len(s.masked) == 0 || s.maskSent > maxRetries {
		return
	}
	s.maskSent++
	s.peer.TimerMasks++
	s.peer.in.sendSACK()
}

// rearmMask repeats the mask as long as the partner has not passed the gap.
func (s *sender) rearmMask() {
	s.maskAt.Stop()
	if len(s.masked) > 0 && s.peer.state == established {
		s.maskAt = s.peer.after(s.retryPeriod(s.maskSent), s.onMaskTimer)
	}
}
