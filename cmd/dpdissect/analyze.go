package main

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/source"
)

// analyze is the flags of the command.
type analyze struct {
	input
	verbose  bool
	top      flags.Positive
	order    flags.Choice
	interval flags.Seconds
	write    string
	metrics  string
	tables   statistics
	alone    bool // the table of connections
}

func newAnalyze() *cobra.Command {
	c := &analyze{}
	c.Delay, c.pieces = source.ReportDelay, newPieces("analyze")
	c.formats = []string{flags.Text, flags.JSON, flags.NDJSON, flags.CSV}
	cmd := &cobra.Command{
		Use:   "analyze INPUT...",
		Short: "Report connections, losses, retries, round trips and signatures",
		Long: `Report what became of each connection: how far it got, how much each side sent,
resent and lost, where losses happened as far as that can be proved, how long
acknowledgements took, whether signatures are valid, and which rules were
broken.

A value that cannot be known from the capture is "-" in text and absent in JSON.
--format json prints one document, ndjson the same on one line; 'dpdissect
schema analysis' describes it. csv prints a line for each direction of each
connection, with columns named by their path in JSON: a.address, rtt.p95_ms.

With -i it captures live: on a terminal a table of connections is kept up to
date until q is pressed; elsewhere a table is printed every --interval, or with
--format ndjson a record of the connections being tracked and of those that
ended since the previous record. The report of the whole run follows at the end,
on Ctrl-C or when -a stops the run. Packets from a pipe, or from files with
--follow, are shown in the same way: always on a terminal, elsewhere with
--interval.

With -Y only connections with at least one matching datagram are reported, with
their findings. Connection numbers and all totals are still those of the
capture.

--from and --to count what happens between them: connections with a packet in
that span, and their numbers, findings and totals within it. State is tracked
from the start of the capture, and the end of a connection is reported even if
it lies outside. Round trips of pings are not reported then.

A capture may come in pieces: with --state-out a run leaves what the next piece
needs, which --state-in takes. The last report is that of one run over all of
them. INPUTs are read in the order given then.`,
		Example: `  dpdissect analyze game.pcap
  dpdissect analyze -Y 'ip.addr == 10.0.0.1' --format json one.pcap two.pcapng
  tcpdump -U -w - udp or icmp | dpdissect analyze -
  ssh host tcpdump -U -w - udp or icmp | dpdissect analyze --interval 10 -
  dpdissect analyze -i eth0 -f 'udp portrange 2300-2400 or icmp'
  dpdissect analyze -i any --format ndjson --interval 5 -a duration:3600
  dpdissect analyze -i eth0 -w game.pcapng
  dpdissect analyze --state-in game.state --state-out game.state next.pcap`,
		Annotations: map[string]string{quietMeans: "only the table and the findings, and no progress bar"},
		RunE:        c.runE,
	}
	cmd.Flags().BoolVarP(&c.verbose, "verbose", "V", false, "show every connection in full, however many there are, and every occurrence of a finding")
	cmd.Flags().Var(&c.top, "top", "list the `N` worst problems first, 12 by default")
	c.order = flags.NewChoice(append([]string{"auto"}, report.Orders()...)...)
	c.order.Add(cmd, "sort", "order of the table of connections; auto means start, or worst if not all are shown")
	cmd.Flags().Var(&c.interval, "interval", "live, with pipes and --follow: report every `SECONDS`; for live runs 10 by default, 1 on a terminal")
	cmd.Flags().StringVarP(&c.write, "write", "w", "", "live: also write the analysed packets to `FILE`, whose name decides the format, as with 'capture'")
	cmd.Flags().StringVar(&c.metrics, "metrics", "", "live: "+metricsUsage)
	c.add(cmd)
	c.tables.add(cmd)
	return cmd
}

func (c *analyze) runE(cmd *cobra.Command, paths []string) error {
	if err := cmp.Or(c.checkSpan(), c.pieces.Check(cmd.Flags())); err != nil {
		return err
	}
	if cmd.Flags().Changed("write") && (!c.Live() || c.write == "" || c.write == "-") {
		return exit.Usagef("-w writes the packets that -i captures to a file: give both")
	}
	if c.metrics != "" && !c.Live() {
		return exit.Usagef("--metrics works only with live captures: give -i")
	}
	var err error
	if c.alone, err = c.tables.wantsConnections(cmd, paths, &c.display); err != nil {
		return err
	}
	if c.alone && c.format.Value != "text" {
		return exit.Usagef("-z works with text, not with --format %s", c.format.Value)
	}
	body, most, err := c.beginPieces(nil)
	if err != nil {
		return c.tellState(err, cmd.ErrOrStderr())
	}
	var kept *keptCapture
	c.prepare = func(j *job) (err error) {
		if c.pieces.Given() {
			return c.pieces.Attach(&j.run, j.files, body, most)
		}
		kept, err = c.keep(j)
		return err
	}
	j, err := c.open(cmd, paths, true)
	if err != nil {
		return err
	}
	j.run.Config.Endings, j.run.Config.Pack = true, !c.watches(j)
	analyse := j.analyse
	if c.watches(j) {
		analyse = func() (*report.Analysis, error) { return c.watch(j, kept) }
	}
	err = c.report(cmd, j, analyse)
	err = j.finish(cmp.Or(kept.finish(j.stderr), err))
	return c.finishPieces(j, err)
}

// report analyses and prints.
func (c *analyze) report(cmd *cobra.Command, j *job, analyse func() (*report.Analysis, error)) (err error) {
	defer c.pieces.Guard(&err)
	a, err := analyse()
	if err == nil {
		err = c.render(j.out, a, &j.screen, c.tableClock(cmd.Flags().Changed("time-format"), a))
	}
	return err
}

func (c *analyze) render(w io.Writer, a *report.Analysis, s *screen, clock func(ns int64) string) error {
	switch c.format.Value {
	case "json":
		return report.WriteJSON(w, a)
	case "ndjson":
		return report.WriteRecord(w, a)
	case "csv":
		return report.WriteCSV(w, a)
	}
	return report.WriteText(w, a, report.TextOptions{Palette: s.palette, Width: s.width, Verbose: c.verbose, Quiet: c.quiet, Top: int(c.top), Order: c.order.Value, Clock: clock, Connections: c.alone, Span: c.span.words(), Names: c.nameOf(), Chosen: c.display != ""})
}
