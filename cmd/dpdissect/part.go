package main

import (
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

// A part counts what happens between --from and --to: the state of connections is followed
// from the start of the input all the same.
type part struct {
	window *pipeline.Window
	counts bool  // numbers of connections become those of the span
	first  int64 // time of the first packet, once known
	known  bool
	totals report.Totals
	losses *timeline.Losses
	shards [pipeline.Shards]*timeline.Part
}

// lossesPlaced is of how many numbers of a direction that may be lost it is known when.
var lossesPlaced = 1 << 18

// newPart is nil without --from and --to.
func (j *job) newPart() *part {
	w := j.window()
	if w == nil {
		return nil
	}
	return &part{window: w}
}

// attach makes the part hear of packets and of what is counted.
func (x *part) attach(r *pipeline.Run) {
	before, next := r.Before, r.Sink
	x.losses = timeline.NewLosses(lossesPlaced, nil)
	r.Config.OnSettled(x.losses.Hear)
	r.Before = func(p *capture.Packet) {
		if !x.known && p.HasTime {
			x.first, x.known = p.Time, true
			x.bounds() // before workers ask
		}
		if p.HasTime && x.place(p.Time) == 0 {
			x.totals.Count(p)
		}
		if before != nil {
			before(p)
		}
	}
	r.Sink = func(shard int) session.Sink {
		x.shards[shard] = timeline.NewPart(x.place, x.losses, next(shard))
		return x.shards[shard]
	}
}

func (x *part) place(at int64) int { return x.window.Place(at, x.first) }

// bounds are the times of the span, in ns since 1970.
func (x *part) bounds() (from, to int64) { return x.window.Bounds(x.first) }

// see counts what a datagram of the window is.
func (x *part) see(s *pipeline.Slot) {
	if s.Datagram.Part > 0 {
		x.totals.UDPDatagrams++
	}
	switch {
	case s.Conn == nil:
		x.totals.OtherUDP++
	default:
		x.totals.Decoded++
		if s.Frame.Err != nil {
			x.totals.Malformed++
		}
	}
}

// restrict leaves of an analysis what is of the window: the connections with a datagram in
// it, its findings, and what was counted.
func (x *part) restrict(a *report.Analysis) {
	x.totals.Neighbours, x.totals.Undecided = a.Totals.Neighbours, a.Totals.Undecided
	x.totals.SummedUp, x.totals.LeftOut = a.Totals.SummedUp, a.Totals.LeftOut
	a.Totals = x.totals
	a.Findings = slices.DeleteFunc(a.Findings, func(f session.Finding) bool { return f.Time == 0 || x.place(f.Time) != 0 })
	a.Story.Settle(x.bounds())
	for _, c := range a.Conns {
		for _, t := range x.shards {
			if x.counts && t.Follows(c) {
				c.Unpack()
				c.Keep()
				t.Restrict(c)
			}
		}
		c.Findings = [len(c.Findings)]uint64{}
	}
	for i := range a.Findings {
		if f := &a.Findings[i]; f.Failed() && f.Conn != nil {
			f.Conn.Findings[f.Severity]++
		}
	}
}
