package seq

// A Direction is what one side of a connection sends. The exported counters
// are those of the analysis record; what they count is said in docs/analysis.md.
type Direction struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	*work                       // nil before the first frame and once it is closed
	peer             *Direction // what the other side sends
	over             bool       // it is closed: end is what came of it
	verified         bool       // the checksum of one of its datagrams was right
	noBefore         bool       // Limits
	noAfter          bool
	distrusted       bool // the peer's masks prove no losses
	unpaired         bool // see Unpair
	heard            bool // acknowledgements were captured; once it is closed
	resentUnanswered bool // a captured number was sent again while nothing acknowledged it
	offloaded        bool // what seems missing may be in datagrams that stood for several
	Frames, Bytes    uint64
	DataFrames, Acks uint64
	Messages         uint64
	MessageBytes     uint64

	Retries            uint64
	UnneededRetries    uint64
	Duplicates         uint64
	OutOfOrder, Gaps   uint64
	IncompleteMessages uint64
	KeepAlives         uint64

	Signatures    Signatures
	HasSignatures bool
	Dialect       string // when the sides differ
	delivered     uint64 // messages handed to the sink

	byMaskOnly  uint64 // numbers not captured that only a mask acknowledged
	notCaptured uint64
	lostBefore  uint64
	voided      uint64

	end  outcome
	part *Part // what is reported, nil for all
}

// work is what a Direction needs only while it is open.
type work struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	minRTT           int64
	late             int64  // the longest a frame was overtaken by
	distinct         uint64 // numbers captured
	firstAcks        uint64
	wait, waitAt     int64    // see Pulse
	account          *Account // nil unless Options.Account asks for it
	hasRTT           bool
	accepts          bool  // the peer acknowledged something
	links            bool  // links between frames are wanted
	settles          bool  // the listener wants what was concluded about numbers
	trips            bool  // … and times
	softGap, firmGap bool  // see noteGap
	contradictions   uint8 // numbers the peer's masks acknowledged too early
	beat             beat  // latest round trips
	paths            paths
	times            Times
	provisional      []ProvisionalFrame // oldest first
	refuted          []ProvisionalFrame // not told yet
	disregarded      *disregarded       // nil before the first
	long             longFrame
	unheard          Deaf  // see Quality.Unheard
	deaf             *Deaf // see Quality.Deaf; nil for none
	cycles           cycles
	recent           recentDatagrams
	win              Window
	signs            Signs

	units  *units // nil before the first
	losses lateLosses

	ahead     aheadCount // acknowledgements before what they acknowledge
	placed    Num        // the latest number believed while some were provisional
	confirmed int        // place in provisional of what is confirmed, plus 1
	carried   uint64     // sendings of units that datagrams carry (SendUnit), retries included

	listener             Listener
	acceptsAt            int64 // when that was first captured
	opened               int64 // time of the connection's first frame
	interval             int64 // shortest proven time to the second sending of a number, ns, 0 for none
	softGapAt, firmGapAt int64
	echo                 *beat // latest pings, nil before the first
}

// Signatures counts the signatures of one side by verdict.
type Signatures struct {
	Valid, Invalid, Unverifiable uint64

	Learned bool // the secret is known from the signatures alone: valid ones are all alike, which does not make them right
}

// Begin tells that the side's numbers start with n and that the capture began
// before: what is missing from there on was lost.
func (d *Direction) Begin(n Num) {
	d.ready()
	if w := &d.win; !w.hasOrigin {
		w.origin, w.hasOrigin = n, true
	}
}

// AckedBefore tells, before a number of this side was captured, that its peer had
// acknowledged all below next.
func (d *Direction) AckedBefore(next Num) {
	d.ready()
	if w := &d.win; !w.started {
		w.cum, w.hasCum, d.ahead.before = next, true, next
	}
}

// An outcome is what stays of work once a Direction is closed.
type outcome struct {
	missing    uint64
	lostBehind uint64 // what losses had proven
	sendings   uint64
	minRTT     int64
	times      *[NMeasures]RTT // nil for none
}

// IsOpen reports whether there is something to conclude from: a frame came, and the side
// is not closed.
func (d *Direction) IsOpen() bool { return d.work != nil && !d.over }

// Steady reports that nothing of the side waits to be believed, refuted or acknowledged once more, and gives the
// highest number captured and the one below which all are acknowledged; there is none before the first
// acknowledgement, and ok is false.
func (d *Direction) Steady() (highest, cum Num, ok bool) {
	w := d.work
	if w == nil || d.over || !w.win.hasCum || !w.win.started || len(w.provisional)|len(w.refuted)|len(w.win.waiting) != 0 {
		return 0, 0, false
	}
	return w.win.highest, w.win.cum, true
}

// ready gives the zero value what it needs. What comes behind the end changes nothing
// that is reported.
func (d *Direction) ready() {
	if d.work == nil {
		d.work = new(work)
	}
}

// lowMemory makes that less is remembered (Config.LowMemory).
func (d *Direction) lowMemory() {
	d.win.lowMemory, d.times.common.lowMemory = true, true
	d.recent.lowMemory = true
}

// SetLimits replaces the defaults, before the first number.
func (d *Direction) SetLimits(l Limits) {
	d.ready()
	d.win.limits = l
	d.win.past.limit = l.Past
	if d.win.lowMemory && l.Keep > 0 {
		d.win.past.limit = max(l.Past, lowMemoryPast)
	}
	d.noBefore, d.noAfter = l.NoBefore, l.NoAfter
}
