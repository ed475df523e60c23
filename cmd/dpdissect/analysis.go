package main

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
)

// analyse reads the captures. Connections without a datagram that -Y lets pass, between
// --from and --to, are left out.
func (j *job) analyse() (*report.Analysis, error) {
	j.part = j.newPart()
	x := j.part
	if x != nil {
		x.counts = !j.overTime
	}
	if j.show == nil && x == nil {
		var f pipeline.Findings
		f.Attach(&j.run)
		if s := j.run.State; s != nil {
			s.Kept = func() []any { return []any{&f} }
		}
		err := j.do(nil)
		a := j.analysis(f.All)
		a.CountUnlisted()
		return a, err
	}
	s := newSelection(j.show, x)
	s.display.Real = j.real
	s.display.Configure(&j.run.Config)
	q := pipeline.NewQueue(j.out, s)
	if x != nil {
		attach := j.attach
		j.attach = func() {
			x.attach(&j.run)
			if attach != nil {
				attach()
			}
		}
	}
	err := j.do(q)
	a := j.analysis(q.Findings)
	a.Conns = slices.DeleteFunc(a.Conns, func(c *session.Conn) bool { return !s.has(c) })
	a.Findings = slices.DeleteFunc(a.Findings, func(f session.Finding) bool { return f.Conn != nil && !s.has(f.Conn) || f.Conn == nil && j.show != nil })
	if x != nil {
		x.restrict(a)
	}
	a.CountUnlisted()
	return a, err
}

// analysis collects what a finished run found out.
func (j *job) analysis(findings func() []session.Finding) *report.Analysis {
	var conns []*session.Conn
	var leftOut uint64
	if j.bounds != nil {
		conns, leftOut = j.bounds.All()
	} else {
		conns = j.run.Conns()
	}
	a := j.report(conns, findings())
	a.Totals.LeftOut = leftOut
	a.Story = j.story(conns, a)
	return a
}

// story is what happened to all connections of a run that ended. Texts for people have the
// names of the configuration, records have addresses.
func (j *job) story(conns []*session.Conn, a *report.Analysis) *explain.Story {
	s := explain.Tell(conns, j.run.Stories(), heardUntil(a))
	s.LeftOut = j.run.StoriesLeftOut()
	if f := j.format.Value; f == "text" || f == "markdown" {
		s.Name(j.nameOf())
	}
	return s
}

// report is what the run says of some connections with some findings.
func (j *job) report(conns []*session.Conn, findings []session.Finding) *report.Analysis {
	a := &report.Analysis{Captures: j.run.Source.Infos(), Totals: report.Totals{Totals: j.run.Totals()}, Conns: conns, Findings: findings}
	a.Totals.AddTable(j.run.Decoded())
	a.Totals.Neighbours = j.run.Neighbours()
	a.Totals.Undecided = j.run.UndecidedLeftOut()
	for _, c := range conns {
		if c.SummedUp {
			a.Totals.SummedUp++
		}
	}
	report.SortFindings(a.Findings)
	return a
}

// tableClock writes the times of a table as -t asks for, nil when it was not given.
func (in *input) tableClock(given bool, a *report.Analysis) func(ns int64) string {
	if !given {
		return nil
	}
	clock := render.Clock{Format: in.time}
	for i := range a.Captures {
		if f := &a.Captures[i]; f.HasTime {
			clock.AdvanceTime(f.FirstTime, false)
		}
	}
	return func(ns int64) string {
		return string(clock.AppendTime(nil, &dissect.Datagram{Time: ns, HasTime: true}))
	}
}

// heardUntil is the time of the last packet of the captures, ns since 1970.
func heardUntil(a *report.Analysis) (last int64) {
	for i := range a.Captures {
		last = max(last, a.Captures[i].LastTime)
	}
	return last
}
