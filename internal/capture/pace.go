package capture

import "time"

// A pace says when a packet comes whose capture is played again: as long after the first
// one as it was captured after it.
type pace struct {
	first int64 // time of the first packet
	began time.Time
}

// due is when the packet of a time comes.
func (p *pace) due(at int64) time.Time {
	if p.began.IsZero() {
		p.first, p.began = at, time.Now()
	}
	return p.began.Add(time.Duration(at - p.first))
}

// paceStep is how long a packet waits before it is looked whether it is wanted still.
const paceStep = 20 * time.Millisecond

// await hands over what there is and waits until a time. It reports false when nobody wants
// more.
func (f *feeder) await(at time.Time) bool {
	if time.Until(at) <= 0 {
		return true
	}
	if !f.publish() {
		return false
	}
	f.starve()
	for d := time.Until(at); d > 0; d = time.Until(at) {
		if !f.wants() {
			return false
		}
		time.Sleep(min(d, paceStep))
	}
	f.eat(0)
	return true
}
