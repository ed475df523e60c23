package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/metrics"
	"github.com/dpdissect/dpdissect/internal/record"
	"github.com/dpdissect/dpdissect/internal/trigger"
	"github.com/dpdissect/dpdissect/session"
)

// captureCommand is the flags of the command.
type captureCommand struct {
	input
	write    string
	format   flags.Choice
	ring     []string
	compress flags.Choice
	on       string
	keep     flags.Seconds
	dumps    int
	metrics  string

	options record.Options
	tracker session.Config
	show    *filter.Filter // -Y, or nil
	trigger *trigger.Trigger
}

// defaultDumps bounds the dumps of one name: a trigger that fires too often does not
// fill the disk.
const defaultDumps = 100

// recordDelay lets packets wait in the kernel for others, which saves wake-ups, when they are only
// written.
const recordDelay = 50 * time.Millisecond

func newCapture() *cobra.Command {
	c := &captureCommand{keep: flags.Seconds(30 * time.Second)}
	c.Delay = recordDelay
	cmd := &cobra.Command{
		Use:   "capture -i IFACE -w FILE",
		Short: "Record packets from network interfaces, all or those that match",
		Long: `Record packets from network interfaces to a file, or to a ring of files: with -b
each file is complete in itself and named FILE_00001_20261120193000.pcapng, as
tshark names them; files:N and total:KIB delete the oldest of that name, also
those of earlier runs. Packets dropped by the kernel are reported at the end and
recorded in the files. -Y writes only datagrams that match a display filter.

The flight recorder: --on keeps the last seconds in memory and, when its
expression becomes true for a connection or a rule is broken, dumps them to
FILE_dump_00001_20261120193000.pcapng beside the running capture, with findings,
and how connections ended, as comments on their packets. Dumps are at least the
time of --keep apart. The expression joins these words by and, or, not and ();
"for 5s" after a measure means that it must exceed its limit for that time:
` + triggerWords(),
		Example: `  dpdissect capture -i eth0 -w game.pcapng -f 'udp portrange 2300-2400 or icmp'
  dpdissect capture -i any -w ring.pcapng.zst -b duration:3600 -b files:24
  dpdissect capture -i eth0 -w dp8.pcapng -Y 'dp8 and retry' -a duration:60
  dpdissect capture -i eth0 -w game.pcapng --on 'cut-off or loss > 5%' --keep 30`,
		Args: noArgs,
		RunE: c.runE,
	}
	c.format, c.compress = flags.NewChoice("auto", "pcapng", "pcap"), flags.NewChoice("auto", "gzip", "zstd", "lz4")
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&c.write, "write", "w", "", "write packets to `FILE`; - is standard output")
	c.format.AddShort(cmd, "file-type", "F", "format of the file; auto means pcapng unless its name ends in .pcap")
	f.StringArrayVarP(&c.ring, "ring-buffer", "b", nil, "start the next file at `COND`: duration:SECONDS, interval:SECONDS, filesize:KIB or packets:N; files:N keeps the latest N and total:KIB the latest that fit, files of earlier runs included; repeatable")
	c.compress.Add(cmd, "compress", "compress while writing; auto goes by the file name: .gz, .zst or .lz4")
	f.StringVar(&c.on, "on", "", "dump the last seconds when `EXPR` is true, as in 'cut-off or finding.error or loss > 5%'")
	f.Var(&c.keep, "keep", "with --on, keep the last `SECONDS` for a dump")
	f.IntVar(&c.dumps, "dumps", defaultDumps, "with --on, leave the latest `N` dumps of this name, those of earlier runs included; 0 leaves all")
	f.StringVar(&c.metrics, "metrics", "", metricsUsage)
	c.Flags.Add(cmd)
	c.addTracking(cmd)
	f.BoolVarP(&c.quiet, "quiet", "q", false, "show no packet counter")
	return cmd
}

func triggerWords() string {
	var b strings.Builder
	for _, w := range trigger.Words() {
		fmt.Fprintf(&b, "  %-16s %s\n", w[0], w[1])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// prepare checks what can be checked before anything is opened.
func (c *captureCommand) prepare(cmd *cobra.Command) (err error) {
	switch {
	case !c.Live():
		return exit.Usagef("no interface: give -i IFACE; 'dpdissect interfaces' lists them")
	case c.write == "":
		return exit.Usagef("no file: give -w FILE, or -w - for standard output")
	case c.write == "-" && c.on != "":
		return exit.Usagef("--on writes files next to that of -w, which is standard output here")
	case c.on == "" && cmd.Flags().Changed("keep"):
		return exit.Usagef("--keep needs --on")
	case c.on == "" && cmd.Flags().Changed("dumps"):
		return exit.Usagef("--dumps needs --on")
	case c.dumps < 0:
		return exit.Usagef("--dumps %d: want a number from 0", c.dumps)
	}
	if err := c.Flags.Check(cmd, nil); err != nil {
		return err
	}
	if c.on != "" {
		if c.trigger, err = trigger.Compile(c.on); err != nil {
			return fmt.Errorf("--on: %w", err)
		}
	}
	if c.tracker, err = c.Config(c.dp8); err != nil {
		return err
	}
	if c.show, err = c.displayFilter(); err != nil {
		return err
	}
	o := &c.options
	o.Path, o.Format, o.Compress, o.Nanoseconds = c.write, chosen(&c.format), chosen(&c.compress), true
	o.Filter = c.Filter
	o.Stdout, o.Guard = cmd.OutOrStdout(), c.guard(nil)
	return c.parseRing(&o.Ring)
}

func (c *captureCommand) parseRing(r *record.Ring) error {
	for _, s := range c.ring {
		what, value, _ := strings.Cut(s, ":")
		var n uint64
		var err error
		switch what {
		case "duration":
			r.Duration, err = flags.ParseSeconds(value)
		case "interval":
			r.Interval, err = flags.ParseSeconds(value)
		case "filesize":
			n, err = flags.ParseCount(value)
			r.FileSize = int64(n) << 10
		case "packets":
			r.Packets, err = flags.ParseCount(value)
		case "files":
			r.Keep.Files, err = strconv.Atoi(value)
			if err != nil || r.Keep.Files < 1 {
				err = errors.New("want a number from 1")
			}
		case "total":
			n, err = flags.ParseCount(value)
			r.Keep.Bytes = int64(n) << 10
		default:
			err = errors.New("want duration:SECONDS, interval:SECONDS, filesize:KIB, packets:N, files:N or total:KIB")
		}
		if err != nil {
			return exit.Usagef("-b %s: %w", s, err)
		}
	}
	return nil
}

func (c *captureCommand) runE(cmd *cobra.Command, _ []string) error {
	if err := c.prepare(cmd); err != nil {
		return err
	}
	most := c.Limits.Bytes // here of the file, not of packets
	c.Limits.Bytes = 0
	src, err := c.Open(nil)
	if err != nil {
		return err
	}
	defer src.Close()
	o := &c.options
	describe(o, src)
	out, err := record.Create(*o)
	if err != nil {
		return fmt.Errorf("-w: %w", err)
	}
	release := c.StopOnSignal(src)
	defer release()
	stderr := cmd.ErrOrStderr()
	c.Announce(stderr)
	meter, err := metrics.StartRecording(src, c.metrics, buildVersion().Version)
	if err != nil {
		return cmp.Or(closed(out), err)
	}
	defer meter.Close()
	k := &recording{src: src, out: out, most: most, line: newCountLine(stderr, c.quiet), meter: meter}
	err = c.run(k, stderr)
	k.line.clear()
	err = cmp.Or(err, closed(out))
	src.Close()
	k.tell(stderr)
	return cmp.Or(err, inputs.TellProblems(tellOn(stderr), src.Infos()))
}

// run records until the source ends.
func (c *captureCommand) run(k *recording, stderr io.Writer) error {
	if c.show == nil && c.trigger == nil {
		return k.all()
	}
	return c.runTracked(k, stderr)
}

// chosen is the word of a choice, "" for auto.
func chosen(c *flags.Choice) string {
	if c.Value == "auto" {
		return ""
	}
	return c.Value
}
