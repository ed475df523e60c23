package seq

// Signs is what the frames of one side tell of the capture and the network.
type Signs struct {
	Uncaptured Sign // numbers acknowledged that were not captured
	AsRetry    Sign // numbers first captured as a retry
	Late       Sign // first sendings captured behind a later number
	Copies     Sign // copies made by the network or the capture
	Unneeded   Sign // retries of what had been acknowledged
	Cut        Sign // by the capture
	BadSum     Sign
	Oversize   Sign // longer than the link carries
	Apart      Sign // packets that stood for several datagrams
	Parts      Sign // these datagrams
	Holes      Sign // runs of numbers passed over

	LateBy       int64  // by how much Late came behind, at most, ns
	LongestHole  int64  // run of numbers passed over
	PassedOver   uint64 // numbers in such runs
	LargestAcked uint16 // payload
	Stuck        StuckUnit
	MostUnneeded uint8 // most sendings of a number that had been acknowledged

	trips     tripWindow
	FirstTrip int64 // shortest of the first window
	SlowTrip  int64 // shortest of the slowest two windows in a row since
	SlowAt    Sign
	FirstRate float64 // bytes a second that the side sent in the first window …
	SlowRate  float64 // … and in the slowest
	Recovered bool    // a later window took less than half of SlowTrip
	lastTrip  int64   // shortest of the window before
}

// A Sign counts something and keeps the first frame that shows it.
type Sign struct {
	N, Frame uint64
	Time     int64 // of the frame, 0 when it has none
}

// SignAt is a sign seen once.
func SignAt(frame uint64, time int64) Sign { return Sign{1, frame, time} }

// See counts one more.
func (s *Sign) See(frame uint64, time int64) {
	if s.N++; s.N == 1 {
		s.Frame, s.Time = frame, time
	}
}

func (s *Signs) hole(size int64, frame uint64, time int64) {
	s.Holes.See(frame, time)
	s.LongestHole = max(s.LongestHole, size)
	s.PassedOver += uint64(size)
}

// A StuckUnit is the largest unit that is sent again and again without being
// acknowledged.
type StuckUnit struct {
	Num    int64
	Size   uint16
	Sends  uint8
	Frame  uint64 // of its first sending
	Time   int64
	latest uint64
	Others int // first acknowledgements of units sent after its latest sending
}

// stubborn looks at a retry of what was not acknowledged.
func (s *Signs) stubborn(x *Sending, u *unit) {
	if u.sends >= s.Stuck.Sends && u.size >= s.Stuck.Size || x.Num == s.Stuck.Num {
		s.Stuck = StuckUnit{Num: x.Num, Size: u.size, Sends: u.sends, Frame: u.frame, Time: u.time, latest: x.Frame}
	}
}

// acked looks at a unit that is acknowledged for the first time.
func (s *Signs) acked(u *unit) {
	s.LargestAcked = max(s.LargestAcked, u.size)
	if u.frame > s.Stuck.latest {
		s.Stuck.Others++
	}
}

// tripsAtOnce is how many round trips make a window.
const tripsAtOnce = 32

// A tripWindow is the shortest of some round trips in a row.
type tripWindow struct {
	n     int
	least int64
	first Sign
	bytes uint64 // that the side had sent when it began
}

// rate is in bytes a second.
func (w *tripWindow) rate(time int64, bytes uint64) float64 {
	return float64(bytes-w.bytes) * 1e9 / float64(max(time-w.first.Time, 1))
}

// trip enters a round trip; whole windows are compared with the first. bytes is what the
// side has sent so far.
func (s *Signs) trip(ns int64, frame uint64, time int64, bytes uint64) {
	w := &s.trips
	if w.n == 0 {
		w.least, w.first, w.bytes = ns, Sign{1, frame, time}, bytes
	}
	w.n++
	w.least = min(w.least, ns)
	if w.n < tripsAtOnce {
		return
	}
	if s.FirstTrip == 0 {
		s.FirstTrip, s.FirstRate = max(w.least, 1), w.rate(time, bytes)
	} else if both := min(w.least, s.lastTrip); both > s.SlowTrip {
		s.SlowTrip, s.SlowAt, s.SlowRate, s.Recovered = both, w.first, w.rate(time, bytes), false
	} else if w.least < s.SlowTrip/2 {
		s.Recovered = true
	}
	s.lastTrip = w.least
	w.n = 0
}
