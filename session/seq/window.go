package seq

import "math"

// HistoryLimit is how many numbers a Window remembers where a protocol says
// nothing else. It covers the window of the protocol and what may still arrive
// late behind it.
const HistoryLimit = 128

// Limits say what is remembered of the numbers of one side.
type Limits struct {
	History   int64 // numbers at most, at least HistoryLimit
	Keep      int64 // ns for which a number is remembered while there is room
	UnitKeep  int64 // ns for which a carried unit is remembered behind its last sending
	Past      int64 // numbers of which, when they are forgotten, it is known whether they were acknowledged
	Reach     int64 // how far from the others a number may be that is believed at once, 0 for any (Direction.Place)
	AckExcess int64 // how far ahead of what was captured an acknowledgement may be, see MaxAckExcess

	// What acknowledgements of this kind can't prove: nothing is said of it.
	NoBefore, NoAfter bool
}

// SetLimits replaces the defaults, before the first number.
func (d *Direction) SetLimits(l Limits) {
	d.ready()
	d.win.history, d.win.keep, d.win.excess, d.win.near = max(l.History, HistoryLimit), l.Keep, l.AckExcess, l.Reach
	d.win.past.limit, d.units.keep = l.Past, l.UnitKeep
	if d.win.lowMemory && l.Keep > 0 {
		d.win.past.limit = max(l.Past, lowMemoryPast)
	}
	d.noBefore, d.noAfter = l.NoBefore, l.NoAfter
}

// unit is what a Window remembers of one number.
type unit struct {
	state   unitState
	copies  uint8  // captured transmissions and copies, saturating
	sends   uint8  // captured transmissions, saturating
	part    uint8  // of frame
	size    uint16 // of the payload, by the UDP header
	ipid    uint16 // of the first sending, or of what was captured first
	copied  uint32 // µs from time to the first sending, or to the latest copy of it
	frame   uint64 // first captured copy
	time    int64
	hash    uint64 // of the first sending, RETRY clear
	ackTime int64
}

func (u *unit) position() Position { return Position{u.frame, u.part} }

// copiedAt notes the first sending, or a copy of it; latest is when the latest came.
func (u *unit) copiedAt(s *Sending) {
	if s.HasTime {
		u.copied = uint32(min((s.Time-u.time)/1e3, math.MaxUint32))
	}
}

func (u *unit) latest() int64 { return u.time + int64(u.copied)*1e3 }

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
	hearsay                            // acknowledged by nothing but history bits
	noAck                              // its sender asks for no acknowledgement
	again                              // captured again, and not proven a copy by its identification
)

// A Window holds the numbers one side sends: which were captured, how often,
// and what the other side said of them. Numbers are unwrapped.
type Window struct {
	units     sparse[unit]
	base      int64 // lowest remembered number
	past      past  // of numbers below base
	floor     int64 // numbers below were forgotten
	gone      bool  // floor is valid
	history   int64 // Limits.History, 0 for the default
	lowMemory bool  // Config.LowMemory
	keep      int64
	excess    int64
	near      int64
	now       int64 // of the latest sending, ns
	top       int64 // one above the highest remembered number
	lowest    int64 // lowest captured
	highest   int64 // highest captured
	started   bool
	origin    int64 // first sending captured first: what lies below was sent before the capture began
	begun     bool  // origin is valid
	cum       int64 // highest cumulative acknowledgement: all below it are acknowledged
	hasCum    bool
	mask      uint64 // latest selective acknowledgement: bit i is maskBase+i
	maskTop   int64  // highest number any mask acknowledged
	maskBase  int64
	waiting   []waitingCopy // copies captured after their number was acknowledged
	extra     map[int64][]Position
}

// A waitingCopy is a copy of an acknowledged number that no later frame has
// acknowledged yet.
type waitingCopy struct {
	num int64
	at  Position
}

// maxWaiting bounds the copies that wait for an acknowledgement of their own.
const maxWaiting = 64

// Highest is the highest captured number.
func (w *Window) Highest() (int64, bool) { return w.highest, w.started }

// Lowest is the lowest number captured, valid when Highest is.
func (w *Window) Lowest() int64 { return w.lowest }

// Cumulative is the highest cumulative acknowledgement seen.
func (w *Window) Cumulative() (int64, bool) { return w.cum, w.hasCum }

// at gives a remembered number to write on.
func (w *Window) at(n int64) *unit {
	if u := w.units.find(n); u != nil {
		return u
	}
	u, fresh := w.units.use(n)
	if fresh {
		*u = unit{time: w.now}
	}
	return u
}

// see gives a remembered number to look at.
func (w *Window) see(n int64) *unit {
	if u := w.units.find(n); u != nil {
		return u
	}
	return &blankUnit
}

// next is the first number from one on, and below end, of which something was heard.
func (w *Window) next(n, end int64) int64 { return w.units.next(n, end) }

// blankUnit is what is known of a number that was skipped so far. Nobody writes on it.
var blankUnit unit

func (w *Window) holds(n int64) bool { return n >= w.base && n < w.top }

// reach makes the window remember n and everything up to it, retiring the
// oldest numbers into d. It reports false when n is too old.
func (w *Window) reach(n int64, d *Direction) bool {
	if w.units.table == nil {
		w.units.resize(leastRing, 0, 0)
		w.base, w.top = n, n
	}
	if n < w.base {
		return w.extendDown(n)
	}
	if n >= w.top+w.limit() { // a jump beyond everything remembered
		w.retireAll(d)
		w.base, w.top = n, n
	}
	for w.top <= n {
		if room := w.units.size() - (w.top - w.base); room > 0 {
			w.top = min(w.top+room, n+1)
			continue
		}
		u := w.units.find(w.base)
		if w.wanted(u) && w.grow() {
			continue
		}
		if u == nil || w.top < n {
			w.retire(u, n+1-w.top, d)
			continue
		}
		w.settle(u, d)
		*u = unit{time: w.now} // the next number has the place of the oldest
		w.units.unmark(n)
		w.top++
	}
	return true
}

// leastRing is how many numbers the smallest ring has room for.
const leastRing = 16

// compact forgets the numbers below the highest captured, but for those from one on that
// was sent again in vain: the connection may be given up for it.
func (w *Window) compact(d *Direction) {
	if !w.started {
		return
	}
	for w.base < w.highest && !w.see(w.base).inVain() {
		w.retire(w.units.find(w.base), w.highest-w.base, d)
	}
	size := int64(leastRing)
	for size < w.top-w.base {
		size *= 2
	}
	if size < w.units.size() {
		w.units.resize(size, w.base, w.top)
	}
}

// limit is how many numbers may be remembered.
func (w *Window) limit() int64 { return max(w.history, HistoryLimit) }

// wanted reports whether the oldest number may still be asked for; u is nil when it
// was skipped.
func (w *Window) wanted(u *unit) bool {
	size, since := w.units.size(), u
	if u == nil { // what was skipped is as old as what came instead
		u, since = &blankUnit, w.see(w.next(w.base, w.top))
	}
	age := w.now - since.time
	if w.lowMemory {
		return size < LowMemoryLeast || age < w.patience(u)
	}
	return size < HistoryLimit || age < w.keep
}

// inVain reports a number that is sent again and was not acknowledged.
func (u *unit) inVain() bool { return u.state&(captured|acked) == captured && u.sends > 1 }

// patience is for how long a number is remembered in a window of little memory, in ns.
func (w *Window) patience(u *unit) int64 {
	switch {
	case u.inVain() && w.keep == 0:
		return math.MaxInt64
	case u.state&acked == 0:
		return LowMemoryFor(int(w.units.size()), false)
	case w.keep > 0:
		return LowMemoryFor(int(w.units.size()), true) // retries are known by their numbers alone
	}
	return LowMemoryTime
}

// extendDown makes room for a number below the lowest remembered one while
// nothing was retired for lack of room.
func (w *Window) extendDown(n int64) bool {
	if w.top-n > w.limit() || w.gone && n < w.floor {
		return false
	}
	for w.top-n > w.units.size() {
		if !w.grow() {
			return false
		}
	}
	w.base = min(w.base, n)
	return true
}

func (w *Window) grow() bool {
	size := w.units.size()
	if size >= w.limit() {
		return false
	}
	w.units.resize(2*size, w.base, w.top)
	return true
}

// retire settles the oldest number, u, or, where that was skipped, those skipped with
// it, up to so many.
func (w *Window) retire(u *unit, most int64, d *Direction) {
	if u == nil {
		w.retireSkipped(most, d)
		return
	}
	n := w.base
	w.settle(u, d)
	w.units.blank(n)
}

// settle draws the conclusions about the oldest number and lets it go.
func (w *Window) settle(u *unit, d *Direction) {
	d.settling().settle(w.base, u, w)
	if w.past.limit > 0 {
		w.past.keep(w.base, u.state&acked != 0)
	}
	if w.extra != nil {
		delete(w.extra, w.base)
	}
	w.base++
	w.floor, w.gone = w.base, true
}

func (w *Window) retireSkipped(most int64, d *Direction) {
	end := w.next(w.base, min(w.base+most, w.top))
	d.settling().settleSkipped(w.base, end)
	if w.past.limit > 0 {
		w.past.skip(w.base, end-w.base)
	}
	w.base = end
	w.floor, w.gone = w.base, true
}

func (w *Window) retireAll(d *Direction) {
	for w.base < w.top {
		w.retire(w.units.find(w.base), w.top-w.base, d)
	}
}
