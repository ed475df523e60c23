package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/bucket"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/fleet"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/parquetfile"
	"github.com/dpdissect/dpdissect/internal/piecewise"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/source"
	"github.com/dpdissect/dpdissect/internal/tablecmd"
	"github.com/dpdissect/dpdissect/internal/tables"
)

// tablesCommand is the flags of the command.
type tablesCommand struct {
	rows   tablecmd.Flags
	pieces piecewise.Pieces
	source source.Flags
	inputs.Tracking
	fence string // the place that a step of a worker writes its rows from
}

func newTables() *cobra.Command {
	c := &tablesCommand{pieces: piecewise.Pieces{Command: "tables", Usage: fmt.Errorf, Waits: true}}
	c.source.Delay, c.source.InOrder = source.ReportDelay, true
	cmd := &cobra.Command{
		Use:     "tables --out DIR INPUT...",
		Short:   tablecmd.Short,
		Long:    strings.ReplaceAll(tablecmd.Long, ".ndjson", ".parquet"),
		Example: strings.ReplaceAll(tablecmd.Example, "  dpdissect ", "  dpdissect-fleet "),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := c.pieces.Check(cmd.Flags()); err != nil {
				return err
			}
			return c.run(cmd.OutOrStdout(), cmd.ErrOrStderr(), paths)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	c.rows.Add(f, "parquet")
	c.pieces.Add(f)
	f.StringArrayVarP(&c.source.Interfaces, "interface", "i", nil, "capture live from `IFACE`, any for all; repeatable")
	f.StringVarP(&c.source.Filter, "capture-filter", "f", "", "read only packets that match `FILTER` in pcap-filter syntax, also from files")
	f.BoolVar(&c.source.Follow, "follow", false, "keep reading a file that grows, as 'tail -f' does, until Ctrl-C")
	c.Tracking.Add(f)
	f.StringVar(&c.fence, "fence", "", "")
	f.MarkHidden("fence")
	return cmd
}

func (c *tablesCommand) run(stdout, stderr io.Writer, paths []string) error {
	live := c.source.Live()
	switch {
	case live && len(paths) > 0:
		return fmt.Errorf("-i captures live, but %q is a file: give one or the other", paths[0])
	case !live && len(paths) == 0:
		return errors.New("no INPUT: give capture files, - for standard input, or -i IFACE to capture live")
	case c.source.Follow && (live || len(paths) > 1):
		return errors.New("--follow reads one INPUT, a file")
	}
	o, err := c.rows.Options(c.source.First(paths), live, time.Now())
	if err != nil {
		return err
	}
	guard, err := c.writes(&o, paths)
	if err != nil {
		return err
	}
	cfg, err := c.Config(nil)
	if err != nil {
		return err
	}
	secrets, err := c.AllSecrets()
	if err != nil {
		return err
	}
	body, most, err := c.pieces.Begin(piecewise.Options{Protocols: c.Only, DecodeAs: c.DecodeAs, Filter: c.source.Filter, Secrets: secrets, More: c.rows.Counts()})
	if err != nil {
		return c.tellState(err, stderr)
	}
	src, err := c.source.Open(paths)
	if err != nil {
		return err
	}
	defer src.Close()
	if src.Waits() {
		defer c.source.StopOnSignal(src)()
	}
	r := &pipeline.Run{Source: src, Config: cfg}
	if c.pieces.Given() {
		if err := c.pieces.Attach(r, guard, body, most); err != nil {
			return err
		}
	}
	err = c.tables(r, o)
	failed := err != nil
	err = cmp.Or(err, inputs.TellInternal(tellOn(stderr), r.Internal()), inputs.TellProblems(tellOn(stderr), src.Infos()[src.Before():]))
	if asStep {
		reportStep(stdout, src.Infos()[src.Before():])
	}
	err = cmp.Or(c.pieces.Finish(src, failed), err)
	if n := c.pieces.Note(); n != "" {
		tell(stderr, n)
	}
	return c.tellState(err, stderr)
}

// tables reads the inputs and writes rows.
func (c *tablesCommand) tables(r *pipeline.Run, o tables.Options) (err error) {
	defer c.pieces.Guard(&err)
	return c.rows.Run(r, o)
}

// tellState says what is wrong with a state, and gives the error that stands for it.
func (c *tablesCommand) tellState(err error, stderr io.Writer) error {
	if text, is := c.pieces.Wrong(err); is {
		tell(stderr, text)
		return exit.ErrInput
	}
	return err
}

// writes sets how rows are written, and where. The guard knows the files that are read.
func (c *tablesCommand) writes(o *tables.Options, paths []string) (*outfile.Guard, error) {
	o.Build = build()
	switch c.rows.Format {
	case "parquet":
		o.Format = parquetfile.Format{}
	case "ndjson":
		o.Format = tables.NDJSON{}
	default:
		return nil, fmt.Errorf("--format %s: want parquet or ndjson", c.rows.Format)
	}
	guard := new(outfile.Guard)
	for _, p := range paths {
		guard.Reads("an input", p)
	}
	guard.Reads("the secrets file", c.Secrets)
	c.rows.Reads(guard)
	if strings.HasPrefix(c.rows.Out, bucket.Scheme) {
		b, err := bucket.Open(c.rows.Out)
		if err != nil {
			return nil, fmt.Errorf("--out %s: %w", c.rows.Out, err)
		}
		b.Fence(c.fence)
		o.Store = b
		return guard, nil
	}
	folder := &tables.Folder{Path: c.rows.Out, Files: guard}
	if o.Store = folder; c.fence != "" {
		o.Store = &fencedFolder{folder, c.fence}
	}
	return guard, nil
}

// reportStep tells a worker what its step read.
func reportStep(w io.Writer, infos []capture.Info) {
	var r fleet.Report
	last := int64(0)
	for i := range infos {
		r.Packets, last = r.Packets+infos[i].Packets, max(last, infos[i].LastTime)
	}
	if r.Packets > 0 {
		at := time.Unix(0, last).UTC()
		r.LastTime = &at
	}
	json.NewEncoder(w).Encode(&r)
}
