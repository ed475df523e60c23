package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
)

// messages is the flags of the command.
type messages struct {
	input
	dir        string
	payload    bool
	incomplete bool
}

func newMessages() *cobra.Command {
	c := &messages{}
	cmd := &cobra.Command{
		Use:   "messages INPUT...",
		Short: "List the application messages that each side received",
		Long: `List the application messages of each connection, reassembled from their parts,
in the order in which the receiver's application got them: copies and retries
never make a second message.

The text shows connection and direction, index, time, number, frames, size,
flags (R reliable, O ordered), and the first bytes of the SHA-256 digest and of
the payload. With --format json or ndjson each message is a record; 'dpdissect
schema message' describes it; --format csv has a line for each. --out writes the
payload of each complete message to its own file,
CONNECTION-DIRECTION-INDEX.bin, which only the user may read; existing files
with these names are replaced.

With -Y only messages whose last frame matches are listed; their indices do not
change.`,
		Example: `  dpdissect messages game.pcap
  dpdissect messages --format ndjson --payload game.pcap
  dpdissect messages -q --out payloads game.pcap
  dpdissect messages -Y 'direction == "a"' game.pcap`,
		Annotations: map[string]string{quietMeans: "nothing but errors"},
		RunE:        c.runE,
	}
	c.formats = []string{flags.Text, flags.JSON, flags.NDJSON, flags.CSV}
	f := cmd.Flags()
	f.StringVar(&c.dir, "out", "", "write payloads to files in directory `DIR`")
	f.BoolVar(&c.payload, "payload", false, "show payloads: in hexadecimal in JSON, as a dump in text")
	f.BoolVar(&c.incomplete, "incomplete", false, "also list messages that lack a part")
	c.input.add(cmd)
	return cmd
}

func (c *messages) runE(cmd *cobra.Command, paths []string) error {
	j, err := c.open(cmd, paths, false)
	if err != nil {
		return err
	}
	p := c.printer(j)
	if c.dir != "" {
		if p.dir, err = openDir(c.dir); err != nil {
			return j.finish(fmt.Errorf("--out: %w", err))
		}
		defer p.dir.Close()
		p.files = j.files
	}
	p.heading = !j.unopened()
	q := pipeline.NewQueue(j.out, p)
	q.Append(p.appendStart)
	after := func() error { return p.err }
	if err = j.doWith(q, after); err == nil {
		q.Append(p.appendEnd)
		err = q.Flush()
	}
	return j.finish(err)
}

// printer makes the printer and sets what the tracker must provide for it.
func (c *messages) printer(j *job) *messagePrinter {
	p := &messagePrinter{format: c.format.Value, payload: c.payload, quiet: c.quiet, display: pipeline.Display{Filter: j.show, Window: c.window()}, clock: c.clock()}
	p.lines = report.NewMessageLines(j.screen.palette, p.clock, j.screen.width)
	p.table = report.MessageTable()
	cfg := &j.run.Config
	cfg.Messages, cfg.Incomplete = session.HashMessages, c.incomplete
	if c.payload || c.dir != "" || p.format == "text" {
		cfg.Messages = session.CollectPayload
	}
	p.keep = c.dir != "" || c.payload && p.format == "text"
	p.display.Configure(cfg)
	return p
}

// openDir makes a folder, unless it is there, and gives access to nothing else.
func openDir(path string) (*os.Root, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	return os.OpenRoot(path)
}
