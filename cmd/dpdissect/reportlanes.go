package main

import (
	"math"
	"strings"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/htmlreport"
	"github.com/dpdissect/dpdissect/internal/report"
)

// healthOf is what the causes that explain names mean for a connection while they last.
var healthOf = map[explain.Cause]htmlreport.Health{
	explain.LossBurst: htmlreport.Losses, explain.Delay: htmlreport.Waits, explain.Bufferbloat: htmlreport.Waits, explain.WindowStall: htmlreport.Waits,
	explain.LateAcks: htmlreport.Waits, explain.PeerStalled: htmlreport.Waits, explain.UnitStarved: htmlreport.Waits,
}

// always is the share of all from which on what is said of most holds for each: retries that
// were spurious, and moments of a connection that something lasted for.
const always = 0.9

// lanes are those of the connections that a page lists, with what is told of each.
func (c *reportCommand) lanes(j *job, a *report.Analysis, told *explain.Document) *htmlreport.Lanes {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if j.part != nil {
		from, to = j.part.bounds()
	}
	lanes := htmlreport.NewLanes(a.Conns, from, to)
	for i, conn := range a.Conns {
		x, lane := told.At(i), lanes.Of(conn)
		lane.Line, lane.Kind = x.Brief(), x.Kind()
		lane.Cut = x.Verdict.Grave() && x.Verdict.Cause != explain.PoorCapture && x.Verdict.Cause != explain.Undecided
		lane.Bad = x.Bad()
		lane.Ended = x.Verdict.When()
		for k := range x.Contributing {
			y := &x.Contributing[k]
			if y.Cause == explain.SpuriousRetries && y.Numbers["unneeded"] >= always*y.Numbers["retries"] {
				lane.Spurious[strings.Index("ab", y.Side)] = true
			}
			health, ok := healthOf[y.Cause]
			ok = ok && (y.Cause != explain.LossBurst || y.Numbers["ms"] > 0) // bursts of losses have no end of their own
			s := htmlreport.Span{Health: health}
			s.From, s.To = y.Span()
			if ok && y.From != 0 && float64(s.To-s.From) < always*float64(conn.LastStamp-conn.FirstStamp) {
				lane.Spans = append(lane.Spans, s)
			}
		}
	}
	return lanes
}
