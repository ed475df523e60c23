package seq

import "math/bits"

// A Measure is one way to tell how long what a side sends takes to be acknowledged, as seen
// at the capture point.
type Measure uint8

const (
	// RoundTrip is of numbers captured exactly once, from there to the first later
	// acknowledgement: nobody can tell which transmission the acknowledgement of a number that was
	// sent again belongs to (Karn).
	RoundTrip Measure = iota
	// AckWait is from the first transmission of a number, where that was captured, to its first
	// acknowledgement, whatever was sent in between. Where datagrams carry units that keep
	// their numbers when they are sent again (SendUnit), it is of these.
	AckWait
	// PairedTrip is of the transmissions of a number that was sent several times, each with its own
	// acknowledgement (Trips.Paired).
	PairedTrip
	// PingTrip is from a ping to the reply that names it (Trips.Pinged).
	PingTrip

	NMeasures
)

// Measures describes all of them: whatever shows one shows them in this order.
var Measures = [NMeasures]struct {
	Key   string // of records
	Label string // for people
}{
	RoundTrip:  {"rtt", "RTT"},
	AckWait:    {"ack_wait", "ack wait"},
	PairedTrip: {"paired_rtt", "paired"},
	PingTrip:   {"ping_rtt", "ping"},
}

// A MeasureSet is some measures; bit m is Measure m.
type MeasureSet uint8

// Of makes a set of measures.
func Of(list ...Measure) (s MeasureSet) {
	for _, m := range list {
		s |= 1 << m
	}
	return s
}

// Has reports whether a measure is in the set.
func (s MeasureSet) Has(m Measure) bool { return s>>m&1 != 0 }

// OfNumbers are the measures of which one time is both where a number was sent once.
const OfNumbers = MeasureSet(1<<RoundTrip | 1<<AckWait)

// Times summarise times by measure. A time that is both a round trip and a wait is kept once:
// while nothing is sent again, waits take no memory. The zero value has none.
type Times struct {
	common rtts             // of RoundTrip and of AckWait
	own    [NMeasures]*rtts // of one measure alone; nil while there are none
}

// Add enters a time, in nanoseconds, of each measure of a set.
func (t *Times) Add(of MeasureSet, ns int64) { t.add(of, ns, 1) }

// add is Add of n times that are the same.
func (t *Times) add(of MeasureSet, ns int64, n int) {
	if of&OfNumbers == OfNumbers {
		t.common.add(ns, n)
		of &^= OfNumbers
	}
	for ; of != 0; of &= of - 1 {
		own := &t.own[bits.TrailingZeros8(uint8(of))]
		if *own == nil {
			*own = &rtts{lowMemory: t.common.lowMemory}
		}
		(*own).add(ns, n)
	}
}

// Drop forgets the times of a measure that none but it has.
func (t *Times) Drop(m Measure) { t.own[m] = nil }

// DropNumbers forgets the times of numbers: of RoundTrip and AckWait.
func (t *Times) DropNumbers() {
	t.common = rtts{lowMemory: t.common.lowMemory}
	t.Drop(RoundTrip)
	t.Drop(AckWait)
}

// Samples is how many times of a measure there are.
func (t *Times) Samples(m Measure) (n uint64) {
	if OfNumbers.Has(m) {
		n = t.common.n
	}
	if t.own[m] != nil {
		n += t.own[m].n
	}
	return n
}

// Summary summarises the times of a measure.
func (t *Times) Summary(m Measure) RTT {
	switch own := t.own[m]; {
	case !OfNumbers.Has(m) || t.common.n == 0:
		return own.summary()
	case own == nil:
		return t.common.summary()
	default:
		both := rtts{lowMemory: t.common.lowMemory}
		both.pour(&t.common)
		both.pour(own)
		return both.summary()
	}
}

// all summarises all measures, nil where there is none.
func (t *Times) all() (all *[NMeasures]RTT) {
	for m := range NMeasures {
		if t.Samples(m) == 0 {
			continue
		}
		if all == nil {
			all = new([NMeasures]RTT)
		}
		all[m] = t.Summary(m)
	}
	return all
}

// Times summarises what was measured of a side.
func (d *Direction) Times(m Measure) RTT {
	switch {
	case d.part != nil:
		return d.part.Times[m]
	case d.IsOpen():
		return d.times.Summary(m)
	case d.end.times == nil:
		return RTT{}
	}
	return d.end.times[m]
}

// measured enters n times that are the same and ended with a frame captured at a time, and tells them.
func (d *Direction) measured(of MeasureSet, at, ns int64, n int) {
	d.times.add(of, ns, n)
	if d.trips {
		for range n {
			d.listener.Tripped(of, at, ns)
		}
	}
}

// Untold is when the first acknowledgement was captured whose time is told later, once its number is
// forgotten, in ns; now where there is none. No time of numbers that is told from now on ended before.
func (d *Direction) Untold(now int64) int64 {
	if !d.IsOpen() {
		return now
	}
	w := &d.win
	for n := w.next(w.base, w.top); n < w.top; n = w.next(n+1, w.top) {
		if u := w.see(n); u.state&sample == sample {
			now = min(now, u.ackTime)
		}
	}
	return now
}
