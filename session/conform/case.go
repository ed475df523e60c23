package conform

import "github.com/dpdissect/dpdissect/dissect"

// A Case is something that looks broken.
type Case struct {
	Rule    int
	Dir     dissect.Dir // the side at fault
	Frame   uint64      // the offending frame
	Time    int64
	HasTime bool
	Milder  bool     // one step less severe: part of it was concluded, not seen
	AtMost  Severity // the severity it has at most; Error, the zero value, limits nothing
	Blocked Guard    // a guard of the caller's own that is not satisfied
	Proof   []uint64 // the other frames that prove it; the offending one is added
	Message string
	Since   int64 // begin of the window that must be free of capture gaps, ns; 0 is the whole connection
}

// A Ruling is how a held case ends.
type Ruling uint8

const (
	Failed   Ruling = iota // nothing explained it
	Passed                 // it was explained: nothing was broken
	Dropped                // there was no opportunity after all
	Doubtful               // a guard is not satisfied
)
