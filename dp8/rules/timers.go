package rules

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// maxRetryTimes is how many sendings of one number are kept.
const maxRetryTimes = 12

// A retrySeries are the sendings of one number.
type retrySeries struct {
	num    seq.Num
	n      int // retries captured
	last   int64
	begun  int64 // time of the first sending, 0 when it was not captured
	tenth  int64 // time of the last allowed retry
	told   bool
	passed int // intervals kept
	gaps   [maxRetryTimes]int64
}

// retriedAtOnce bounds the numbers of a side that are followed while they are retried.
const retriedAtOnce = 4

// A retryWatch follows the numbers of a side that are retried, the latest few.
type retryWatch struct {
	series []retrySeries // nil until a number is retried
	next   int
	tenths bool // some number was retried as often as allowed
	early  int  // first retries in a row that came before an answer could
	full   int  // first retries in a row with a full window
	fullAt int64
	sparse bool // the latter was told
}

// A stall is a number that the other side waits for.
type stall struct {
	set, judged, retried bool
	keepAlive            bool
	unreliable           bool // the number is of a frame that need not be sent again: nothing else is valid
	num                  seq.Num
	frame                uint64
	since                int64 // when it was sent
	reports              int
	reported             int64 // time of the latest report
	frames               uint64
}

// A duty is a number whose acknowledgement is waited for, and how the ones before it
// were answered.
type duty struct {
	open, poll bool
	num        seq.Num
	at         int64
	frame      uint64
	run        int            // POLLs in a row that were answered late
	others     conform.Sample // other numbers, bad when answered late
	polls      conform.Sample // POLLs, bad when answered late
}

// Samples of one side: what it is waited for, and how it reacted before.
type samples struct {
	gapNum seq.Num // a frame behind a gap, waiting to be named in a mask
	gapAt  int64   // 0 when none waits
	again  int64   // when a retry of an acknowledged number was captured, 0 when none waits

	unnamed   bool // it was to be named, and was not
	queued    conform.Sample
	gaps      conform.Sample
	repeats   conform.Sample
	fast      conform.Sample
	missing   seq.Num // the number a mask reported missing
	missingAt int64
}

// A timerState looks at what a connection does at its start and in pauses.
type timerState struct {
	alive    [2]int // KeepAlives captured, retries left out
	due      bool   // a pause was too long; it is not judged yet
	fits     [2]bool
	lastTick uint32 // of the latest CONNECT
	pause    int64
	next     [2]seq.Num // numbers that follow the pause when nothing was sent in it
	woken    uint64     // the frame behind the pause
	wokenAt  int64
	sleeper  dissect.Dir
	opening  [2]burst
	connects int   // CONNECTs, copies left out
	lastTry  int64 // time of the latest
}

// A burst are the first numbers of a side.
type burst struct {
	frame uint64
	time  int64
	took  int64 // from number 1, behind the KeepAlive
}
