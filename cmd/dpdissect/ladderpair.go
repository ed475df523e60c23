package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/ladder"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
)

// runPair draws two captures of one session together.
func (c *ladderCommand) runPair(cmd *cobra.Command, points []pointFiles) error {
	if err := c.pairOnly("a ladder"); err != nil {
		return err
	}
	if c.ascii && c.format.Value != "text" {
		return exit.Usagef("--ascii is for text, not for --format %s", c.format.Value)
	}
	display := c.display
	c.display = "" // it chooses what is drawn, not what is paired
	return c.readPair(cmd, points, false, func(out *destination, _ *outfile.Guard, r *compare.Comparison) error {
		c.display = display
		l, err := c.pairOf(r)
		if err != nil {
			return err
		}
		if err := c.fillPair(cmd, points, []*ladder.Pair{l}, uint64(c.around), c.all); err != nil {
			return err
		}
		return c.writePair(out, l)
	})
}

// pairOf is the ladder of the connection that was chosen, without what each capture says of it.
func (c *ladderCommand) pairOf(r *compare.Comparison) (*ladder.Pair, error) {
	r.Choose(c.spanOf())
	d := r.Document(report.CaptureRecords)
	id := int(c.connection.ID)
	switch n := len(d.Connections); {
	case n == 0:
		return nil, exit.Usagef("no connection was recognised: there is nothing to draw")
	case n == 1 && !c.connection.Given:
		id = d.Connections[0].ID
	case !c.connection.Given:
		return nil, exit.Usagef("the captures have connections %d to %d: choose one with --connection; 'dpdissect compare' lists them", d.Connections[0].ID, d.Connections[n-1].ID)
	}
	l, err := ladder.NewPair(r, d, id)
	if err != nil {
		return nil, err
	}
	l.Filtered = c.display != ""
	if c.around != 0 && !l.Around(uint64(c.around)) {
		return nil, exit.Usagef("--around %d: no datagram of connection %d in the first capture", c.around, id)
	}
	return l, nil
}

// fillPair reads both captures again, for what each says of the datagrams that are drawn.
func (in *input) fillPair(cmd *cobra.Command, files []pointFiles, all []*ladder.Pair, focus uint64, every bool) error {
	var points [2]*ladder.Point
	var findings [2][]session.Finding
	one := in.connection
	in.connection = flags.Connection{} // it is a number of the comparison
	defer func() { in.connection = one }()
	for at, p := range files {
		j, err := in.open(cmd, p.files, true)
		if err != nil {
			return err
		}
		want := map[uint64]bool{}
		for _, l := range all {
			for f := range l.Wants(at) {
				want[f] = true
			}
		}
		points[at] = ladder.NewPoint(want, pipeline.Display{Filter: j.show}, in.clock())
		points[at].Configure(&j.run.Config)
		q := pipeline.NewQueue(io.Discard, points[at])
		err = j.doWith(q, nil)
		j.stop()
		j.run.Source.Close()
		if err != nil {
			return err
		}
		findings[at] = q.Findings()
	}
	for _, l := range all {
		l.Build(points, findings, focus, every)
	}
	return nil
}

func (c *ladderCommand) writePair(out *destination, l *ladder.Pair) error {
	switch c.format.Value {
	case "svg":
		return ladder.WritePairSVG(out, l)
	case "mermaid":
		return ladder.WritePairMermaid(out, l)
	case "json":
		return ladder.WritePairJSON(out, l)
	}
	return ladder.WritePairText(out, l, ladder.TextOptions{Palette: out.screen.palette, Width: out.screen.width, ASCII: c.ascii})
}
