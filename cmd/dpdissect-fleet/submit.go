package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/fleet"
)

// submitCommand is the flags of the command.
type submitCommand struct {
	queue        connection
	point, chain string
	root, watch  string
	batch, every time.Duration
	end          bool
}

func newSubmit() *cobra.Command {
	c := &submitCommand{}
	cmd := &cobra.Command{
		Use:   "submit --chain C FILE...",
		Short: "Queue the pieces of a capture",
		Long: `Queue FILEs as the next pieces of a chain, in the order given: each one step,
or those of each span of --batch. Names, sizes and times of files are looked at
alone. What was submitted already (same path, size and time in this chain) is not
submitted again, so the command may be repeated.

--watch DIR follows a folder of a capture that writes file after file, and takes
each when its successor exists. FILE may be s3://BUCKET/KEY or https://.`,
		Example: `  dpdissect-fleet submit --point paris --chain game1 ring/*.pcap
  dpdissect-fleet submit --point paris --chain game1 --watch /var/captures
  dpdissect-fleet submit --point paris --chain match7 --end match7.pcap`,
		RunE: orderly(func(cmd *cobra.Command, paths []string) error { return c.run(cmd, paths) }),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&c.point, "point", "local", "`NAME` of where the packets were taken")
	f.StringVar(&c.chain, "chain", "", "`NAME` of the capture whose pieces the files are")
	f.DurationVar(&c.batch, "batch", 0, "put the files of each `DURATION`, by their times, into one step")
	f.BoolVar(&c.end, "end", false, "the chain ends here; with --watch when the command is told to end")
	f.StringVar(&c.watch, "watch", "", "take each file of `DIR` when its successor exists")
	f.DurationVar(&c.every, "every", 10*time.Second, "look into the folder every `DURATION`")
	f.StringVar(&c.root, "root", "", "name files as they are called below `DIR`, for workers that have it elsewhere")
	f.BoolVar(&c.queue.noWait, "no-wait", false, "exit code 7 at once when the queue is full or away")
	c.queue.add(cmd, time.Minute)
	return cmd
}

func (c *submitCommand) run(cmd *cobra.Command, paths []string) error {
	switch {
	case c.chain == "":
		return errors.New("no chain: give --chain NAME")
	case c.watch != "" && len(paths) > 0:
		return errors.New("--watch takes the files of a folder, and no FILE")
	case c.watch == "" && len(paths) == 0 && !c.end:
		return errors.New("no FILE: give the pieces of the chain, or --watch DIR, or --end")
	case c.batch < 0 || c.every < 100*time.Millisecond:
		return errors.New("--batch, --every: want a duration such as 15m")
	}
	for _, n := range []struct{ flag, name string }{{"--point", c.point}, {"--chain", c.chain}} {
		if err := fleet.CheckName(n.name); err != nil {
			return fmt.Errorf("%s: the name %w", n.flag, err)
		}
	}
	if c.watch != "" {
		return c.follow(cmd)
	}
	inputs, err := fleet.Look(cmd.Context(), c.root, paths)
	if err != nil {
		tell(cmd.ErrOrStderr(), err.Error())
		return exit.ErrInput
	}
	q, err := c.queue.connect(cmd, asSubmit)
	if err != nil {
		return err
	}
	defer q.Close()
	return c.submit(cmd, q, fleet.Batch(inputs, c.batch), c.end)
}

// submit queues steps, and tells of it.
func (c *submitCommand) submit(cmd *cobra.Command, q *fleet.Queue, steps [][]fleet.Input, end bool) error {
	n, known, err := q.Submit(context.WithoutCancel(cmd.Context()), c.point, c.chain, steps, end)
	if n > 0 || known > 0 || end || err != nil {
		fmt.Fprintf(cmd.OutOrStdout(), "%s at %s: %d steps queued, %d inputs were submitted before\n", c.chain, c.point, n, known)
	}
	return err
}

// follow takes the files of a folder until the command is told to end.
func (c *submitCommand) follow(cmd *cobra.Command) error {
	ctx := cmd.Context()
	q, err := c.queue.connect(cmd, asSubmit)
	if err != nil {
		return err
	}
	defer q.Close()
	var had []fleet.Input // that were submitted and are still there
	for tick := time.Tick(c.every); ; {
		last := ctx.Err() != nil
		inputs, err := c.complete(last && c.end)
		if err != nil {
			return err
		}
		fresh := slices.DeleteFunc(slices.Clone(inputs), func(in fleet.Input) bool { return slices.Contains(had, in) })
		if len(fresh) > 0 || last && c.end {
			if err := c.submit(cmd, q, fleet.Batch(fresh, c.batch), last && c.end); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		had = inputs
		select {
		case <-ctx.Done():
		case <-tick:
		}
	}
}

// complete gives the files of the folder that are complete: those with a successor, and of --batch those
// of spans that are over.
func (c *submitCommand) complete(all bool) ([]fleet.Input, error) {
	paths, err := fleet.Ring(c.watch)
	if err != nil {
		return nil, fmt.Errorf("--watch: %w", err)
	}
	var inputs []fleet.Input
	for _, p := range paths { // one that was removed in the meantime is none
		if in, err := fleet.Look(context.Background(), c.root, []string{p}); err == nil {
			inputs = append(inputs, in...)
		}
	}
	if all || len(inputs) == 0 {
		return inputs, nil
	}
	last := inputs[len(inputs)-1].Time
	inputs = inputs[:len(inputs)-1]
	if c.batch > 0 {
		inputs = slices.DeleteFunc(inputs, func(in fleet.Input) bool { return in.Time.Truncate(c.batch).Equal(last.Truncate(c.batch)) })
	}
	return inputs, nil
}
