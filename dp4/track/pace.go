package track

// A pace is how fast a side sends packets.
type pace struct {
	last   int64 // time of the latest, ns
	begun  bool
	window int64 // begin of the quarter second that is counted
	count  int64 // packets in it
	peak   int64 // most in any
}

const (
	paceWindow = 250e6
	paceMargin = 4  // the side may be so many times faster than seen
	paceLeast  = 25 // packets a window it may always send
	paceRoom   = 100
)

// steady reports whether, since the side was last heard, half of its numbers can
// not have gone by.
func (p *pace) steady(now int64) bool {
	if !p.begun {
		return false
	}
	rate := max(paceMargin*max(p.peak, p.count), paceLeast)
	return (now-p.last)*rate < paceRoom*paceWindow
}

func (p *pace) see(now int64) {
	if now-p.window >= paceWindow {
		p.peak = max(p.peak, p.count)
		p.window, p.count = now, 0
	}
	p.count++
	p.last, p.begun = max(p.last, now), true
}
