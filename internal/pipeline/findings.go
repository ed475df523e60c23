package pipeline

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// MaxOfConn bounds the findings that are listed of a connection, and MaxFindings how many a shard
// keeps; connections count them all. Beyond either some of each rule are kept still, so that none
// hides another.
const (
	MaxOfConn   = 1000
	MaxFindings = 10_000
	maxOfRule   = 100

	// Live runs keep less: they have no end.
	liveFindings = 500
	liveOfRule   = 20
)

// A Listing bounds the findings that are listed of one connection, in documents and tables
// alike: those that are inconclusive apart, so that they hide no other.
type Listing struct {
	failed, open int
	kept         map[verdictOn]int
}

// Lists reports whether a finding is listed, in the order in which they are found.
func (l *Listing) Lists(f *session.Finding) bool {
	k, listed := verdictOn{f.Rule, f.Failed()}, &l.open
	if k.failed {
		listed = &l.failed
	}
	if *listed >= MaxOfConn && l.kept[k] >= maxOfRule {
		return false
	}
	if l.kept == nil {
		l.kept = map[verdictOn]int{}
	}
	l.kept[k]++
	*listed++
	return true
}

// collected keeps the findings of one shard.
type collected struct {
	findings []session.Finding
	of       map[*session.Conn]*Listing
	kept     map[verdictOn]int `state:"-"` // once there are many
	live     bool              `state:"-"` // the run has no end
	watched  bool              `state:"-"` // Fresh is asked
	fresh    []session.Finding `state:"-"` // since Fresh
}

// A verdictOn is what findings beyond MaxFindings are told apart by.
type verdictOn struct {
	rule   *conform.Rule
	failed bool
}

// Finding implements session.Sink.
func (c *collected) Finding(f *session.Finding) {
	most, ofRule := MaxFindings, maxOfRule
	if c.live {
		most, ofRule = liveFindings, liveOfRule
	}
	if c.watched && len(c.fresh) < liveFindings {
		c.fresh = append(c.fresh, *f)
	}
	if !c.lists(f) {
		return
	}
	if len(c.findings) >= most {
		if c.kept == nil {
			c.countKept()
		}
		k := verdictOn{f.Rule, f.Failed()}
		if c.kept[k] >= ofRule {
			return
		}
		c.kept[k]++
	}
	c.findings = append(c.findings, *f)
}

// lists reports whether a finding is listed of its connection.
func (c *collected) lists(f *session.Finding) bool {
	if f.Conn == nil {
		return true
	}
	l := c.of[f.Conn]
	if l == nil {
		if c.of == nil {
			c.of = map[*session.Conn]*Listing{}
		}
		l = new(Listing)
		c.of[f.Conn] = l
	}
	return l.Lists(f)
}

func (c *collected) countKept() {
	c.kept = map[verdictOn]int{}
	for i := range c.findings {
		c.kept[verdictOn{c.findings[i].Rule, c.findings[i].Failed()}]++
	}
}

// collector is a sink that keeps nothing but findings: what analyze needs.
type collector struct{ collected }

// FindingsOnly implements session.FindingSink.
func (*collector) FindingsOnly() {}

func (*collector) Frame(*dissect.Frame, *session.Conn) {}
func (*collector) Acked(seq.Position, uint64)          {}
func (*collector) Message(*session.Message)            {}

// Findings keeps the findings of a run that prints no frames.
type Findings struct{ shards [Shards]collector }

// Attach makes a run collect its findings.
func (f *Findings) Attach(r *Run) {
	r.Sink = func(shard int) session.Sink { return &f.shards[shard] }
}

// Watch says that Fresh is asked now and then. Of a run without end less is kept.
func (f *Findings) Watch(endless bool) {
	for i := range f.shards {
		f.shards[i].watch(endless)
	}
}

func (c *collected) watch(endless bool) { c.watched, c.live = true, endless }

// Fresh are the findings since the call before.
func (f *Findings) Fresh() []session.Finding {
	return freshFindings(func(i int) *collected { return &f.shards[i].collected })
}

// Forget drops the findings on connections: they would keep these in memory.
func (f *Findings) Forget(gone map[*session.Conn]bool) {
	for i := range f.shards {
		f.shards[i].forget(gone)
	}
}

func (c *collected) forget(gone map[*session.Conn]bool) {
	on := func(f session.Finding) bool { return gone[f.Conn] }
	c.findings = slices.DeleteFunc(c.findings, on)
	c.fresh = slices.DeleteFunc(c.fresh, on)
	for conn := range gone {
		delete(c.of, conn)
	}
}

// freshFindings takes what is new from all shards.
func freshFindings(of func(shard int) *collected) []session.Finding {
	all := mergeFindings(func(i int) []session.Finding { return of(i).fresh })
	for i := range Shards {
		c := of(i)
		clear(c.fresh)
		c.fresh = c.fresh[:0]
	}
	return all
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
	stable.Sort(all, func(a, b session.Finding) int {
		return cmp.Or(cmp.Compare(a.Frame, b.Frame), cmp.Compare(a.Rule.ID, b.Rule.ID))
	})
	return all
}
