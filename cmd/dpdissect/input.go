package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/dissect/render"
	dp8track "github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/config"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/piecewise"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/source"
)

// input is the flags that every reading command shares.
type input struct {
	source.Flags
	tshark
	inputs.Tracking
	display      string
	connection   flags.Connection
	span         span
	settings     *config.Config // of files, nil before they are read
	numeric      bool
	time         render.TimeFormat
	timeFromFile bool // a configuration says it, no flag
	workers      flags.Positive
	format       flags.Choice
	color        flags.Choice
	quiet        bool
	output       string
	outputFlag   string // that names it in messages, -o when empty
	same         sameSession
	pair         *pairInput              // of commands that draw two captures of one session together, else nil
	pieces       *piecewise.Pieces       // of commands that take a capture piece by piece, else nil
	prepare      func(j *job) error      // opens further outputs before anything is read; nil for none
	dp8          func(*dp8track.Options) // changes what DirectPlay 8 is told; nil for nothing
	formats      []string                // text, json and ndjson unless the command has others
}

// add adds the flags. They stand after the command's own.
func (in *input) add(cmd *cobra.Command) {
	if in.formats == nil {
		in.formats = []string{flags.Text, flags.JSON, flags.NDJSON}
	}
	in.format = flags.NewChoice(flags.FormatNames(in.formats)...)
	in.color = newColor()
	f := cmd.Flags()
	f.SortFlags = false
	in.format.Add(cmd, "format", flags.FormatUsage(in.formats))
	in.tshark.add(cmd, &in.format)
	f.StringVarP(&in.output, "output", "o", "", "write to `FILE` instead of standard output")
	in.Flags.Add(cmd)
	in.AddExpand(cmd)
	in.same.add(cmd)
	in.AddFollow(cmd)
	in.addTracking(cmd)
	in.span.add(cmd)
	f.BoolVarP(&in.numeric, "numeric", "n", false, "show addresses and ports as numbers; names are never looked up anyway")
	f.VarP(&in.time, "time-format", "t", "`FORMAT` of times in text: r since the first packet, a or ad local, u or ud UTC, e since 1970, d since the previous packet, dd since the previous shown; ad.3 has 3 decimals")
	f.Var(&in.workers, "workers", "track connections with `N` goroutines; one, the default, costs the least CPU time; the output does not depend on it")
	in.color.Add(cmd, "color", "colour in text output; NO_COLOR is respected")
	f.BoolVarP(&in.quiet, "quiet", "q", false, "print less: "+cmd.Annotations[quietMeans])
	if in.pieces != nil {
		in.pieces.Add(cmd.Flags())
	}
	check, run := cmd.Args, cmd.RunE
	if check == nil {
		check = in.Flags.Check
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := in.tshark.check(cmd, args, &in.format); err != nil {
			return err
		}
		if in.pair != nil && len(in.pair.named) > 0 {
			return nil // which are the inputs
		}
		return check(cmd, in.inputs(args))
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := in.configure(cmd); err != nil {
			return err
		}
		paths := in.captures(cmd.ErrOrStderr(), args)
		if in.pair != nil && len(in.pair.named) > 0 {
			return in.pair.runOn(cmd, paths)
		}
		if done, err := in.apart(cmd, paths, run); done {
			return err
		}
		return run(cmd, paths)
	}
}

// addTracking adds the flags that say what is looked for in packets.
func (in *input) addTracking(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&in.display, "display-filter", "Y", "", "display `FILTER` in Wireshark's syntax")
	f.Var(&in.connection, "connection", "show only connection `N`, by its number in the analysis")
	in.addProtocols(cmd)
}

// addProtocols adds the flags that say what packets are of.
func (in *input) addProtocols(cmd *cobra.Command) {
	f := cmd.Flags()
	in.Tracking.Add(f)
	in.Tracking.AddSecret(f)
	f.VarP(&in.Count, "packet-count", "c", "stop after `N` packets of the capture")
}

func newColor() flags.Choice { return flags.NewChoice("auto", "always", "never") }

// quietMeans is the annotation that says what -q does to a command.
const quietMeans = "quiet"

// displayFilter compiles -Y; nil when there is none.
func (in *input) displayFilter() (*filter.Filter, error) {
	if in.display == "" && !in.connection.Given {
		return nil, nil
	}
	set := filter.NewSet(protocols.Tables())
	set.Zone = in.zone()
	var f *filter.Filter
	if in.display != "" {
		var err error
		if f, err = filter.Compile(in.display, set); err != nil {
			return nil, fmt.Errorf("-Y: %w", err)
		}
	}
	if in.connection.Given {
		one := fmt.Sprintf("connection == %d", in.connection.ID)
		if f != nil { // it was compiled alone first, for its errors
			one = "(" + in.display + ") && " + one
		}
		return filter.Compile(one, set)
	}
	return f, nil
}

func (in *input) clock() *render.Clock { return &render.Clock{Format: in.time} }

// workerCount is the number of trackers. One is the default: reading is most of
// the work, and more trackers take more CPU for little less time. More than
// there are shards are no use.
func (in *input) workerCount() int {
	return int(min(max(in.workers, 1), pipeline.Shards))
}
