package seq

import "math"

// HistoryLimit is how many numbers a Window remembers where a protocol says
// nothing else. It covers the window of the protocol and what may still arrive
// late behind it.
const HistoryLimit = 128

// Limits say what is remembered of the numbers of one side.
type Limits struct {
	History   Num // numbers at most, at least HistoryLimit
	Reach     Num // how far from the others a number may be that is believed at once, 0 for any (Direction.Place)
	AckExcess Num // how far ahead of what was captured an acknowledgement may be, see MaxAckExcess

	Keep     int64 // ns for which a number is remembered while there is room …
	Answered int64 // … and one that was acknowledged, 0 for as long
	UnitKeep int64 // ns for which a carried unit is remembered behind its last sending
	Past     Num   // numbers of which, when they are forgotten, it is known whether they were acknowledged
	Step     Num   // how far ahead of a provisional number another may be that confirms it, at least 16
	Wide     bool  // numbers have so many bits that one that is damaged leads far

	// What acknowledgements of this kind can't prove: nothing is said of it.
	NoBefore, NoAfter bool
}

// unit is what a Window remembers of one number. There are hundreds of each connection: it takes 40 bytes.
type unit struct {
	state     unitState
	copies    uint8  // captured transmissions and copies, saturating
	sends     uint8  // captured transmissions, saturating
	part      uint8  // of its frame
	load      uint8  // how many units in a row it is the first to carry …
	size      uint16 // of the payload, by the UDP header
	ipid      uint16 // of the first sending, or of what was captured first
	loaded    uint16 // … from this one on: low bits of its number
	frameHigh uint16 // upper and lower bits of the first captured copy: 48 are enough for any capture
	frameLow  uint32
	digest    uint32 `state:"digest"` // of the first sending, RETRY clear
	time      int64
	ackTime   int64 // of its acknowledgement, valid with ackTimed; until then of the latest report that it is missing, valid with reported
}

// frame is the first captured copy.
func (u *unit) frame() uint64 { return uint64(u.frameHigh)<<32 | uint64(u.frameLow) }

func (u *unit) setFrame(frame uint64) { u.frameHigh, u.frameLow = uint16(frame>>32), uint32(frame) }

func (u *unit) position() Position { return Position{Frame: u.frame(), Part: u.part} }

// noteCopy notes when a copy of the first sending came, or that after a retry.
func (w *Window) noteCopy(s *Sending, u *unit) {
	if !s.HasTime {
		return
	}
	x := w.lastCopy.At(s.Num)
	if x == nil {
		x = w.lastCopy.Put(s.Num, w.holds)
	}
	*x = uint32(min((s.Time-u.time)/1e3, math.MaxUint32))
}

// latest is when the latest copy of the first sending came, or that itself, ns.
func (w *Window) latest(n Num, u *unit) int64 {
	if x := w.lastCopy.At(n); x != nil {
		return u.time + int64(*x)*1e3
	}
	return u.time
}

// missingFor is for how long the peer has reported a captured number missing, ns.
func (u *unit) missingFor() int64 { return u.ackTime - u.time }

type unitState uint16

const (
	captured     unitState = 1 << iota // some copy was captured
	firstSending                       // the first sending was captured, not only retries
	retried                            // a retry was captured
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
	carries                            // units that keep their numbers when they are sent again (SendUnit)
	carriesAgain                       // … some of which were sent before
)

// A Window holds the numbers one side sends: which were captured, how often,
// and what the other side said of them. Numbers are unwrapped.
type Window struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	units     sparse[unit]
	base      Num   // lowest remembered number
	top       Num   // one above the highest remembered number
	highest   Num   // highest captured
	cum       Num   // highest cumulative acknowledgement: all below it are acknowledged
	oldest    Num   // no number below is in flight
	now       int64 // of the latest sending, ns
	started   bool
	hasCum    bool
	hasOrigin bool   // origin is valid
	gone      bool   // floor is valid
	lowMemory bool   // Config.LowMemory
	lowest    Num    // lowest captured
	sent      Num    // number of the latest sending
	sentIn    uint64 // its frame, 0 before the first
	floor     Num    // numbers below were forgotten
	mask      uint64 // latest selective acknowledgement: bit i is maskBase+i
	maskTop   Num    // highest number any mask acknowledged
	maskBase  Num
	waiting   []waitingCopy // copies captured after their number was acknowledged
	extra     map[Num][]Position
	lastCopy  Few[uint32] // µs from the first captured transmission to the latest copy, of numbers of which one came
	limits    Limits
	past      past // of numbers below base

	origin Num // first sending captured first: what lies below was sent before the capture began
}

// A waitingCopy is a copy of an acknowledged number that no later frame has
// acknowledged yet.
type waitingCopy struct {
	num Num
	at  Position
}

// maxWaiting bounds the copies that wait for an acknowledgement of their own.
const maxWaiting = 64

// Highest is the highest captured number.
func (w *Window) Highest() (Num, bool) { return w.highest, w.started }

// Lowest is the lowest number captured, valid when Highest is.
func (w *Window) Lowest() Num { return w.lowest }

// Latest is the number that was sent last, and the frame that sent it; 0 before any was.
func (w *Window) Latest() (num Num, frame uint64) { return w.sent, w.sentIn }

// Bounds are the lowest and the highest number captured, 0 when none was.
func (w *Window) Bounds() (low, high Num) { return w.lowest, w.highest }

// Cumulative is the highest cumulative acknowledgement seen.
func (w *Window) Cumulative() (Num, bool) { return w.cum, w.hasCum }

// at gives a remembered number to write on.
func (w *Window) at(n Num) *unit {
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
func (w *Window) see(n Num) *unit {
	if u := w.units.find(n); u != nil {
		return u
	}
	return &blankUnit
}

// next is the first number from one on, and below end, of which something was heard.
func (w *Window) next(n, end Num) Num { return w.units.next(n, end) }

// blankUnit is what is known of a number that was skipped so far. Nobody writes on it.
var blankUnit unit

func (w *Window) holds(n Num) bool { return n >= w.base && n < w.top }
