// Package timeline spreads what connections count over intervals of time.
package timeline

import (
	"slices"

	"github.com/dpdissect/dpdissect/session/seq"
)

// A Counter is one of the numbers that intervals and analyses share.
type Counter uint8

const (
	Frames Counter = iota
	Bytes
	DataFrames
	Acks
	Retries
	UnneededRetries
	Duplicates
	Gaps
	OutOfOrder
	Messages
	MessageBytes
	KeepAlives
	Columns // how many of them intervals show; those that follow belong to a part (Part)
)

const (
	IncompleteMessages = Columns + iota
	Missing
	Sendings
	ValidSignatures
	InvalidSignatures
	UnverifiableSignatures
	Counters
)

// Names are the keys of the counters in records.
var Names = [Columns]string{
	"frames", "bytes", "data_frames", "acks", "retries", "unneeded_retries", "duplicates", "gaps", "out_of_order", "messages", "message_bytes", "keepalives",
}

// Counts are the counters of a direction, or what an interval adds to them.
type Counts [Counters]int64

// countsOf reads the counters of a direction.
func countsOf(d *seq.Direction) Counts {
	return Counts{
		Frames: int64(d.Frames), Bytes: int64(d.Bytes), DataFrames: int64(d.DataFrames), Acks: int64(d.Acks),
		Retries: int64(d.Retries), UnneededRetries: int64(d.UnneededRetries), Duplicates: int64(d.Duplicates),
		Gaps: int64(d.Gaps), OutOfOrder: int64(d.OutOfOrder), Messages: int64(d.Messages), MessageBytes: int64(d.MessageBytes),
		KeepAlives: int64(d.KeepAlives),
	}
}

// addRest reads the counters that no column shows.
func (c *Counts) addRest(d *seq.Direction) {
	signed := &d.Signatures
	c[IncompleteMessages], c[Missing], c[Sendings] = int64(d.IncompleteMessages), int64(d.Missing()), int64(d.Sendings())
	c[ValidSignatures], c[InvalidSignatures], c[UnverifiableSignatures] = int64(signed.Valid), int64(signed.Invalid), int64(signed.Unverifiable)
}

// An Interval is what a side sent within an interval of time, and the round trips whose
// acknowledgements were captured in it.
type Interval struct {
	From, To int64 // ns since 1970, by the capture's times; To is the first behind it
	Counts
	InFlight    seq.Flight // the most numbers and the most bytes that were in flight, where that can be told
	HasInFlight bool
	trips       *seq.Sampler // while it is one of the latest
	rtt         seq.RTT      // what trips said, once it is not
	Drawn       *Drawn       // nil where no picture is wanted
}

// latest is how many intervals of a side keep each round trip. One that comes for an older
// one no longer changes its percentiles.
const latest = 256

// RTT summarises the round trips.
func (v *Interval) RTT() seq.RTT {
	if v.trips == nil {
		return v.rtt
	}
	return v.trips.Summary()
}

// freeze keeps no more than the summary of the round trips.
func (v *Interval) freeze() { v.rtt, v.trips = v.RTT(), nil }

func (v *Interval) trip(ns int64) {
	if r := &v.rtt; r.Samples > 0 {
		r.Samples, r.Min, r.Max = r.Samples+1, min(r.Min, ns), max(r.Max, ns)
		return
	}
	if v.trips == nil {
		v.trips = new(seq.Sampler)
	}
	v.trips.Add(ns)
}

// empty reports whether nothing happened.
func (v *Interval) empty() bool {
	return v.Counts == Counts{} && v.RTT().Samples == 0 && v.Drawn == nil
}

// A line is the intervals of one direction.
type line struct {
	list []*Interval // ascending
	at   int         // the one that was asked for last
	told Counts      // what is in the intervals

	drawing *drawing // nil where no picture is wanted
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
		if old := len(l.list) - 1 - latest; old >= 0 {
			l.list[old].freeze()
		}
	}
	return l.list[i], !ok
}

// settled gives the intervals in which something happened. What was counted and taken back
// later comes off the latest intervals that have it.
func (l *line) settled() []*Interval {
	for c := range Counters {
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
