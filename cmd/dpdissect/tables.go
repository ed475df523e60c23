package main

import (
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/source"
	"github.com/dpdissect/dpdissect/internal/tablecmd"
	"github.com/dpdissect/dpdissect/internal/tables"
)

// tablesCommand is the flags of the command.
type tablesCommand struct {
	input
	rows tablecmd.Flags
}

func newTables() *cobra.Command {
	c := &tablesCommand{}
	c.Delay, c.InOrder, c.pieces = source.ReportDelay, true, newPieces("tables")
	cmd := &cobra.Command{
		Use:         "tables --out DIR INPUT...",
		Short:       tablecmd.Short,
		Long:        tablecmd.Long,
		Example:     tablecmd.Example,
		Args:        c.Flags.Check,
		Annotations: map[string]string{source.SlicesTime: "yes"},
		RunE:        c.runE,
	}
	f := cmd.Flags()
	f.SortFlags = false
	c.rows.Add(f, "ndjson")
	c.pieces.Add(f)
	c.Flags.Add(cmd)
	c.Flags.AddFollow(cmd)
	c.addProtocols(cmd)
	c.AddExpand(cmd)
	f.BoolVarP(&c.quiet, "quiet", "q", false, "no progress bar")
	return cmd
}

// fleetWrites says what the other program is for.
const fleetWrites = "dpdissect-fleet tables writes that: it comes with every release, and from the source with 'go build ./cmd/dpdissect-fleet'"

func (c *tablesCommand) runE(cmd *cobra.Command, paths []string) error {
	if err := c.configure(cmd); err != nil {
		return err
	}
	switch {
	case c.rows.Format == "parquet":
		return exit.Usagef("--format parquet: %s", fleetWrites)
	case c.rows.Format != "ndjson":
		return exit.Usagef("--format %s: want ndjson, or parquet", c.rows.Format)
	case strings.HasPrefix(c.rows.Out, "s3://"):
		return exit.Usagef("--out %s: %s", c.rows.Out, fleetWrites)
	case c.Follow && len(paths) > 1:
		return exit.Usagef("--follow reads one INPUT: the first of several would have no end")
	}
	if err := c.pieces.Check(cmd.Flags()); err != nil {
		return err
	}
	o, err := c.rows.Options(c.First(paths), c.Live(), time.Now())
	if err != nil {
		return exit.AsUsage(err)
	}
	body, most, err := c.beginPieces(c.rows.Counts())
	if err != nil {
		return c.tellState(err, cmd.ErrOrStderr())
	}
	cfg, err := c.Config(c.dp8)
	if err != nil {
		return err
	}
	guard := c.guard(paths)
	c.rows.Reads(guard)
	o.Format, o.Store, o.Build = tables.NDJSON{}, &tables.Folder{Path: c.rows.Out, Files: guard}, buildVersion().Version
	src, err := c.source(paths)
	if err != nil {
		return err
	}
	j := &job{input: &c.input, stderr: cmd.ErrOrStderr(), stop: func() {}, dest: &destination{}}
	j.run = pipeline.Run{Source: src, Config: cfg}
	if c.pieces.Given() {
		if err := c.pieces.Attach(&j.run, guard, body, most); err != nil {
			return j.close(err)
		}
	}
	j.begun()
	err = j.close(c.rowsOf(j, o))
	return c.finishPieces(j, err)
}

// rowsOf reads the inputs and writes rows.
func (c *tablesCommand) rowsOf(j *job, o tables.Options) (err error) {
	defer c.pieces.Guard(&err)
	return c.rows.Run(&j.run, o)
}

// begun shows that the job works, which prints nothing.
func (j *job) begun() {
	switch {
	case j.Live():
		j.stop = sync.OnceFunc(j.StopOnSignal(j.run.Source))
		j.Announce(j.stderr)
	case j.run.Source.Waits():
		j.stop = sync.OnceFunc(j.StopOnSignal(j.run.Source))
	case !j.quiet:
		j.stop = showProgress(j.run.Source, j.stderr)
	}
	if !j.Live() {
		boundGarbage()
	}
}
