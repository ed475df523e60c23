package rules

import (
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A sequenceState is what the rules of sequence and acknowledgement remember of one side.
type sequenceState struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	idle    bool    // all it had sent was acknowledged
	odd     bool    // its masks name what was not sent: they may mean something else
	begun   bool    // the start of its numbers was judged
	isNamed bool    // a SACK mask names its next number: named is valid
	plain   int     // frames in a row without a SACK mask
	over    overrun // frames beyond the window
	start   beginning
	alone   unmasked
	duty    duty
	mask    latestMask
	drops   uint64 // latest send mask that was judged: bit i is dropBase-1-i
	dropsAt seq.Num
	stall   stall
	bases   baseCount
	samples samples

	bare    bool    // an acknowledgement could not be read
	stuck   seq.Num // number it was last found not to pass, valid with isStuck
	isStuck bool
	spared  spared

	stale staleWatch
	watch retryWatch
	named named

	maskedAt int64 // time of its latest SACK mask
}

// A spared number is the one that a side waits for, and the frames after it that do not give it up, as a
// SACK mask names them.
type spared struct {
	next seq.Num
	bits uint64
}

// A latestMask is the latest SACK mask of a side: bit i is next+1+i.
type latestMask struct {
	track.Stamp
	known bool
	next  seq.Num
	bits  uint64
}

// A baseCount tells how the masks of a side can be read.
type baseCount struct {
	top       seq.Num
	n, beyond int  // masks with a new highest bit; of them, those that name the number behind the highest sent
	resent    bool // one of them was that it was sent again and again, for this bNRcv
	bit0      bool // some mask names bNRcv + 1
	told      bool

	masks   int     // all of them
	waits   int     // different bNRcv
	next1   int     // … of which the mask names the second number behind
	next    seq.Num // the latest
	since   int64   // when it was first captured with a mask
	against int     // signs that bNRcv + 1 had arrived although the masks do not name it
	unsent  int     // masks that name a number which was first sent later
}

// A named number is the next one of a side, which a SACK mask of the other side names before it is captured.
type named struct {
	num   seq.Num
	frame uint64 // of the mask
	at    int64  // … and its time
}

// An unmasked is an unreliable number that the other side waits for.
type unmasked struct {
	waiting bool
	judged  bool

	num    seq.Num
	frame  uint64
	sent   int64 // when it was
	since  int64 // when the other side was first seen to wait for it
	told   int64 // time of the latest report that it is missing
	frames int   // of its side behind maskDue, without a mask that names it
}

// An overrun are frames beyond the window, one for each acknowledgement in a row
// that they were beyond: one may have been missed, many in a row were not (guard
// ODDS).
type overrun struct {
	n      int
	judged int // of them, from the first
	list   []over

	fast    int     // frames beyond the window, sent sooner than any acknowledgement can have come
	fastCum seq.Num // what was acknowledged then
}

type over struct {
	num, cum seq.Num
	frame    uint64
	time     int64
	later    int   // acknowledgements sent later that still do not allow it
	laterAt  int64 // when the latest of them was captured
	done     bool  // judged
}

// A beginning is the first number captured of a side, when that is not 0.
type beginning struct {
	num     seq.Num
	frame   uint64
	time    int64
	reports int   // acknowledgements that say that 0 never came
	last    int64 // time of the latest
}
