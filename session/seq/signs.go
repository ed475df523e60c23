package seq

// Signs is what the frames of one side tell of the capture and the network.
type Signs struct {
	LargestAcked uint16 // payload
	MostUnneeded uint8  // most sendings of a number that had been acknowledged
	LatestAcked  int64  // time of the latest number that was acknowledged
	Stuck        StuckUnit
	trips        tripWindow

	Uncaptured Sign // numbers acknowledged that were not captured
	AsRetry    Sign // numbers first captured as a retry
	Late       Sign // first sendings captured behind a later number
	Copies     Sign // copies made by the network or the capture
	Unneeded   Sign // retries of what had been acknowledged
	Changed    Sign // of what has no mark, with other bytes than the first transmission of their number
	odd        *OddSigns
	Holes      Sign // runs of numbers passed over

	LateBy      int64  // by how much Late came behind, at most, ns
	LongestHole Num    // run of numbers passed over
	PassedOver  uint64 // numbers in such runs
	Soon        uint64 // of these, numbers that came so soon behind later ones that they may be first sendings, though nothing proves it
	FirstTrip   int64  // shortest of the first window
	SlowTrip    int64  // shortest of the slowest two windows in a row since
	SlowAt      Sign
	lastTrip    int64 // shortest of the window before
}

// OddSigns are of datagrams that the capture, or the host it was made on, changed.
type OddSigns struct {
	Cut      Sign // by the capture
	BadSum   Sign
	Oversize Sign // longer than the link carries
	Apart    Sign // packets that stood for several datagrams
	Parts    Sign // these datagrams
}

// Odd gives the signs of datagrams that were changed.
func (s *Signs) Odd() (odd OddSigns) {
	if s.odd != nil {
		odd = *s.odd
	}
	return odd
}

// seesOdd gives the place of these signs, where there is one to be noted.
func (s *Signs) seesOdd() *OddSigns {
	if s.odd == nil {
		s.odd = new(OddSigns)
	}
	return s.odd
}

// Losses is what speaks for losses that nothing proves, and for units that never arrive.
type Losses struct {
	Unacked Sign      // numbers that nothing acknowledged though later ones were
	Needed  Sign      // numbers acknowledged only by their retry: no sooner than a round trip behind it
	Longest uint64    // run of numbers among these
	Starved StuckUnit // the carried unit sent most often without an acknowledgement; its time is that of the first sending

	last [2]Num // the latest of the numbers that are in a row, from … to …
	run  uint64 // … and how many these are
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

func (s *Signs) hole(size Num, frame uint64, time int64) {
	s.Holes.See(frame, time)
	s.LongestHole = max(s.LongestHole, size)
	s.PassedOver += uint64(size)
}

// A StuckUnit is the largest unit that is sent again and again without being
// acknowledged.
type StuckUnit struct {
	Num    Num
	Size   uint16
	Sends  uint8
	Frame  uint64 // of its first sending
	Time   int64
	Latest int64 // time of its latest sending, where that is known
	Others int   // first acknowledgements of units sent after it
}

// stubborn looks at a retry of what was not acknowledged.
func (s *Signs) stubborn(x *Sending, u *unit) {
	if u.sends >= s.Stuck.Sends && u.size >= s.Stuck.Size || x.Num == s.Stuck.Num {
		others := 0
		if x.Num == s.Stuck.Num {
			others = s.Stuck.Others
		}
		s.Stuck = StuckUnit{Num: x.Num, Size: u.size, Sends: u.sends, Frame: u.frame(), Time: u.time, Latest: x.Time, Others: others}
	}
}

// stillStubborn looks at a retry of what was not acknowledged while it was remembered.
func (s *Signs) stillStubborn(x *Sending) {
	if u := &s.Stuck; u.Sends > 0 && u.Num == x.Num {
		u.Sends += min(1, 255-u.Sends)
		u.Latest = x.Time
	}
}

// acked looks at a unit that is acknowledged for the first time.
func (s *Signs) acked(u *unit) {
	s.LargestAcked, s.LatestAcked = max(s.LargestAcked, u.size), max(s.LatestAcked, u.time)
	if s.Stuck.Sends > 0 && u.frame() > s.Stuck.Frame {
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
}

// trip enters a round trip; whole windows are compared with the first.
func (s *Signs) trip(ns int64, frame uint64, time int64) {
	w := &s.trips
	if w.n == 0 {
		w.least, w.first = ns, Sign{1, frame, time}
	}
	w.n++
	w.least = min(w.least, ns)
	if w.n < tripsAtOnce {
		return
	}
	if s.FirstTrip == 0 {
		s.FirstTrip = max(w.least, 1)
	} else if both := min(w.least, s.lastTrip); both > s.SlowTrip {
		s.SlowTrip, s.SlowAt = both, w.first
	}
	s.lastTrip = w.least
	w.n = 0
}

// lose enters a number that was most likely lost.
func (s *Losses) lose(kind *Sign, n Num, u *unit) {
	kind.See(u.frame(), u.time)
	switch {
	case s.run > 0 && n == s.last[1]+1:
		s.last[1]++
		s.run++
	case s.run > 0 && n == s.last[0]-1: // retries are acknowledged in any order
		s.last[0]--
		s.run++
	default:
		s.last, s.run = [2]Num{n, n}, 1
	}
	s.Longest = max(s.Longest, s.run)
}

// starve looks at a carried unit that is sent again at a time, none of whose carriers was
// acknowledged.
func (s *Losses) starve(num Num, u *carried, at int64) {
	switch x := &s.Starved; {
	case x.Num == num && x.Sends > 0:
		x.Sends, x.Latest = u.sends+1, at
	case x.Sends <= u.sends:
		*x = StuckUnit{Num: num, Sends: u.sends + 1, Frame: u.frame, Time: u.time, Latest: at}
	}
}
