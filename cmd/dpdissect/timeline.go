package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/source"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

// timelineCommand is the flags of the command.
type timelineCommand struct {
	input
	interval flags.Seconds
	plot     bool
	shards   [pipeline.Shards]*timeline.Timeline
}

func newTimeline() *cobra.Command {
	c := &timelineCommand{}
	c.Delay = source.ReportDelay
	c.formats = []string{flags.Text, flags.CSV, flags.JSON, flags.NDJSON}
	c.pair = &pairInput{run: c.runPair}
	cmd := &cobra.Command{
		Use:   "timeline INPUT...",
		Short: "Show the numbers of connections over time",
		Long: `Show what each side of a connection sent over time: its frames, retries, gaps,
messages and round trips in each interval of length --interval. Intervals begin
at whole multiples of their length since 1970; empty intervals are left out.
Their sums are the numbers of 'dpdissect analyze'.

An event counts in the interval of its frame, a round trip in that of its
acknowledgement. Text draws a line for each number that is not 0, as wide as the
terminal: a column stands for several intervals if there are many. --plot draws
plots instead: the rate, retries, numbers in flight and round trips.

With --format json or ndjson each interval is a record; 'dpdissect schema
interval' describes it. csv has the same columns. With -Y only connections with
at least one matching datagram are shown, with all their numbers. With --from
and --to the intervals that overlap the span are shown, each with all its
numbers.

Of two captures of one session, made at two points, each interval says what
'dpdissect compare' finds: how many datagrams were sent and lost between the
points, how long they were on their way, and how long they were queued.`,
		Example: `  dpdissect timeline game.pcap
  dpdissect timeline --connection 2 --interval 100ms game.pcap
  dpdissect timeline --plot --connection 2 game.pcap
  dpdissect timeline --format csv -o game.csv game.pcap
  dpdissect timeline --interval 100ms player.pcap server.pcap`,
		Annotations: map[string]string{quietMeans: "no progress bar", source.SlicesTime: "yes"},
		RunE:        c.runE,
	}
	cmd.Flags().Var(&c.interval, "interval", "length of an interval: `SECONDS`, or a duration such as 100ms or 5m; 1 by default")
	c.pair.add(cmd)
	cmd.Flags().BoolVar(&c.plot, "plot", false, "draw plots of the rate, retries, numbers in flight and round trips")
	c.add(cmd)
	return cmd
}

func (c *timelineCommand) runE(cmd *cobra.Command, paths []string) error {
	if err := c.checkSpan(); err != nil {
		return err
	}
	if c.plot && c.format.Value != "text" {
		return exit.Usagef("--plot draws text: leave out --format %s", c.format.Value)
	}
	length := int64(cmp.Or(time.Duration(c.interval), time.Second))
	j, err := c.open(cmd, paths, true)
	if err != nil {
		return err
	}
	j.attach = func() { c.listen(&j.run, length) }
	j.overTime = true
	a, err := j.analyse()
	if err == nil {
		x := &report.Intervals{Conns: a.Conns, Length: length, Of: c.within(j.part)}
		err = c.write(j, x, c.tableClock(cmd.Flags().Changed("time-format"), a))
	}
	return j.finish(err)
}

// listen makes a timeline of each shard hear what its tracker counts.
func (c *timelineCommand) listen(r *pipeline.Run, length int64) {
	next := r.Sink
	r.Sink = func(shard int) session.Sink {
		c.shards[shard] = timeline.New(length, next(shard))
		return c.shards[shard]
	}
	after := r.After
	r.After = func(frame uint64) error {
		intervals := 0
		for _, t := range c.shards {
			intervals += t.Intervals()
		}
		if intervals > timeline.MaxIntervals {
			return timeline.TooMany(length)
		}
		if after == nil {
			return nil
		}
		return after(frame)
	}
}

// of gives the intervals of a side of a connection: one shard has followed it.
func (c *timelineCommand) of(conn *session.Conn, dir dissect.Dir) []*timeline.Interval {
	i := slices.IndexFunc(c.shards[:], func(t *timeline.Timeline) bool { return t.Follows(conn) })
	if i < 0 {
		return nil
	}
	conn.Unpack() // what it counted last is not in an interval yet
	defer conn.Rest()
	return c.shards[i].Direction(conn, dir)
}

// within is of, with the intervals that --from and --to ask for.
func (c *timelineCommand) within(x *part) func(conn *session.Conn, dir dissect.Dir) []*timeline.Interval {
	if x == nil {
		return c.of
	}
	from, to := x.bounds()
	return func(conn *session.Conn, dir dissect.Dir) []*timeline.Interval {
		return slices.DeleteFunc(c.of(conn, dir), func(v *timeline.Interval) bool { return v.To <= from || v.From >= to })
	}
}

func (c *timelineCommand) write(j *job, x *report.Intervals, clock func(ns int64) string) error {
	switch c.format.Value {
	case "csv":
		return report.WriteIntervalCSV(j.out, x)
	case "json":
		return report.WriteIntervalJSON(j.out, x)
	case "ndjson":
		return report.WriteIntervalRecords(j.out, x)
	}
	o := report.TextOptions{Palette: j.screen.palette, Width: j.screen.width, Clock: clock, Names: c.nameOf(), Chosen: c.display != "" || j.part != nil}
	if c.plot {
		return report.WriteIntervalPlots(j.out, x, o)
	}
	return report.WriteIntervalText(j.out, x, o)
}
