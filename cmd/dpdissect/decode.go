package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// decode is the flags of the command.
type decode struct {
	input
	tree    bool
	bytes   bool
	fields  []string
	options []string
	tables  statistics
}

func newDecode() *cobra.Command {
	c := &decode{}
	cmd := &cobra.Command{
		Use:   "decode INPUT...",
		Short: "Show every datagram: one line, the whole tree, bytes or columns",
		Long: `Show every UDP datagram of the captures, one line each: number, time, source,
destination, protocol, length and a summary, with marks such as [Retry].

-V shows all fields with their bits and what the analysis found about the frame,
-x the bytes, -e selected fields as columns. With --format json or ndjson each
datagram is a record; 'dpdissect schema frame' describes it, and --format csv is
a line of it, with the fields as JSON in one cell. Frame numbers count the
packets of the capture, as in Wireshark, whatever -Y selects. --format events
tells what happened in the order of time, a JSON object a line, with names as in
qlog: 'dpdissect schema event' describes them.

Columns are meant for other programs: text from packets that a spreadsheet would
take for a formula, because it begins with = + - or @, gets a ' in front, and
text that contains the separator is quoted. Numbers stay as they are. -E
separator=, makes CSV according to RFC 4180. -e note.rule and -e analysis print
what the analysis found about a datagram: see 'dpdissect fields'.

'dpdissect fields' lists the names that -e and -Y accept.`,
		Example: `  dpdissect decode game.pcap
  dpdissect decode -V -Y 'dp8.opcode == 2' game.pcap
  dpdissect decode -T fields -e frame.number -e dp8.seq -E header=y -r game.pcap
  dpdissect decode --format ndjson game.pcap.zst | jq 'select(.retry_of)'`,
		Annotations: map[string]string{quietMeans: "nothing but errors"},
		RunE:        c.runE,
	}
	c.formats = []string{flags.Text, flags.JSON, flags.NDJSON, flags.CSV, "events"}
	f := cmd.Flags()
	f.BoolVarP(&c.tree, "verbose", "V", false, "show all fields of each datagram")
	f.BoolVarP(&c.bytes, "hex", "x", false, "show the bytes of each datagram")
	f.StringArrayVarP(&c.fields, "field", "e", nil, "print this `FIELD` as a column; repeatable")
	f.StringArrayVarP(&c.options, "field-option", "E", nil, "set how columns look, `NAME=VALUE`: header=y|n, separator=/t|/s|CHAR, quote=d|s|n, occurrence=f|l|a, aggregator=,|/s|CHAR, bom=y|n; repeatable")
	c.input.add(cmd)
	c.tables.add(cmd)
	return cmd
}

func (c *decode) runE(cmd *cobra.Command, paths []string) error {
	if _, err := c.tables.wantsConnections(cmd, paths, &c.display); err != nil {
		return err
	}
	c.defaultColumns()
	p, err := c.printer(max(len(paths), len(c.Interfaces)) > 1)
	if err != nil {
		return exit.AsUsage(err)
	}
	if c.format.Value == "events" {
		return c.events(cmd, paths)
	}
	j, err := c.open(cmd, paths, false)
	if err != nil {
		return err
	}
	if c.quiet {
		return j.finish(j.do(nil))
	}
	p.Display.Window = c.window()
	p.Display.Filter, p.Palette, p.Clock = j.show, j.screen.palette, c.clock()
	p.Names, p.Width = c.nameOf(), terminal.Width
	p.Configure(&j.run.Config)
	q := pipeline.NewQueue(j.out, p)
	q.Notes = !j.Live()
	q.Append(p.AppendStart)
	if err = j.do(q); err == nil {
		q.Append(p.AppendEnd)
		err = q.Flush()
	}
	return j.finish(err)
}

// defaultColumns are those of the configuration, where the flags ask for lines.
func (c *decode) defaultColumns() {
	if c.format.Value != "text" || c.tree || c.bytes || len(c.fields) > 0 || len(c.options) > 0 {
		return
	}
	for _, f := range c.settings.Columns {
		c.fields = append(c.fields, f.Text)
	}
}

// printer chooses how frames are printed.
func (c *decode) printer(files bool) (*pipeline.Frames, error) {
	p := &pipeline.Frames{Files: files, Titles: protocols.Tables(), Table: report.FrameTable()}
	var err error
	if p.Mode, err = c.mode(); err != nil || p.Mode != pipeline.Columns {
		return p, err
	}
	o := render.DefaultColumnOptions()
	for _, s := range c.options {
		if err := o.Set(s); err != nil {
			return nil, err
		}
	}
	p.Columns, err = render.NewColumns(c.fields, o, fieldTables())
	return p, err
}

func (c *decode) mode() (pipeline.FrameMode, error) {
	columns, tree := len(c.fields) > 0, c.tree || c.bytes
	switch {
	case c.format.Value != "text" && (columns || tree || len(c.options) > 0):
		return 0, fmt.Errorf("-V, -x, -e and -E work with text, not with --format %s", c.format.Value)
	case columns && tree:
		return 0, fmt.Errorf("-e prints columns and cannot be combined with -V or -x")
	case len(c.options) > 0 && !columns:
		return 0, fmt.Errorf("-E sets how the columns of -e look: give -e")
	case c.format.Value == "json":
		return pipeline.JSON, nil
	case c.format.Value == "ndjson":
		return pipeline.NDJSON, nil
	case c.format.Value == "csv":
		return pipeline.Table, nil
	case columns:
		return pipeline.Columns, nil
	case c.tree && c.bytes:
		return pipeline.TreeBytes, nil
	case c.tree:
		return pipeline.Tree, nil
	case c.bytes:
		return pipeline.Bytes, nil
	}
	return pipeline.Lines, nil
}
