package dp8peer

import (
	"slices"
	"time"
)

// retryPeriod is the time until retry n+1: 2.5 round trips and the acknowledgement
// delay, linear for the second and third, then doubling, at most 5 s
// (MC-DPL8R 3.1.2.5).
func (p *Peer) retryPeriod(n int) time.Duration {
	d := p.rtt*5/2 + ackDelay
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
func (p *Peer) hurry(f *frame) {
	wait := retryFast
	if f.retries > 0 {
		wait = max(wait, f.sentAt+p.rtt-p.now())
	}
	if !f.timer.Active() || f.timer.At <= p.now()+wait {
		return
	}
	f.timer.Stop()
	f.timer = p.after(wait, func() { p.onRetry(f) })
}

func (p *Peer) onRetry(f *frame) {
	if !f.reliable() {
		p.giveUp(f)
		return
	}
	if f.retries == maxRetries {
		p.abandon() // MC-DPL8R 3.1.6.5: the connection is lost
		return
	}
	if p.now()-p.shrunk > p.rtt {
		p.shrunk = p.now()
		p.room = max(2, p.room/2)
	}
	f.retries++
	p.Retries++
	p.transmit(f)
	f.timer = p.after(p.retryPeriod(f.retries), func() { p.onRetry(f) })
}

// giveUp remembers an unreliable frame for the send mask (MC-DPL8R 3.1.6.5).
func (p *Peer) giveUp(f *frame) {
	i, _ := slices.BinarySearch(p.masked, f.seq)
	p.masked = slices.Insert(slices.Clone(p.masked), i, f.seq)
	p.maskSent = 0
	if !p.maskAt.Active() || p.maskAt.At > p.now()+sendMaskDelay {
		p.maskAt.Stop()
		p.maskAt = p.after(sendMaskDelay, p.onMaskTimer)
	}
}

// onMaskTimer sends a mask that found no frame to ride on.
func (p *Peer) onMaskTimer() {
	if len(p.masked) == 0 || p.maskSent > maxRetries {
		return
	}
	p.maskSent++
	p.TimerMasks++
	p.sendSACK()
}

// rearmMask repeats the mask as long as the partner has not passed the gap.
func (p *Peer) rearmMask() {
	p.maskAt.Stop()
	if len(p.masked) > 0 && p.state == established {
		p.maskAt = p.after(p.retryPeriod(p.maskSent), p.onMaskTimer)
	}
}
