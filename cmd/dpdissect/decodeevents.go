package main

import (
	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/events"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/pipeline"
)

// events prints events in the order of time, which is known once all is read.
func (c *decode) events(cmd *cobra.Command, paths []string) error {
	if c.Live() {
		return exit.Usagef("--format events is in the order of time, which a live run does not know before its end: use 'dpdissect capture', then decode")
	}
	j, err := c.open(cmd, paths, true)
	if err != nil {
		return err
	}
	if c.quiet {
		return j.finish(j.do(nil))
	}
	p := events.New(pipeline.Display{Filter: j.show, Window: c.window()})
	p.Configure(&j.run.Config)
	q := pipeline.NewQueue(j.out, p)
	if err = j.doWith(q, p.Err); err == nil {
		q.Append(func(dst []byte) []byte { return p.Append(dst, j.run.Conns(), q.Findings()) })
		err = q.Flush()
	}
	return j.finish(err)
}
