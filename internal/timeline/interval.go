// Package timeline spreads what connections count over intervals of time.
package timeline

import (
	"slices"

	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session/seq"
)

// An Interval is what a side sent within an interval of time, and how long it took to be
// acknowledged where the acknowledgement was captured in it.
type Interval struct {
	From, To    int64 // ns since 1970, by the capture's times; To is the first after it
	Counts      measure.Values
	InFlight    seq.Flight // the most numbers and the most bytes that were in flight, where that can be told
	HasInFlight bool
	times       *seq.Times // each time, while the interval is one of the latest; without those of numbers once no more can come
	sums        []summed   // summaries of the measures that left times
	Cells       Cells      // of the round trips, where they are asked for (Timeline.Cells)
	Drawn       *Drawn     // nil where no picture is wanted
}

// maxDetailed bounds the intervals of a side that keep each time that was measured. A time that
// comes later for an older interval no longer changes its percentiles.
const maxDetailed = 256

// freezeEvery is the number of measured times after which a line asks which intervals get no
// more of them. It does not ask each time, since the answer takes a look at all numbers that are remembered.
const freezeEvery = 1024

// A summed is the summary of one measure in an interval.
type summed struct {
	of seq.Measure
	seq.RTT
}

// Times summarises what was measured.
func (v *Interval) Times(m seq.Measure) seq.RTT {
	for i := range v.sums {
		if v.sums[i].of == m {
			return v.sums[i].RTT
		}
	}
	if v.times != nil {
		return v.times.Summary(m)
	}
	return seq.RTT{}
}

// freeze replaces all measured times by their summaries.
func (v *Interval) freeze() {
	if v.times == nil {
		return
	}
	v.sumUp(func(seq.Measure) bool { return true })
	v.times = nil
}

// freezeNumbers replaces the times that were measured by numbers by their summaries.
func (v *Interval) freezeNumbers() {
	if v.times != nil {
		v.sumUp(seq.OfNumbers.Has)
		v.times.DropNumbers()
	}
}

func (v *Interval) sumUp(of func(seq.Measure) bool) {
	var sums [seq.NMeasures]summed
	n := copy(sums[:], v.sums)
	for m := range seq.NMeasures {
		if r := v.times.Summary(m); r.Samples > 0 && of(m) {
			sums[n] = summed{m, r}
			n++
		}
	}
	v.sums = slices.Clone(sums[:n])
}

// Cells count the times that fell into each cell of a histogram.
type Cells map[seq.Cell]int64

// Add adds those of another histogram.
func (c *Cells) Add(x Cells) {
	if *c == nil && len(x) > 0 {
		*c = Cells{}
	}
	for cell, n := range x {
		(*c)[cell] += n
	}
}

// measured enters a time of some measures.
func (v *Interval) measured(of seq.MeasureSet, ns int64) {
	for i := range v.sums {
		if x := &v.sums[i]; of.Has(x.of) {
			x.Samples, x.Min, x.Max = x.Samples+1, min(x.Min, ns), max(x.Max, ns)
			of &^= seq.Of(x.of)
		}
	}
	switch {
	case of == 0:
	case v.sums != nil && v.times == nil:
		for m := range seq.NMeasures {
			if of.Has(m) {
				v.sums = append(v.sums, summed{m, seq.RTT{Samples: 1, Min: ns, P50: ns, P95: ns, Max: ns}})
			}
		}
	default:
		if v.times == nil {
			v.times = new(seq.Times)
		}
		v.times.Add(of, ns)
	}
}

// drop forgets a measure that was taken back.
func (v *Interval) drop(m seq.Measure) {
	if v.times != nil {
		v.times.Drop(m)
	}
	v.sums = slices.DeleteFunc(v.sums, func(x summed) bool { return x.of == m })
}

// measuredAny reports whether anything was measured.
func (v *Interval) measuredAny() bool {
	for m := range seq.NMeasures {
		if len(v.sums) > 0 || v.times != nil && v.times.Samples(m) > 0 {
			return true
		}
	}
	return false
}

// empty reports whether nothing happened.
func (v *Interval) empty() bool {
	return v.Counts == measure.Values{} && !v.measuredAny() && v.Drawn == nil
}

// A line is the intervals of one direction.
type line struct {
	list []*Interval    // ascending
	at   int            // index of the one that was asked for last
	told measure.Values // the side's counters when they were last spread over the intervals

	measured int   // times since freezeNumbers was last called
	frozen   int64 // intervals that end until here keep summaries alone of numbers

	taken measure.Values // the counts of those that TakeUntil took out
	floor int64          // where the last of them ends; 0 where none was

	drawing *drawing `state:"-"` // nil where no picture is wanted
}

// find gives the interval that begins at a time, and whether it is new.
func (l *line) find(from, to int64) (v *Interval, fresh bool) {
	if l.at < len(l.list) && l.list[l.at].From == from {
		return l.list[l.at], false
	}
	i, ok := slices.BinarySearchFunc(l.list, from, func(v *Interval, at int64) int {
		switch {
		case v.From < at:
			return -1
		case v.From > at:
			return 1
		}
		return 0
	})
	if l.at = i; !ok {
		l.list = slices.Insert(l.list, i, &Interval{From: from, To: to})
		if old := len(l.list) - 1 - maxDetailed; old >= 0 {
			l.list[old].freeze()
		}
	}
	return l.list[i], !ok
}

// freezeNumbers does so in all intervals that ended until then.
func (l *line) freezeNumbers(until int64) {
	for _, v := range slices.Backward(l.list) {
		if v.To <= l.frozen {
			break
		}
		if v.To <= until {
			v.freezeNumbers()
		}
	}
	l.measured, l.frozen = 0, max(l.frozen, until)
}

// settled gives the intervals in which something happened. What was counted and taken back
// later comes off the latest intervals that have it.
func (l *line) settled() []*Interval {
	for c := range measure.Counters {
		var debt int64
		take := func(v *Interval) {
			n := v.Counts[c] + debt
			v.Counts[c], debt = max(n, 0), min(n, 0)
		}
		for _, v := range slices.Backward(l.list) {
			take(v)
		}
		for _, v := range l.list {
			take(v)
		}
	}
	return slices.DeleteFunc(slices.Clone(l.list), (*Interval).empty)
}
