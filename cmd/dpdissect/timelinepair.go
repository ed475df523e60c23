package main

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/report"
)

// runPair shows over time what two captures of one session say together.
func (c *timelineCommand) runPair(cmd *cobra.Command, points []pointFiles) error {
	if err := c.pairOnly("a timeline"); err != nil {
		return err
	}
	return c.readPair(cmd, points, false, func(out *destination, _ *outfile.Guard, r *compare.Comparison) error {
		x := c.spanOf()
		x.Interval = int64(cmp.Or(time.Duration(c.interval), time.Second))
		if c.connection.Given {
			x.Shown = func(id int) bool { return id == int(c.connection.ID) }
		}
		r.Choose(x)
		d := r.Document(report.CaptureRecords)
		switch c.format.Value {
		case "csv":
			return report.WritePairIntervalCSV(out, d)
		case "json":
			return report.WritePairIntervalJSON(out, d)
		case "ndjson":
			return report.WritePairIntervalRecords(out, d)
		}
		o := report.TextOptions{Palette: out.screen.palette, Width: out.screen.width}
		if c.plot {
			return report.WritePairIntervalPlots(out, d, x.Interval, o)
		}
		return report.WritePairIntervalText(out, d, x.Interval, o)
	})
}
