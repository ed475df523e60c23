package main

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
)

// compare reads the captures of both points and compares them. An input that could be read in
// part is an error beside the comparison. Words say that types and summaries are kept.
func (in *input) compare(cmd *cobra.Command, points []pointFiles, words bool) (*compare.Comparison, error) {
	seed := maphash.MakeSeed()
	var of [2]*compare.Capture
	var failed error
	for i, p := range points {
		x, err := in.readPoint(cmd, p, seed, words)
		if x == nil || err != nil && !exit.Told(err) {
			return nil, err
		}
		of[i], failed = x, cmp.Or(failed, err)
	}
	if report.Unopened(of[0].Infos) || report.Unopened(of[1].Infos) {
		return nil, cmp.Or(failed, exit.ErrInput)
	}
	r, err := compare.Compare(of[0], of[1], seed)
	var none *compare.NothingInCommon
	if errors.As(err, &none) {
		for _, line := range none.Lines {
			fmt.Fprintf(cmd.ErrOrStderr(), "dpdissect: %s\n", printable(line))
		}
		return nil, cmp.Or(failed, error(exit.Code(exit.NotEvaluated)))
	}
	if err != nil {
		return nil, err
	}
	return r, failed
}

// readPoint reads the captures of a point.
func (in *input) readPoint(cmd *cobra.Command, p pointFiles, seed maphash.Seed, words bool) (*compare.Capture, error) {
	one := in.connection
	in.connection = flags.Connection{} // it is a number of the comparison
	j, err := in.open(cmd, p.files, true)
	in.connection = one
	if err != nil {
		return nil, err
	}
	j.run.Config.Endings, j.run.Config.Explain = true, true
	r := compare.NewReader(seed, words)
	findings, queue, chosen := j.listen(r)
	if err = j.do(queue); err != nil {
		return nil, j.finish(err)
	}
	a := j.analysis(findings)
	x := r.Capture(a.Conns)
	x.Name, x.Infos, x.Story, x.Chosen = p.name, a.Captures, a.Story, chosen
	x.Open = func() (*capture.Source, error) { return in.source(p.files) }
	return x, j.finish(nil)
}

// listen makes the run tell its datagrams, and with -Y which connections have one that matches.
func (j *job) listen(r *compare.Reader) (findings func() []session.Finding, queue *pipeline.Queue, chosen map[*session.Conn]bool) {
	if j.show == nil {
		var f pipeline.Findings
		f.Attach(&j.run)
		r.Attach(&j.run)
		return f.All, nil, nil
	}
	s := newSelection(j.show, nil)
	s.display.Configure(&j.run.Config)
	queue = pipeline.NewQueue(io.Discard, s)
	j.attach = func() { r.Attach(&j.run) }
	return queue.Findings, queue, s.conns
}
