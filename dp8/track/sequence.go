package track

import (
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A sequenceState is what the rules of sequence and acknowledgement remember of one side.
type sequenceState struct {
	// What it sends.
	started    bool
	high       int64   // highest number sent for the first time, outliers left out
	seen       int64   // highest captured, outliers left out
	jump       jump    // the latest step over numbers
	outlier    int64   // number of a frame that was out of place, valid with hasOutlier
	hasOutlier bool    //
	over       overrun // frames beyond the window
	drops      uint64  // latest send mask that was judged: bit i is dropBase-1-i
	dropsAt    int64
	begun      bool // the start of its numbers was judged
	start      beginning

	// What it acknowledges.
	unseen   bool // what it acknowledges first was not captured
	answered bool // some acknowledgement was captured
	bare     bool // an acknowledgement could not be read
	queue    [8]told
	queued   int
	mask     latestMask
	claims   conform.Pending[claim]
	idle     bool // all it had sent was acknowledged
	beyond   bool // it acknowledges more than was captured since the other side was
	outran   int  // acknowledgements in a row far beyond what was captured
	odd      bool // its masks name what was not sent: they may mean something else
	bases    baseCount
	stuck    int64 // number it was last found not to pass, valid with isStuck
	isStuck  bool

	stale   staleWatch
	watch   retryWatch
	alone   unmasked
	duty    duty
	stall   stall
	samples samples

	maskedAt int64 // time of its latest SACK mask
	plain    int   // frames in a row without one
}

// A jump is a step over numbers that were not captured: either the capture or the
// network lost them, or the frame behind the step is out of place.
type jump struct {
	set   bool
	num   int64 // the frame behind the step
	next  int64 // where numbers go on if that is out of place
	cum   int64 // what was acknowledged then
	known bool  // cum is valid
	frame uint64
	time  int64
	after int // first sendings behind num
}

// A prior is what was known of a number before the frame at hand.
type prior struct {
	look    seq.Look
	known   bool
	horizon int64
}

// remembered is what is known for certain of a number of a side, or nil. A clock that
// shows no more than seconds does not tell how many numbers went by from one to the next
// (guard CLOCK).
func (c sequenceJudge) remembered(dir int, num int64) *sentFrame {
	f := c.side[dir].history.at(num)
	if f == nil || !f.timed || f.time < c.trusted || c.grain >= 1e9 && c.fr != nil && c.fr.Time > f.time {
		return nil
	}
	return f
}

// cumulative is what was captured of acknowledgements of a side's numbers.
func (c sequenceJudge) cumulative(dir int) (next int64, ok bool) {
	if next, ok = c.c.Dir[dir].Window().Cumulative(); !ok && c.c.Complete {
		return 0, true
	}
	return next, ok
}

// A stamp tells when, in the order of its side, a frame with an acknowledgement was
// sent: a data frame at its number, a SACK before its bNSeq and at its tick, a
// retry at no known place.
type stamp struct {
	data, retry bool
	num         int64 // own number, or bNSeq
	tick        uint32
	frame       uint64
	time        int64
}

// set copies a stamp field by field: all at once would wait for the narrow stores
// that have just made it.
func (x *stamp) set(y *stamp) {
	x.data, x.retry, x.num, x.tick, x.frame, x.time = y.data, y.retry, y.num, y.tick, y.frame, y.time
}

// A told is what a frame said of bNRcv.
type told struct {
	stamp
	next int64
}

// A latestMask is the latest SACK mask of a side: bit i is next+1+i.
type latestMask struct {
	stamp
	known bool
	next  int64
	bits  uint64
}

// A saying is what the frame at hand says of the other side's numbers.
type saying struct {
	next  int64
	mask  uint64
	ahead bool
	drops uint64 // of its own
}

// A baseCount tells how the masks of a side can be read.
type baseCount struct {
	n, beyond int // masks with a new highest bit; of them, those that name the number behind the highest sent
	top       int64
	masks     int   // all of them
	waits     int   // different bNRcv
	next      int64 // the latest
	since     int64 // when it was first captured with a mask
	against   int   // signs that bNRcv + 1 had arrived although the masks do not name it
	resent    bool  // one of them was that it was sent again and again, for this bNRcv
	bit0      bool  // some mask names bNRcv + 1
	told      bool
}

// A claim is an acknowledgement of numbers that were not captured. Most show what
// the capture missed; one is proven false when such a number is sent for the first
// time later, when the other side's bNSeq says so, or when the side takes it back.
type claim struct {
	stamp
	from, next int64  // numbers it acknowledges cumulatively
	mask       uint64 // … and selectively: bit i is next+1+i
	high       int64  // highest number captured then
	opening    bool   // first acknowledgement of the side
	hole       bool   // the numbers lie below the highest captured
	denied     uint64 // a SACK of the other side by which none of it was sent yet
	deniedTo   int64  // its bNSeq
}

// An unmasked is an unreliable number that the other side waits for.
type unmasked struct {
	num     int64
	frame   uint64
	since   int64 // when it was sent
	told    int64 // time of the latest report that it is missing
	frames  int   // of its side behind maskDue, without a mask that names it
	waiting bool
	judged  bool
}

// An overrun are frames beyond the window, one for each acknowledgement in a row
// that they were beyond: one may have been missed, many in a row were not (guard
// ODDS).
type overrun struct {
	n      int
	judged int // of them, from the first
	list   []over

	fast    int   // frames beyond the window, sent sooner than any acknowledgement can have come
	fastCum int64 // what was acknowledged then
}

type over struct {
	num, cum int64
	frame    uint64
	time     int64
	later    int   // acknowledgements sent later that still do not allow it
	laterAt  int64 // when the latest of them was captured
	done     bool  // judged
}

// A beginning is the first number captured of a side, when that is not 0.
type beginning struct {
	num     int64
	frame   uint64
	time    int64
	reports int   // acknowledgements that say that 0 never came
	last    int64 // time of the latest
}
