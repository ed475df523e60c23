package session

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
	signs  signs
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

// An outcome is what stays of work once a Direction is closed.
type outcome struct {
	missing    uint64
	lostBehind uint64 // what losses had proven
	minRTT     int64
	rtt, pings RTT
}

// open reports whether there is something to conclude from: a frame came, and the side
// is not closed.
func (d *Direction) open() bool { return d.work != nil && !d.over }

// ready gives the zero value what it needs. What comes behind the end changes nothing
// that is reported.
func (d *Direction) ready() {
	if d.work == nil {
		d.work = new(work)
	}
}

// lowMemory makes that less is remembered (Config.LowMemory).
func (d *Direction) lowMemory() {
	d.win.lowMemory, d.rtt.lowMemory, d.pings.lowMemory = true, true, true
	d.recent.lowMemory, d.units.lowMemory = true, true
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
	if d.open() {
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
	heard := d.heard || d.open() && d.acknowledged() || d.Lost() != Lost{}
	return heard && !d.noBefore && !d.offloaded, heard && !d.noAfter, heard && !d.offloaded
}

// acknowledged reports whether an acknowledgement of what this side sends was
// captured.
func (w *work) acknowledged() bool { return w.win.hasCum || w.firstAcks > 0 || w.hasRTT }

// Missing is how many numbers between the lowest and the highest captured were
// never captured, as far as that can be told.
func (d *Direction) Missing() uint64 {
	if !d.open() {
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
	if !d.open() {
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
	if !d.open() {
		return d.end.pings
	}
	return d.pings.summary()
}

// MinRTT is the shortest round trip seen so far, in nanoseconds, 0 when none.
func (d *Direction) MinRTT() int64 {
	if !d.open() {
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

// settle draws the conclusions about a number that is about to be forgotten.
func (d settling) settle(n int64, u *unit, w *Window) {
	const sample = captured | acked | ackTimed | timed
	if u.state&sample == sample && u.state&(again|givenUp) == 0 && u.ackTime >= u.time {
		d.rtt.add(u.ackTime - u.time)
	}
	if d.links && u.state&(captured|acked) == captured {
		d.never(u.position())
		for _, f := range w.extra[n] {
			d.never(f)
		}
	}
	inside := w.begun && n >= max(w.origin, w.lowest) && n <= w.highest
	if inside {
		d.paths.settle(u.state&(captured|acked|givenUp|hearsay) == acked)
	}
	x := Settled{Num: n, Frame: u.frame}
	switch {
	case u.state&captured == 0 && u.state&(acked|givenUp|hearsay) == acked && inside:
		x.NotCaptured, x.Masked = true, u.state&byMask != 0
		if x.Masked {
			d.byMaskOnly++
		} else {
			d.notCaptured++
		}
	case u.state&missedBefore != 0 && u.state&firstSending == 0 && inside:
		x.Before = true
		d.lostBefore++
	case u.state&missedAfter != 0:
		x.Missing, x.After = d.losses.settle(n, ackedAt(u), d.minRTT)
	}
	if d.settled != nil {
		d.settled(x)
	}
}

// settleSkipped is settle for numbers below end of which nothing was heard.
func (d settling) settleSkipped(from, end int64) {
	if w := &d.win; w.begun {
		d.paths.skip(min(end, w.highest+1) - max(from, w.origin, w.lowest))
	}
	if d.settled != nil {
		for n := from; n < end; n++ {
			d.settled(Settled{Num: n})
		}
	}
}

// Settled is what was concluded about a number, for who wants to compare it with
// the truth. Lost says how many of these are claimed in the end: those before the
// capture point all or none, those behind it that were missing longest, those not
// captured without the masked ones when masks are not to be trusted.
type Settled struct {
	Num     int64
	Frame   uint64 // first captured, 0 for none
	Missing int64  // how long it was missed behind the capture point, ns

	Before, After, NotCaptured bool
	Masked                     bool // only a mask acknowledged it
}

// ackedAt is when a number was acknowledged, 0 for never.
func ackedAt(u *unit) int64 {
	if u.state&(acked|ackTimed) == acked|ackTimed {
		return u.ackTime
	}
	return 0
}

// Close settles everything that is still remembered and frees it.
func (d *Direction) Close() {
	d.ready()
	d.win.retireAll(d)
	for _, c := range d.win.waiting {
		if d.links {
			d.never(c.at)
		}
	}
	d.win.units, d.win.waiting, d.win.extra = sparse[unit]{}, nil, nil
	d.recent, d.units = recentDatagrams{}, units{}
}

// compact forgets what is remembered of numbers and frames, for a run in which little
// is kept, when the side was silent for long.
func (d *Direction) compact() {
	if d.work == nil {
		return
	}
	d.win.compact(d)
	d.units.compact()
	d.recent = recentDatagrams{lowMemory: true}
}

// free forgets what no report asks for, once it was closed and assessed.
func (d *Direction) free() {
	if d.open() {
		d.heard = d.acknowledged()
		d.end = outcome{d.Missing(), d.losses.proven(), d.minRTT, d.RTT(), d.PingRTT()}
	}
	d.work, d.over = nil, true
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
