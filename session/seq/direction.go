package seq

import "github.com/dpdissect/dpdissect/dissect"

// A Direction is what one side of a connection sends. The exported counters
// are those of the analysis record; what they count is said in docs/analysis.md.
type Direction struct {
	Frames, Bytes      uint64
	DataFrames, Acks   uint64
	Retries            uint64
	UnneededRetries    uint64
	Duplicates         uint64
	OutOfOrder, Gaps   uint64
	Messages           uint64
	MessageBytes       uint64
	IncompleteMessages uint64
	KeepAlives         uint64

	Signatures    Signatures
	HasSignatures bool
	Dialect       string // when the sides differ

	*work                // nil before the first frame and once it is closed
	peer      *Direction // what the other side sends
	delivered uint64     // messages handed to the sink

	byMaskOnly  uint64 // numbers not captured that only a mask acknowledged
	notCaptured uint64
	lostBefore  uint64
	voided      uint64
	verified    bool // the checksum of one of its datagrams was right
	noBefore    bool // Limits
	noAfter     bool
	distrusted  bool // the peer's masks prove no losses
	heard       bool // acknowledgements were captured; once it is closed
	offloaded   bool // what seems missing may be in datagrams that stood for several
	over        bool // it is closed: end is what came of it

	end outcome
}

// work is what a Direction needs only while it is open.
type work struct {
	win    Window
	units  units
	recent recentDatagrams
	signs  Signs
	paths  paths
	losses lateLosses

	ahead aheadCount // acknowledgements before what they acknowledge

	provisional []ProvisionalFrame // oldest first
	refuted     []ProvisionalFrame // not told yet
	confirmed   int                // place in provisional of what is confirmed, plus 1

	rtt       rtts
	pings     rtts
	distinct  uint64 // numbers captured
	firstAcks uint64

	links     bool           // links between frames are wanted
	settled   func(Settled)  // not nil when wanted
	never     func(Position) // told of frames that were never acknowledged
	minRTT    int64
	hasRTT    bool
	accepts   bool  // the peer acknowledged something
	acceptsAt int64 // when that was first captured
	opened    int64 // time of the connection's first frame
	late      int64 // the longest a frame was overtaken by
	interval  int64 // shortest proven time to the second sending of a number, ns, 0 for none

	softGap, firmGap     bool // see noteGap
	softGapAt, firmGapAt int64

	contradictions uint8 // numbers the peer's masks acknowledged too early
	long           longFrame

	beat beat // latest round trips
	echo beat // latest pings
}

// Signatures counts the signatures of one side by verdict.
type Signatures struct{ Valid, Invalid, Unverifiable uint64 }

// Lost is what in-band evidence proves lost: never more than was.
type Lost struct {
	BeforeCapture uint64
	AfterCapture  uint64
	NotCaptured   uint64
}

// Lost gives the proven losses. A loss before the capture point is claimed only
// while nothing shows that the capture itself lost frames: both
// look alike from here.
func (d *Direction) Lost() Lost {
	l := d.lost()
	if d.offloaded {
		l.NotCaptured = 0
	}
	return l
}

func (d *Direction) lost() Lost {
	if d.distrusted {
		return Lost{NotCaptured: d.notCaptured} // reports of gaps come from masks
	}
	l := Lost{AfterCapture: d.end.lostBehind, NotCaptured: d.notCaptured + d.byMaskOnly}
	if d.IsOpen() {
		l.AfterCapture += d.losses.proven()
	}
	if d.noAfter {
		l.AfterCapture = 0
	}
	if !d.noBefore && !d.offloaded && l.NotCaptured == 0 && (d.peer == nil || d.peer.notCaptured == 0) {
		l.BeforeCapture = d.lostBefore
	}
	return l
}

// ProvesLoss reports whether losses before and behind the capture point can be
// told at all: acknowledgements were captured, and they are of a kind that can
// prove them.
func (d *Direction) ProvesLoss() (before, after, captured bool) {
	heard := d.heard || d.IsOpen() && d.acknowledged() || d.Lost() != Lost{}
	return heard && !d.noBefore && !d.offloaded, heard && !d.noAfter, heard && !d.offloaded
}

// acknowledged reports whether an acknowledgement of what this side sends was
// captured.
func (w *work) acknowledged() bool { return w.win.hasCum || w.firstAcks > 0 || w.hasRTT }

// Missing is how many numbers between the lowest and the highest captured were
// never captured, as far as that can be told.
func (d *Direction) Missing() uint64 {
	if !d.IsOpen() {
		return d.end.missing
	}
	if !d.win.started || d.offloaded {
		return 0
	}
	if span := uint64(d.win.highest - d.win.lowest + 1); span > d.distinct {
		return span - d.distinct
	}
	return 0
}

// Offloaded reports that datagrams of the side were longer than its link carries and
// could not be taken apart: numbers that seem missing may be in them.
func (d *Direction) Offloaded() bool { return d.offloaded }

// RTT summarises the time between this side's frames and their acknowledgement.
func (d *Direction) RTT() RTT {
	if !d.IsOpen() {
		return d.end.rtt
	}
	return d.rtt.summary()
}

// Pinged enters the time, in nanoseconds, between a ping of this side and the
// reply that names it, for protocols whose acknowledgements wait for others.
func (d *Direction) Pinged(ns int64) {
	if ns >= 0 {
		d.ready()
		d.pings.add(ns)
	}
}

// PingRTT summarises the times of Pinged.
func (d *Direction) PingRTT() RTT {
	if !d.IsOpen() {
		return d.end.pings
	}
	return d.pings.summary()
}

// MinRTT is the shortest round trip seen so far, in nanoseconds, 0 when none.
func (d *Direction) MinRTT() int64 {
	if !d.IsOpen() {
		return d.end.minRTT
	}
	return d.minRTT
}

// Begin tells that the side's numbers start with n and that the capture began
// before: what is missing from there on was lost.
func (d *Direction) Begin(n int64) {
	d.ready()
	if w := &d.win; !w.begun {
		w.origin, w.begun = n, true
	}
}

// Passed tells, before a number of this side was captured, that its peer had
// acknowledged all below next.
func (d *Direction) Passed(next int64) {
	d.ready()
	if w := &d.win; !w.started {
		w.cum, w.hasCum, d.ahead.before = next, true, next
	}
}

// Window is what is remembered of this side's numbers, to be read only; nothing once
// it is closed.
func (d *Direction) Window() *Window {
	if d.over {
		return new(Window)
	}
	d.ready()
	return &d.win
}

// CountMessage is Deliver where nothing but the counters matters.
func (d *Direction) CountMessage(complete bool, size int) {
	if complete {
		d.Messages++
		d.MessageBytes += uint64(size)
	} else {
		d.IncompleteMessages++
	}
}

// Distinct is how many numbers were captured.
func (d *Direction) Distinct() uint64 {
	d.ready()
	return d.distinct
}

// Uncaptured is how many numbers were acknowledged and never captured, as far as that is
// concluded yet.
func (d *Direction) Uncaptured() uint64 { return d.notCaptured + d.byMaskOnly }

// Overtaken is the longest time, in ns, by which a first sending was captured behind a
// later one.
func (d *Direction) Overtaken() int64 {
	d.ready()
	return d.late
}

// HasRTT reports whether MinRTT is known.
func (d *Direction) HasRTT() bool { return d.IsOpen() && d.hasRTT }

// RoundTrips is how many round trips RTT summarises so far.
func (d *Direction) RoundTrips() uint64 {
	d.ready()
	return uint64(d.rtt.n)
}

// Delivered gives the index of the next message handed on, from 0.
func (d *Direction) Delivered() uint64 {
	d.delivered++
	return d.delivered - 1
}

// Damaged reports a datagram that was damaged on its way: its checksum is wrong
// while others of its side are right. The receiver never saw it, so it is counted
// and touches no state (CAP-SUM). Where all checksums are wrong, the capture was
// edited.
func (d *Direction) Damaged(g *dissect.Datagram) bool {
	if !g.BadChecksum {
		d.verified = d.verified || g.Sum != 0
		return false
	}
	return d.verified
}
