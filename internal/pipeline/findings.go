package pipeline

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// MaxFindings is how many findings a shard keeps; connections count them all.
const MaxFindings = 100_000

// collected keeps the findings of one shard.
type collected struct{ findings []session.Finding }

// Finding implements session.Sink.
func (c *collected) Finding(f *session.Finding) {
	if len(c.findings) < MaxFindings {
		c.findings = append(c.findings, *f)
	}
}

// collector is a sink that keeps nothing but findings: what analyze needs.
type collector struct{ collected }

func (*collector) Frame(*dissect.Frame, *session.Conn) {}
func (*collector) Acked(frame, by uint64)              {}
func (*collector) Message(*session.Message)            {}

// Findings keeps the findings of a run that prints no frames.
type Findings struct{ shards [Shards]collector }

// Attach makes a run collect its findings.
func (f *Findings) Attach(r *Run) {
	r.Sink = func(shard int) session.Sink { return &f.shards[shard] }
}

// All are the findings of all shards, by frame.
func (f *Findings) All() []session.Finding {
	return mergeFindings(func(i int) []session.Finding { return f.shards[i].findings })
}

func mergeFindings(of func(shard int) []session.Finding) []session.Finding {
	var all []session.Finding
	for i := range Shards {
		all = append(all, of(i)...)
	}
	slices.SortStableFunc(all, func(a, b session.Finding) int {
		return cmp.Or(cmp.Compare(a.Frame, b.Frame), cmp.Compare(a.Rule.ID, b.Rule.ID))
	})
	return all
}
