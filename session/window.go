package session

// HistoryLimit is how many numbers a Window remembers. It covers the window of
// the protocol and what may still arrive late behind it.
const HistoryLimit = 128

// unit is what a Window remembers of one number.
type unit struct {
	state   unitState
	copies  uint8  // captured transmissions and copies, saturating
	ipid    uint16 // of the first sending
	frame   uint64 // first captured copy
	time    int64
	hash    uint64 // of the first sending, RETRY clear
	ackTime int64
}

type unitState uint16

const (
	captured     unitState = 1 << iota // some copy was captured
	firstSending                       // the first sending was captured, not only retries
	retried                            // a retry was captured
	neededRetry                        // … while no acknowledgement had been captured
	acked                              // acknowledged, cumulatively or selectively
	givenUp                            // covered by a send mask
	missedBefore                       // the peer reported it missing before any copy was captured
	missedAfter                        // … long after a copy was captured
	reported                           // … after a copy was captured; ackTime is when, until it is acknowledged
	ackTimed                           // ackTime is valid
	timed                              // time is valid
	byMask                             // acknowledged by a mask, not by a number that passed it
)

// A Window holds the numbers one side sends: which were captured, how often,
// and what the other side said of them. Numbers are unwrapped.
type Window struct {
	ring     []unit // power of two; number n lives at n & (len-1)
	base     int64  // lowest remembered number
	top      int64  // one above the highest remembered number
	lowest   int64  // lowest captured
	highest  int64  // highest captured
	started  bool
	origin   int64 // first sending captured first: what lies below was sent before the capture began
	begun    bool  // origin is valid
	cum      int64 // highest cumulative acknowledgement: all below it are acknowledged
	hasCum   bool
	mask     uint64 // latest selective acknowledgement: bit i is maskBase+i
	maskTop  int64  // highest number any mask acknowledged
	maskBase int64
	waiting  []waitingCopy // copies captured after their number was acknowledged
	extra    map[int64][]uint64
}

// A waitingCopy is a copy of an acknowledged number that no later frame has
// acknowledged yet.
type waitingCopy struct {
	num   int64
	frame uint64
}

// maxWaiting bounds the copies that wait for an acknowledgement of their own.
const maxWaiting = 64

// Highest is the highest captured number.
func (w *Window) Highest() (int64, bool) { return w.highest, w.started }

// Cumulative is the highest cumulative acknowledgement seen.
func (w *Window) Cumulative() (int64, bool) { return w.cum, w.hasCum }

func (w *Window) at(n int64) *unit { return &w.ring[n&int64(len(w.ring)-1)] }

func (w *Window) holds(n int64) bool { return n >= w.base && n < w.top }

// reach makes the window remember n and everything up to it, retiring the
// oldest numbers into d. It reports false when n is too old.
func (w *Window) reach(n int64, d *Direction) bool {
	if w.ring == nil {
		w.ring = make([]unit, 16)
		w.base, w.top = n, n
	}
	if n < w.base {
		return w.extendDown(n)
	}
	if n >= w.top+HistoryLimit { // a jump beyond everything remembered
		w.retireAll(d)
		w.base, w.top = n, n
	}
	for w.top <= n {
		if w.top-w.base >= int64(len(w.ring)) && !w.grow() {
			w.retire(d)
		}
		*w.at(w.top) = unit{}
		w.top++
	}
	return true
}

// extendDown makes room for a number below the lowest remembered one while
// nothing was retired for lack of room.
func (w *Window) extendDown(n int64) bool {
	if w.top-n > HistoryLimit {
		return false
	}
	for w.top-n > int64(len(w.ring)) {
		if !w.grow() {
			return false
		}
	}
	for w.base > n {
		w.base--
		*w.at(w.base) = unit{}
	}
	return true
}

func (w *Window) grow() bool {
	if len(w.ring) >= HistoryLimit {
		return false
	}
	old := w.ring
	w.ring = make([]unit, 2*len(old))
	for n := w.base; n < w.top; n++ {
		*w.at(n) = old[n&int64(len(old)-1)]
	}
	return true
}

// retire settles the oldest number.
func (w *Window) retire(d *Direction) {
	d.settle(w.base, w.at(w.base), w)
	if w.extra != nil {
		delete(w.extra, w.base)
	}
	w.base++
}

func (w *Window) retireAll(d *Direction) {
	for w.base < w.top {
		w.retire(d)
	}
}
