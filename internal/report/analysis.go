package report

import (
	"cmp"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/session"
)

// AnalysisSchema is the name and version of the analysis document.
const AnalysisSchema = "dpdissect/analysis/1"

// Analysis is all that one run found out.
type Analysis struct {
	Captures []capture.Info
	Totals   Totals
	Conns    []*session.Conn   // as session.Number leaves them
	Findings []session.Finding // as SortFindings leaves them
	Story    *explain.Story    // what happened to the connections, nil when that is not known
}

// Totals counts packets over all inputs, and what became of their datagrams.
type Totals struct {
	capture.Totals
	Decoded   uint64 // datagrams of connections
	Malformed uint64 // decode errors among them
	OtherUDP  uint64 // all other datagrams
	LeftOut   uint64 // connections of a live run that ended long ago and are only counted
	Findings  uint64 // findings that are counted in their connections and not listed
	SummedUp  uint64 // connections that were not followed to their end, there being too many at a time
	Undecided uint64 // address pairs that were given up unrecognised for lack of room, see session.Table.LeftOut

	Neighbours []session.NeighbourCount // datagrams of protocols beside, among OtherUDP; for text
}

// AddTable adds what session.Table.Totals gives, of one worker.
func (t *Totals) AddTable(decoded, malformed, other uint64) {
	t.Decoded += decoded
	t.Malformed += malformed
	t.OtherUDP += other
}

// CountUnlisted counts the findings that the connections of the analysis have and its
// list has not.
func (a *Analysis) CountUnlisted() {
	all, listed := uint64(0), uint64(0)
	for _, c := range a.Conns {
		for _, n := range c.Findings {
			all += n
		}
	}
	for i := range a.Findings {
		if a.Findings[i].Failed() {
			listed++
		}
	}
	a.Totals.Findings = all - min(all, listed)
}

// SortFindings puts findings in an order that depends on nothing but them: by
// frame, connection, rule, side and message. Connections have their ids.
func SortFindings(findings []session.Finding) {
	stable.Sort(findings, func(a, b session.Finding) int {
		return cmp.Or(
			cmp.Compare(a.Frame, b.Frame),
			cmp.Compare(connID(a.Conn), connID(b.Conn)),
			cmp.Compare(a.Rule.ID, b.Rule.ID),
			cmp.Compare(a.Dir, b.Dir),
			cmp.Compare(a.Message, b.Message),
		)
	})
}

// connID is the id of a connection, -1 when there is none.
func connID(c *session.Conn) int {
	if c == nil {
		return -1
	}
	return c.ID
}
