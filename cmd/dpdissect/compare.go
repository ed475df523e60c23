package main

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/source"
)

// compareCommand is the flags of the command.
type compareCommand struct {
	input
	points    pairInput
	reference flags.Choice
	interval  flags.Seconds
	datagrams bool
	annotate  string
}

func newCompare() *cobra.Command {
	c := &compareCommand{}
	c.formats = []string{"text", "json", "ndjson", "csv"}
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two captures of one session, made at two points",
		Long: `Compare two captures of one session, made at the player and at the server, or at
any two points: which datagrams were lost, copied, changed or overtaken between
them, how long each direction takes, what the clocks differ by, and how the
connections ended, by the evidence of both.

Datagrams are paired by what they carry: a NAT or a proxy may lie between, and
the clocks may differ by any amount, drift and be set. A is point 1, B is point
2. A point of several files is given by name:

  dpdissect compare --point player=c1.pcap --point player=c2.pcap \
    --point server=s.pcap

What a capture missed is told apart from what was lost, as far as it can be;
the rest is "uncertain". How long a direction takes is known up to half the
shortest round trip between the points, which is printed with it.

--format json is one document; ndjson has a record for each datagram, then the
document. csv has a row for each direction of each connection, or with
--datagrams for each datagram. 'dpdissect schema compare' and 'dpdissect schema
passage' describe them. Exit code 4 says that the captures have nothing in
common.`,
		Example: `  dpdissect compare player.pcap server.pcap
  dpdissect compare --format json player.pcap server.pcap
  dpdissect compare --annotate both.pcapng player.pcap server.pcap
  dpdissect compare --format csv --datagrams player.pcap server.pcap`,
		Annotations: map[string]string{quietMeans: "no progress bar", judgesEach: "yes", source.SlicesTime: "yes"},
		Args:        c.args,
		RunE:        c.runE,
	}
	f := cmd.Flags()
	f.SortFlags = false
	c.points.add(cmd)
	c.reference = flags.NewChoice("1", "2")
	c.reference.Add(cmd, "reference", "the point whose clock times are told in")
	f.Var(&c.interval, "interval", "with --format json or ndjson: also what happened in each interval of `SECONDS`")
	f.StringVar(&c.annotate, "annotate", "", "also write the packets of both captures to `FILE`, one pcapng on one clock, with a comment on each")
	f.BoolVar(&c.datagrams, "datagrams", false, "with --format csv: a row for each datagram")
	c.add(cmd)
	source.HideLive(cmd)
	return cmd
}

// args takes the files of --point, too.
func (c *compareCommand) args(*cobra.Command, []string) error { return nil }

// check refuses what has no meaning.
func (c *compareCommand) check(cmd *cobra.Command, paths []string) error {
	switch {
	case c.Live() || c.Follow:
		return exit.Usagef("captures are compared that are complete, not live ones")
	case c.datagrams && c.format.Value != "csv":
		return exit.Usagef("--datagrams is for --format csv; ndjson has a record for each datagram")
	case c.interval != 0 && c.format.Value != "json" && c.format.Value != "ndjson":
		return exit.Usagef("--interval is for --format json or ndjson")
	}
	return c.checkSpan()
}

func (c *compareCommand) runE(cmd *cobra.Command, paths []string) error {
	if err := c.check(cmd, paths); err != nil {
		return err
	}
	points, err := c.points.of(paths, "compare takes two captures of one session: dpdissect compare A B")
	if err != nil {
		return err
	}
	return c.readPair(cmd, points, c.format.Value == "ndjson" || c.datagrams, func(out *destination, guard *outfile.Guard, r *compare.Comparison) (err error) {
		if c.annotate != "" {
			r.Choose(c.choice())
			err = c.annotateBoth(cmd, points, r, guard)
		}
		return cmp.Or(c.write(out, r), err)
	})
}

// choice gathers the flags that say what of the comparison is shown.
func (c *compareCommand) choice() compare.Choice {
	x := c.spanOf()
	x.Reference, x.Interval = int(c.reference.Value[0]-'1'), int64(time.Duration(c.interval))
	if c.connection.Given {
		x.Shown = func(id int) bool { return id == int(c.connection.ID) }
	}
	return x
}

func (c *compareCommand) write(out *destination, r *compare.Comparison) error {
	r.Choose(c.choice())
	d := r.Document(func(infos []capture.Info) []any { return report.CaptureRecords(infos) })
	switch c.format.Value {
	case "json":
		return report.WriteCompareJSON(out, d)
	case "ndjson":
		if err := r.WritePassages(out); err != nil {
			return err
		}
		b, err := report.AppendCompare(nil, d)
		if err == nil {
			_, err = out.Write(b)
		}
		return err
	case "csv":
		if c.datagrams {
			return r.WritePassageCSV(out)
		}
		return compare.WriteCSV(out, d)
	}
	return report.WriteCompareText(out, d, report.TextOptions{Palette: out.screen.palette, Width: out.screen.width, Names: c.nameOf()})
}
