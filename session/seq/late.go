package seq

import "math/bits"

// lateLosses collects what may have been lost behind the capture point: numbers
// the peer still reported missing after they had gone by, and that their sender
// then sent again or gave up. How late the path delivers is learned meanwhile,
// and only what was missing longer than that is a loss.
type lateLosses struct {
	open    map[Num]lateLoss
	missing *[64]uint64 // losses by how long they were missing, by powers of two of ns; nil for none
	late    int64       // longest time a number was missing that came by itself
}

// A lateLoss is one number that may have been lost.
type lateLoss struct {
	missing int64 // from its capture to the last report of its absence
	again   int64 // when it was sent again, 0 when it was given up
}

// suspect notes a number that is sent again, or given up, while missing.
func (l *lateLosses) suspect(n Num, missing, again int64) {
	if l.open == nil {
		l.open = make(map[Num]lateLoss)
	}
	if _, ok := l.open[n]; !ok && len(l.open) < HistoryLimit {
		l.open[n] = lateLoss{missing, again}
	}
}

// settle decides about a number that is about to be forgotten, and tells how long
// it was missing and whether it may be lost. acked is when it was acknowledged, 0
// for never; what is acknowledged sooner after its retry
// than the retry can get there and the answer back came by itself.
func (l *lateLosses) settle(n Num, acked, minRTT int64) (missing int64, lost bool) {
	x, ok := l.open[n]
	if !ok {
		return 0, false
	}
	delete(l.open, n)
	if acked != 0 && x.again != 0 && acked-x.again < minRTT*3/4 {
		l.late = max(l.late, x.missing)
		return x.missing, false
	}
	if l.missing == nil {
		l.missing = new([64]uint64)
	}
	l.missing[bits.Len64(uint64(x.missing))]++
	return x.missing, true
}

// proven counts the losses that were missing clearly longer than anything that
// came by itself.
func (l *lateLosses) proven() (n uint64) {
	if l.missing == nil {
		return 0
	}
	for i, c := range l.missing {
		if i > 0 && int64(1)<<(i-1) >= l.late+l.late/2 {
			n += c
		}
	}
	return n
}

// overtaken reports whether a number that was captured behind a later one, and has no
// mark, is proven to be its first sending: what was lost before the capture point and
// sent again looks alike. A retry has a later identification than the numbers sent
// in between, where its side counts them, and comes no sooner than CopyHorizon behind
// the number before it.
func (d sending) overtaken(s *Sending) bool {
	w := &d.win
	before := w.see(s.Num - 1)
	if s.Num <= w.base || before.state&firstSending == 0 {
		return false
	}
	if n := w.next(s.Num+1, w.highest+1); n <= w.highest {
		after := w.see(n)
		if after.frame() < before.frame() {
			return false // the number before came late, too: both may have been sent again
		}
		if after.state&firstSending != 0 && before.ipid != 0 && s.IPID != 0 && after.ipid != 0 {
			if step := after.ipid - before.ipid; step > 1 && step < countedSteps {
				return s.IPID-before.ipid < step
			}
		}
	}
	return s.HasTime && before.state&timed != 0 && s.Time-before.time < CopyHorizon
}

// countedSteps is how far apart the identifications of two neighbours may be to be
// counted by their side, not drawn at random.
const countedSteps = 64
