package session

// signs is what the rules of Quality ask of one side.
type signs struct {
	uncaptured sign // numbers acknowledged that were not captured
	asRetry    sign // numbers first captured as a retry
	late       sign // first sendings captured behind a later number
	copies     sign // copies made by the network or the capture
	unneeded   sign // retries of what had been acknowledged
	cut        sign // by the capture
	badSum     sign
	super      sign // longer than the link carries
	apart      sign // packets that stood for several datagrams
	parts      sign // these datagrams
	holes      sign // runs of numbers passed over

	longest      int64  // run of numbers passed over
	passedOver   uint64 // numbers in such runs
	largestAcked uint16 // payload
	stuck        stuckUnit
	deaf         uint8 // most sendings of a number that had been acknowledged

	trips     tripWindow
	firstTrip int64 // shortest of the first window
	slowTrip  int64 // shortest of the slowest two windows in a row since
	slowAt    sign
	lastTrip  int64 // shortest of the window before
}

// A sign counts something and keeps the first frame that shows it.
type sign struct {
	n, frame uint64
	time     int64 // of the frame, 0 when it has none
}

func (s *sign) see(frame uint64, time int64) {
	if s.n++; s.n == 1 {
		s.frame, s.time = frame, time
	}
}

func (s *signs) hole(size int64, frame uint64, time int64) {
	s.holes.see(frame, time)
	s.longest = max(s.longest, size)
	s.passedOver += uint64(size)
}

// A stuckUnit is the largest unit that is sent again and again without being
// acknowledged.
type stuckUnit struct {
	num    int64
	size   uint16
	sends  uint8
	frame  uint64 // of its first sending
	time   int64
	latest uint64
	others int // first acknowledgements of units sent after its latest sending
}

// stubborn looks at a retry of what was not acknowledged.
func (s *signs) stubborn(x *Sending, u *unit) {
	if u.sends >= s.stuck.sends && u.size >= s.stuck.size || x.Num == s.stuck.num {
		s.stuck = stuckUnit{num: x.Num, size: u.size, sends: u.sends, frame: u.frame, time: u.time, latest: x.Frame}
	}
}

// acked looks at a unit that is acknowledged for the first time.
func (s *signs) acked(u *unit) {
	s.largestAcked = max(s.largestAcked, u.size)
	if u.frame > s.stuck.latest {
		s.stuck.others++
	}
}

// tripsAtOnce is how many round trips make a window.
const tripsAtOnce = 32

// A tripWindow is the shortest of some round trips in a row.
type tripWindow struct {
	n     int
	least int64
	first sign
}

// trip enters a round trip; whole windows are compared with the first.
func (s *signs) trip(ns int64, frame uint64, time int64) {
	w := &s.trips
	if w.n == 0 {
		w.least, w.first = ns, sign{1, frame, time}
	}
	w.n++
	w.least = min(w.least, ns)
	if w.n < tripsAtOnce {
		return
	}
	if s.firstTrip == 0 {
		s.firstTrip = max(w.least, 1)
	} else if both := min(w.least, s.lastTrip); both > s.slowTrip {
		s.slowTrip, s.slowAt = both, w.first
	}
	s.lastTrip = w.least
	w.n = 0
}
